/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_MARKERS_H
#define FTOP_SRC_TIMELINE_MARKERS_H
/*
 * markers - the slices that tasks wrote to trace_marker (src/trace/trace_marker.h), for rows below
 * those of the tasks.  A slice of S or G is the task's that began it, whoever ends it.  Where
 * slices are nested, a row has the one that began last.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/pyramid.h"
#include "src/trace/trace.h"

/* Kinds of the states of a row; the argument of a slice is the number of its name. */
enum { MARKERS_SLICE = 1, MARKERS_NONE };

struct sched_task;
struct markers;				/* opaque */

/* Do these words mean slices ("marker"), and no event of the file? */
bool markers_are_meant(struct trace *trace, unsigned int file, const char *what);

/* Workers read the buffer once.  No rows are there before they are done. */
struct markers *markers_new(struct trace *trace, unsigned int file, unsigned int buffer);
void markers_free(struct markers *markers);	/* NULL is allowed */
void markers_wait(struct markers *markers);

bool markers_done(const struct markers *markers);	/* NULL: no */
/* NULL: not done yet, or the task has none. */
const struct pyramid *markers_row(const struct markers *markers, const struct sched_task *task);
/* Bytes of the trace, not made printable. */
const char *markers_name(const struct markers *markers, uint32_t name);
#endif
