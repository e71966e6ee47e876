/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_CALL_PATHS_H
#define FTOP_SRC_FUNCTIONS_CALL_PATHS_H
/*
 * call_paths - sums of calls by call path: a tree of functions below their callers, over all tasks.
 * For flame graphs, callers and callees.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"

#define CALL_PATH_ROOT	0u		/* the path from which all others start; not a function */

struct call_path {
	uint64_t	 address;	/* the function's address */
	uint64_t	 calls;		/* timed calls on this path */
	uint64_t	 entries;	/* inferred calls, without times: left out of other
					 * figures */
	uint64_t	 total, self, net;	/* sums over the timed calls; net: of those buffers
						 * where it is known */
	uint64_t	 net_within;	/* part of net: of the calls that are in no interrupt of a
					 * timed call above: that call's net has it, too */
	uint64_t	 doubtful;	/* calls without self and net, */
	uint64_t	 no_net;	/* and those without net */
	uint32_t	 parent;
	uint32_t	 last;		/* child; 0 = none */
	uint32_t	 before;	/* sibling; 0 = none */
	uint32_t	 func;		/* the tree's number, while the tree exists */
};

struct call_paths;			/* opaque */

#define CALL_PATH_LEVELS	512u	/* more than a kernel's stack can hold */

/*
 * @max_paths: limit; calls on further paths, and those of more levels, count for the nearest caller
 * that has a path.
 */
struct call_paths *call_paths_new(uint32_t max_paths);
void call_paths_free(struct call_paths *paths);	/* NULL is allowed */

/* For a call tree; borrowed. */
const struct call_visitor *call_paths_visitor(struct call_paths *paths);

/* After the tree has ended: replaces its function numbers by addresses. */
void call_paths_end(struct call_paths *paths, const struct call_tree *tree);

/* Add the sums so far to @to; the tree continues. */
void call_paths_copy(const struct call_paths *paths, const struct call_tree *tree,
		     struct call_paths *to);

/* Add all of @from.  Both have ended. */
void call_paths_merge(struct call_paths *paths, const struct call_paths *from);

/* Count inferred calls as calls: for trees without others. */
void call_paths_count_entries(struct call_paths *paths);

/*
 * Without a tree: the path of a function below a path, made if need be; the path itself, if there
 * is no room.  Then add sums to a path, and to the totals of those above.
 */
uint32_t call_paths_below(struct call_paths *paths, uint32_t parent, uint64_t address);
void call_paths_add(struct call_paths *paths, uint32_t path, uint64_t time, uint64_t calls);

uint32_t call_paths_nr(const struct call_paths *paths);		/* including the root */
const struct call_path *call_paths_at(const struct call_paths *paths, uint32_t number);
/* Append the name of the last function of a path of file 0, printable. */
void call_paths_frame(const void *trace, const struct call_path *path, struct text *out);
/* Append "do_syscall_64;schedule": @frame appends the name of the last one of a path. */
void call_paths_folded(const struct call_paths *paths, uint32_t path,
		       void (*frame)(const void *arg, const struct call_path *path,
				     struct text *out),
		       const void *arg, struct text *out);
bool call_paths_are_whole(const struct call_paths *paths);	/* was there room for all paths? */
/* Were there calls of more levels than CALL_PATH_LEVELS? */
bool call_paths_too_deep(const struct call_paths *paths);
#endif
