/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SLOW_PLACES_H
#define FTOP_SRC_SLOW_PLACES_H
/*
 * slow_places - where calls took long: the innermost ones that reach a threshold, over
 * all tasks of a buffer in the order of time.  Looked for by a worker, in slices.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

struct slow_places;			/* opaque */

struct slow_place {
	int64_t		 start;		/* model time, as call_text_start() has it */
	int64_t		 key;		/* in their order: the start; of what began before the trace: when its exit was recorded */
	trace_ref	 exit;
	uint64_t	 duration;	/* wall, or net if that is what is compared */
	uint64_t	 below;		/* the longest call in it: not more than that is reached there */
	int32_t		 pid;
	uint16_t	 stream;	/* of the exit */
};

struct slow_options {
	struct trace	*trace;		/* borrowed, as the others */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	const struct graph_scope *scope;	/* calls that count; NULL: all */
	bool		 net;		/* by net time */
	struct workers	*workers;
	uint32_t	 max_places;	/* held; 0 = a default.  With more of them the shortest are forgotten */
};

/* Begins to look. */
struct slow_places *slow_places_new(const struct slow_options *options);
void slow_places_free(struct slow_places *places);	/* stops; NULL is allowed */

bool slow_places_are_done(const struct slow_places *places);
unsigned int slow_places_permille(const struct slow_places *places);

/* --- when done ------------------------------------------------------------------- */

/* Calls shorter than that are not all held: a threshold below it finds some only. */
uint64_t slow_places_least(const struct slow_places *places);

/* Places at a threshold: how many. */
uint64_t slow_places_count(const struct slow_places *places, uint64_t threshold);

/* The highest mark of the kernel that @nr places reach, in ns: 10 µs … 1 s; else 0. */
uint64_t slow_places_mark(const struct slow_places *places, uint64_t nr);

/*
 * Where a row of the tree stands among them: a place itself, or where it starts; what began before the trace stands at its
 * beginning, so that who goes on from there meets all places.
 */
void slow_places_find(const struct slow_places *places, uint64_t threshold, const struct call *call, int64_t *key, trace_ref *exit);

/* The next place behind (before) a key and exit record; or NULL. */
const struct slow_place *slow_places_next(const struct slow_places *places, uint64_t threshold, int64_t key, trace_ref exit,
					  bool forward);
#endif
