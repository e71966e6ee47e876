/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_SLOW_PLACES_H
#define FTOP_SRC_CALLS_SLOW_PLACES_H
/*
 * slow_places - the innermost calls that reach a threshold, over all tasks of a buffer in order of
 * time.  A worker searches them in slices.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

struct slow_places;			/* opaque */

struct slow_place {
	int64_t		 start;		/* model time, see call_text_start() */
	int64_t		 key;		/* the start; if before the trace, the exit's time */
	trace_ref	 exit;
	int64_t		 end;		/* model time of the exit's record */
	uint64_t	 duration;	/* wall time, or net time if that is compared */
	uint64_t	 below;		/* the longest call inside: below that threshold, the
					 * inner one is the place */
	int32_t		 pid;
	uint16_t	 stream;	/* stream of the exit */
};

struct slow_options {
	struct trace	*trace;		/* borrowed, like the others */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	bool		 slices;	/* slices of trace_marker, too */
	const struct graph_scope *scope;	/* selects calls; NULL = all */
	bool		 net;		/* compare net times */
	struct workers	*workers;
	uint32_t	 max_places;	/* 0 = a default; with more, the shortest are dropped */
};

/* Start searching. */
struct slow_places *slow_places_new(const struct slow_options *options);
void slow_places_free(struct slow_places *places);	/* stops the workers; NULL is allowed */

/*
 * Those of all calls of the first buffer with calls; the trace keeps them.  NULL: it has no calls,
 * or its directory is not complete.
 */
struct slow_places *slow_places_keep(struct trace *trace, unsigned int file, bool net);

bool slow_places_are_done(const struct slow_places *places);
unsigned int slow_places_permille(const struct slow_places *places);

/* --- when done ------------------------------------------------------------------- */

/* Calls shorter than this may have been dropped: a lower threshold finds only some. */
uint64_t slow_places_least(const struct slow_places *places);

/* Number of places at a threshold. */
uint64_t slow_places_count(const struct slow_places *places, uint64_t threshold);

/* The highest mark of the kernel that @nr places reach, in ns: 10 µs … 1 s; 0 if none. */
uint64_t slow_places_mark(const struct slow_places *places, uint64_t nr);

/*
 * The position of a row of the tree among the places: its own if it is a place, else its start; for
 * a call from before the trace, the trace's start, so that all places come after it.
 */
void slow_places_find(const struct slow_places *places, uint64_t threshold, const struct call *call,
		      int64_t *key, trace_ref *exit);

/*
 * The next place in the order of their exits' records, after (before) a moment and record; of those
 * that @keep, if not NULL, keeps.  Or NULL.
 */
const struct slow_place *slow_places_beside(const struct slow_places *places, uint64_t threshold,
					    int64_t end, trace_ref exit, bool forward,
					    bool (*keep)(void *arg, const struct slow_place *place),
					    void *arg);

/* The next place after (before) a key and exit record; or NULL. */
const struct slow_place *slow_places_next(const struct slow_places *places, uint64_t threshold,
					  int64_t key, trace_ref exit, bool forward);
#endif
