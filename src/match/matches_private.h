/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCHES_PRIVATE_H
#define FTOP_SRC_MATCHES_PRIVATE_H
/*
 * matches_private - what the files of matches share: matches.c (filters, the stack,
 * how far it is), matches_work.c (what workers do), matches_rows.c (which rows).
 *
 * A set holds what is known of one filter, or of several joined.  Everything in it is
 * looked at and changed under the lock, apart from items, which never change once
 * they are there, and a worker's own run of the filter.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "src/trace/match_items.h"
#include "src/match/match_scan.h"
#include "src/match/matches.h"
#include "src/trace/trace_private.h"

#define MATCH_INEXACT	(1ull << 63)	/* of a sum: something before is not known */

struct match_stream {
	struct match_item **items;	/* owned references, [cap]; NULL: not looked at */
	uint8_t		*busy;		/* [cap] a worker is at it */
	uint64_t	 cap;
	uint64_t	 nr_pages;	/* looked at */
	uint64_t	 nr_matches, nr_extra;
	/* Where workers look: outward from a place over what there was at first, then what comes to it. */
	uint64_t	 origin, limit, fresh;
	uint64_t	*before;	/* owned, [cap + 1] matches before an item, MATCH_INEXACT; so far: */
	uint64_t	 nr_before;
	uint32_t	*tallied;	/* owned, [cap] pages of an item that are counted by type */
};

struct match_place_of {			/* an item to be looked at */
	unsigned int	stream;
	uint64_t	nr;
};

struct match_set {
	unsigned int	 refs;
	struct filter	*filter;	/* owned; NULL: of members */
	struct match_set **members;	/* owned references, [nr_members] */
	unsigned int	 nr_members;
	struct match_set *base;		/* reference: a filter that this one implies; or NULL */
	struct match_stream *streams;	/* owned, [nr_streams] */
	struct filter_run **runs;	/* owned, [threads]; the last one is the main thread's */
	atomic_bool	 stopped;
	bool		 wanted;	/* to be looked at */
	bool		 needs_names;	/* of tasks: they are known when the directory is complete */
	bool		 is_ready;	/* models that its filter asks are made: it was found so last */
	uint64_t	 distance;	/* from the origins, of the place looked at next; UINT64_MAX: all done */
	unsigned int	 turn;		/* its stream, twice: forward and backward */
	struct match_place_of *todo;	/* owned: of members, items that can be joined */
	unsigned int	 nr_todo, cap_todo;
	uint64_t	 used;		/* when it was in the stack last */
	uint64_t	 bytes;		/* of items */
	uint64_t	 damaged;	/* MATCHES_WAIT: sub-buffers */
	bool		 saw_watched;
	char		*trouble;	/* owned */
	uint64_t	**types;	/* owned, [files][65536] matches by common_type; NULL: not asked for */
};

/* The page where a stream's cursor is among matches: the same for one row after the other. */
struct match_here {
	uint64_t	 version;	/* of matches; 0: none */
	uint64_t	 nr;		/* page of the stream */
	uint64_t	 first;		/* of the item */
	const struct match_item *item;	/* borrowed: valid as long as the version is */
	struct match_page page;
};

struct match_filter {
	struct filter	*filter;	/* borrowed from the set, or owned if that had one already */
	bool		 owned;
	struct match_set *set;		/* reference */
};

struct matches {
	struct trace	*trace;
	enum matches_mode mode;
	pthread_mutex_t	 lock;
	pthread_cond_t	 news;		/* an item was published, or given up */
	struct worker_group group;
	unsigned int	 jobs;		/* queued or running */
	unsigned int	 nr_threads;	/* workers, and the main thread */
	struct match_scanner **scanners; /* owned, [nr_threads] */
	bool		 closing;
	bool		 has_names;	/* the directory was complete when it was looked at last */
	uint64_t	 version;
	struct match_set **sets;	/* all */
	unsigned int	 nr_sets, cap_sets;
	struct match_set **kept;	/* references: used lately */
	unsigned int	 nr_kept, cap_kept;
	struct match_set **asked;	/* references: of matches_count_of() */
	unsigned int	 nr_asked, cap_asked;
	struct match_set *stack;	/* reference; NULL: no filters */
	unsigned int	 next_member;	/* whose turn it is */
	uint64_t	 clock;		/* counts uses */
	int		*watched;	/* owned, [files] common_type; -1: none */
	uint64_t	*origins;	/* owned, [nr_streams] item to begin at */
	struct match_stacks {
		int	kernel, user;	/* common_type of stacks; -1: the file has none */
	}		*stacks;	/* owned, [files]; NULL until asked for */
	struct match_here *here;	/* owned, [nr_streams]; the main thread's */
	/* main thread */
	int64_t		 deadline;	/* of matching on the spot; INT64_MAX: none */
	struct trace_cursor *finder;	/* owned: of matches_next() */
	trace_ref	 finder_from;
	bool		 finder_forward;
	bool		 finder_by_time;
	int64_t		 finder_ts;
	bool		 finder_begun;
};

/* The filters' sets of a set, itself if it is of one. */
static inline struct match_set *const *match_set_members(struct match_set *const *set, unsigned int *nr)
{
	*nr = (*set)->filter ? 1 : (*set)->nr_members;
	return (*set)->filter ? set : (*set)->members;
}

/* --- matches.c: under the lock --------------------------------------------- */
struct match_set *match_set_ref(struct match_set *set);
void match_set_unref(struct match_set *set);
/* Join, or find, the set of these members. */
struct match_set *match_set_of(struct matches *m, struct match_set *const *members, unsigned int nr);

/* --- matches_work.c ----------------------------------------------------------- */
/* Pages of a stream that can be looked at now. */
uint64_t match_pages(const struct matches *m, unsigned int stream);
/* Look at a set's streams (again), from the origins outward.  Under the lock. */
void match_set_begin(struct matches *m, struct match_set *set);
void match_kick(struct matches *m);		/* start workers, if there is anything to do */
void match_progress(void *arg);			/* the directory grew: any thread */
/* MATCHES_WAIT: an item of the stack is there when this returns, or never will be. */
void match_need(struct matches *m, unsigned int stream, uint64_t nr);
struct filter_run *match_run(struct match_set *set, unsigned int thread);
/* What is known of a set at a page: its item, under the lock; NULL: nothing. */
const struct match_item *match_item_at(const struct matches *m, const struct match_set *set, unsigned int stream, uint64_t page,
				       struct match_place *place);

/* --- matches_rows.c ------------------------------------------------------------ */
void match_rows_forget(struct matches *m);	/* the stack changed */

/* --- match_scan.c ---------------------------------------------------------------- */
/* May a page of the directory hold a match?  The run is at its stream. */
bool match_page_may(const struct trace *trace, unsigned int stream, struct filter_run *run, uint64_t page);
#endif
