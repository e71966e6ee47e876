/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_WINDOW_H
#define FTOP_SRC_CALL_WINDOW_H
/*
 * call_window - the calls around a moment as trees, without those of the whole trace.
 *
 * It begins some sub-buffers before the moment, goes on some way behind it, and further
 * where it is asked to.  A call that began before the window is known by its exit, with
 * its true times; of one that is open at the window's end only the beginning is.  A trace
 * that can be held is held whole.  Work is done in slices, by the main thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/trace/trace.h"

struct call_window;			/* opaque */

struct call_window_options {
	struct trace	*trace;		/* borrowed, as all pointers here */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	bool		 by_pid;	/* this task alone */
	int32_t		 pid;
	int		 cpu;		/* of pid 0 */
	const struct graph_scope *scope; /* whose calls are `wanted`; NULL: all */
	uint32_t	 max_calls;	/* nodes held; 0 = a default of 40 MB */
	/* 0 = defaults: */
	uint32_t	 small_events;	/* a trace with fewer is held whole */
	uint32_t	 events_before;	/* of all CPUs, that the window begins before the moment */
	uint32_t	 records_before;	/* wanted there; else it begins earlier */
	uint32_t	 records_behind;
};

struct call_window *call_window_new(const struct call_window_options *options);
void call_window_free(struct call_window *window);	/* NULL is allowed */

/* Around this moment, from now on: the tree is empty until call_window_work() was there. */
void call_window_seek(struct call_window *window, int64_t ts);

/* Read on for about @ns; true: it wants more. */
bool call_window_work(struct call_window *window, int64_t ns);

/* Is what lies around the moment there?  Before that the tree grows while it is looked at. */
bool call_window_is_ready(const struct call_window *window);

/*
 * More than there is, forward or backward.  False: there is none, or no room.  Backward the window is made anew, and
 * call_window_is_ready() is false until it is; the tree is the former one till then.
 */
bool call_window_extend(struct call_window *window, bool forward);

const struct call_tree *call_window_tree(const struct call_window *window);
/* A number that differs whenever calls came, or changed. */
uint64_t call_window_version(const struct call_window *window);
/* Of what was read: keys of the first and last record; false: nothing. */
bool call_window_span(const struct call_window *window, int64_t *first, int64_t *last);
bool call_window_at_start(const struct call_window *window);	/* it begins where the trace does */
bool call_window_at_end(const struct call_window *window);	/* and ends where it ends */
unsigned int call_window_permille(const struct call_window *window);	/* of the way to being ready */
#endif
