/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_WINDOW_H
#define FTOP_SRC_CALLS_CALL_WINDOW_H
/*
 * call_window - the calls around a given time as trees, without those of the whole trace.
 *
 * It begins some sub-buffers before the time, extends past it, and further on request.  A call that
 * began before the window is known by its exit, with its true times; of a call still open at the
 * window's end, only the beginning is known.  A trace that fits is read completely. The main thread
 * does the work in slices.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/calls/graph_records.h"
#include "src/trace/trace.h"

struct call_window;			/* opaque */

struct call_window_options {
	struct trace	*trace;		/* borrowed, like all pointers here */
	const struct graph_types *types;
	unsigned int	 file, buffer;
	bool		 by_pid;	/* only this task */
	int32_t		 pid;
	int		 cpu;		/* the CPU, for pid 0 */
	const struct graph_scope *scope; /* selects `wanted` calls; NULL = all */
	uint32_t	 max_calls;	/* nodes held; 0 = a default of 40 MB */
	/* 0 = defaults: */
	uint32_t	 small_events;	/* a trace with fewer is held whole */
	uint32_t	 events_before;	/* events of all CPUs in the window before the moment */
	uint32_t	 records_before;	/* before the time; with fewer it begins earlier */
	uint32_t	 records_behind;
};

struct call_window *call_window_new(const struct call_window_options *options);
void call_window_free(struct call_window *window);	/* NULL is allowed */

/* Move to a time: the tree is empty until call_window_work() has run. */
void call_window_seek(struct call_window *window, int64_t ts);

/* Read for about @ns; true if there is more to do. */
bool call_window_work(struct call_window *window, int64_t ns);

/* Is the part around the time complete?  Before that, the tree grows while it is shown. */
bool call_window_is_ready(const struct call_window *window);

/*
 * Extend it forward or backward.  False: there is no more, or no room.  To go backward the window
 * is rebuilt, and call_window_is_ready() is false meanwhile; the old tree stays until then.
 */
bool call_window_extend(struct call_window *window, bool forward);

const struct call_tree *call_window_tree(const struct call_window *window);
/* A number that changes whenever calls are added or change. */
uint64_t call_window_version(const struct call_window *window);
/* Keys of the first and last record read; false if there are none. */
bool call_window_span(const struct call_window *window, int64_t *first, int64_t *last);
bool call_window_at_start(const struct call_window *window);	/* it begins at the trace's start */
bool call_window_at_end(const struct call_window *window);	/* it ends at the trace's end */
#endif
