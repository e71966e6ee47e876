/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_PRIVATE_H
#define FTOP_SRC_TIMELINE_TIMELINE_PRIVATE_H
/* timeline_private - sums and names that cells and labels share. */
#include "src/timeline/timeline.h"

/* Kinds of states of a task of which records are missing: bits of pyramid_sum.touched. */
#define TIMELINE_MISSING (1u << SCHED_UNKNOWN | 1u << SCHED_TASK_LOST)

/* The states of the whole window. */
struct pyramid_sum timeline_window_sum(const struct timeline *timeline, const struct pyramid *p);

/* Which contexts a row of interrupts is of. */
enum sched_context timeline_context(const struct timeline_row *row);
/* How many begin, and whether there are any, in each column: [nr].  Of one CPU, or of all. */
void timeline_sum_contexts(const struct timeline *timeline, const struct timeline_row *row,
			   const int64_t *edges, unsigned int nr, struct pyramid_sum *sums);

uint32_t timeline_task_pid(const struct timeline *timeline, uint32_t task);
/* Its name at a time.  Lives as long as the trace. */
const char *timeline_task_comm(const struct timeline *timeline, uint32_t task, int64_t ts);
#endif
