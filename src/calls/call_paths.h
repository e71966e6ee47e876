/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_PATHS_H
#define FTOP_SRC_CALL_PATHS_H
/*
 * call_paths - what calls add up to by the way they were reached: a tree of functions
 * under their callers, of all tasks together.  Flame graphs, callers and callees.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"

#define CALL_PATH_ROOT	0u		/* number of the path that all others begin with; it is no function */

struct call_path {
	uint64_t	 address;	/* of the function */
	uint64_t	 calls;		/* timed ones that were reached this way */
	uint64_t	 entries;	/* inferred ones, which have no times: in none of the figures */
	uint64_t	 total, self, net;	/* sums of their figures */
	uint32_t	 parent;
	uint32_t	 last;		/* child; 0 = none */
	uint32_t	 before;	/* sibling; 0 = none */
	uint32_t	 func;		/* the tree's number while it is being looked at */
};

struct call_paths;			/* opaque */

/* @max_paths: held at most; calls beyond count for the caller that is held. */
struct call_paths *call_paths_new(uint32_t max_paths);
void call_paths_free(struct call_paths *paths);	/* NULL is allowed */

/* To be given to a tree; borrowed. */
const struct call_visitor *call_paths_visitor(struct call_paths *paths);

/* The tree ended: its numbers of functions become addresses. */
void call_paths_end(struct call_paths *paths, const struct call_tree *tree);

/* What was counted so far is added to @to; the tree goes on. */
void call_paths_copy(const struct call_paths *paths, const struct call_tree *tree, struct call_paths *to);

/* Add all of @from.  Both have ended. */
void call_paths_merge(struct call_paths *paths, const struct call_paths *from);

/* Inferred calls are calls, too: where there are no others. */
void call_paths_count_entries(struct call_paths *paths);

uint32_t call_paths_nr(const struct call_paths *paths);		/* the root included */
const struct call_path *call_paths_at(const struct call_paths *paths, uint32_t number);
bool call_paths_are_whole(const struct call_paths *paths);	/* there was room for all */
#endif
