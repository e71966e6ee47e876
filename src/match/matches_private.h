/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_MATCHES_PRIVATE_H
#define FTOP_SRC_MATCH_MATCHES_PRIVATE_H
/*
 * matches_private - shared by the files of matches: matches.c (filters, the stack, status),
 * matches_work.c (the workers' jobs), matches_rows.c (finding rows).
 *
 * A set has the results of one filter, or of several joined.  The lock protects everything in it,
 * except items, which are immutable, and a worker's own run of the filter.
 */
#include <pthread.h>
#include <stdatomic.h>
#include "src/trace/match_items.h"
#include "src/match/match_scan.h"
#include "src/match/matches.h"
#include "src/trace/trace_streams.h"

#define MATCH_INEXACT	(1ull << 63)	/* in a sum: a part is not known */

struct match_stream {
	struct match_item **items;	/* owned references, [cap]; NULL = not scanned */
	uint8_t		*busy;		/* [cap] a worker is scanning it */
	uint64_t	 cap;
	uint64_t	 start;		/* pages before it are dropped, and items that end there */
	uint64_t	 nr_pages;	/* pages scanned, of the items that are left */
	uint64_t	 nr_matches, nr_extra;
	/*
	 * Where to scan: outward from a place over the items that existed at first, then the new
	 * ones.
	 */
	uint64_t	 origin, limit, fresh;
	uint64_t	*before;	/* owned, [cap + 1] matches in earlier items, MATCH_INEXACT
					 * if a part is missing; valid up to: */
	uint64_t	 nr_before;
};

struct match_place_of {			/* an item to scan */
	unsigned int	stream;
	uint64_t	nr;
};

struct match_set {
	unsigned int	 refs;
	struct filter	*filter;	/* owned; NULL: the set joins members */
	struct match_set **members;	/* owned references, [nr_members] */
	unsigned int	 nr_members;
	struct match_set *base;		/* reference: set of a filter that this one implies; or
					 * NULL */
	struct match_stream *streams;	/* owned, [nr_streams] */
	struct filter_run **runs;	/* owned, [threads]; the last one is for the main thread */
	atomic_bool	 stopped;
	bool		 wanted;	/* it is to be scanned */
	bool		 needs_names;	/* needs names of tasks, which are known when the
					 * directory is complete */
	bool		 is_ready;	/* its filter's models are ready, as of the last check */
	uint64_t	 distance;	/* distance of the next place from the origins;
					 * UINT64_MAX = all done */
	unsigned int	 turn;		/* its stream, times 2: forward and backward */
	struct match_place_of *todo;	/* owned; for joined sets: items that can be joined */
	unsigned int	 nr_todo, cap_todo;
	uint64_t	 used;		/* last time it was in the stack */
	uint64_t	 bytes;		/* memory of its items */
	uint64_t	 damaged;	/* MATCHES_WAIT: damaged sub-buffers */
	bool		 saw_watched;
	bool		 skipped;	/* some streams were not read */
};

/* A cached page of a stream: many calls are about successive rows of one page. */
struct match_here {
	uint64_t	 version;	/* version of the matches; 0 = invalid */
	uint64_t	 nr;		/* page of the stream */
	uint64_t	 first;		/* first page of the item */
	const struct match_item *item;	/* borrowed: valid while the version is */
	struct match_page page;
};

struct match_filter {
	struct filter	*filter;	/* borrowed from the set, or owned if the set has an
					 * equal one */
	bool		 owned;
	struct match_set *set;		/* reference */
};

struct matches {
	struct trace	*trace;
	enum matches_mode mode;
	pthread_mutex_t	 lock;
	pthread_cond_t	 news;		/* signalled when an item is published or given up */
	struct worker_group group;
	unsigned int	 jobs;		/* queued or running */
	unsigned int	 nr_threads;	/* workers plus the main thread */
	struct match_scanner **scanners; /* owned, [nr_threads] */
	bool		 closing;
	bool		 has_names;	/* names of all tasks are known: the directory was
					 * complete at the last check */
	uint64_t	 version;
	struct match_set **sets;	/* all */
	unsigned int	 nr_sets, cap_sets;
	struct match_set **kept;	/* references: recently used ones */
	unsigned int	 nr_kept, cap_kept;
	struct match_set **asked;	/* references: for matches_count_of() */
	unsigned int	 nr_asked, cap_asked;
	struct match_set *stack;	/* reference; NULL = no filters */
	unsigned int	 next_member;	/* round robin over members */
	uint64_t	 clock;		/* counts uses */
	int		*watched;	/* owned, [files] common_type; -1 = none */
	uint64_t	*origins;	/* owned, [nr_streams] item to start from */
	struct match_stacks {
		int	kernel, user;	/* common_types of stacks; -1: not in the file */
	}		*stacks;	/* owned, [files]; NULL until first used */
	struct match_here *here;	/* owned, [nr_streams]; the main thread's */
	/* For the main thread */
	int64_t		 deadline;	/* for matching on the spot; INT64_MAX = none */
	struct trace_cursor *finder;	/* owned: of matches_seek_time() */
	int64_t		 finder_ts;
	bool		 finder_begun;
};

/* The sets of a set's filters; the set itself if it has one filter. */
static inline struct match_set *const *match_set_members(struct match_set *const *set,
							 unsigned int *nr)
{
	*nr = (*set)->filter ? 1 : (*set)->nr_members;
	return (*set)->filter ? set : (*set)->members;
}

/* --- matches.c: under the lock --------------------------------------------- */
struct match_set *match_set_ref(struct match_set *set);
void match_set_unref(struct match_set *set);

/* --- matches_work.c ----------------------------------------------------------- */
/* Number of a stream's pages that can be scanned now. */
uint64_t match_pages(const struct matches *m, unsigned int stream);
/* Start scanning a set's streams (again), outward from the origins.  Called with the lock held. */
void match_set_begin(struct matches *m, struct match_set *set);
void match_kick(struct matches *m);		/* starts workers if there is work */
void match_progress(void *arg);			/* call it when the directory grew; any thread */
/*
 * Matches in the dropped pages of a stream's first item: those of its rows that are lost events or
 * damage are *extra.  With the lock held.
 */
uint64_t match_dropped(const struct matches *m, const struct match_set *set, unsigned int stream,
		       uint64_t *extra);
/* MATCHES_WAIT: wait until an item of the stack is available, or never will be. */
void match_need(struct matches *m, unsigned int stream, uint64_t nr);
struct filter_run *match_run(struct match_set *set, unsigned int thread);
/* The set's item for a page, NULL if unknown.  Called with the lock held. */
const struct match_item *match_item_at(const struct matches *m, const struct match_set *set,
				       unsigned int stream, uint64_t page,
				       struct match_place *place);

/* --- matches_rows.c ------------------------------------------------------------ */
void match_rows_forget(struct matches *m);	/* call it after the stack changed */
/* The rows kept before the settled time of a trace that grows.  With the lock held. */
uint64_t match_rows_settled(struct matches *m);

/* --- match_scan.c ---------------------------------------------------------------- */
/* May a page of the directory contain a match?  The run must be set to its stream. */
bool match_page_may(const struct trace *trace, unsigned int stream, struct filter_run *run,
		    uint64_t page);
#endif
