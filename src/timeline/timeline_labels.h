/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_LABELS_H
#define FTOP_SRC_TIMELINE_TIMELINE_LABELS_H
/* timeline_labels - what stands beside the cells of a row: its name, and how busy it is. */
#include "src/timeline/timeline.h"

/*
 * Append the share of the window in which a CPU is busy or a task runs ("78%", "0.4%", ">78%" where
 * records are missing, nothing for none, and if no sched_switch was recorded), or the number of
 * interrupts.
 */
void timeline_load(struct timeline *timeline, const struct timeline_row *row, struct text *out);

/* Appends how many CPUs of a group ran a task at a moment, and which was the busiest. */
void timeline_cpus_story(const struct timeline *timeline, uint32_t group, int64_t ts,
			 struct text *out);

/*
 * "CPU 3", "on-cpu-1-80" (its name at that time), "softirqs": bytes of the trace, not made
 * printable.
 */
void timeline_name(const struct timeline *timeline, const struct timeline_row *row, int64_t ts,
		   struct text *out);

/*
 * A printable name, truncated and padded to a number of cells; keeps a task's pid, an event's
 * field.
 */
void timeline_fit_name(const char *name, bool is_task, int cells, struct text *out);
#endif
