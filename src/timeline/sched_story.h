/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_SCHED_STORY_H
#define FTOP_SRC_TIMELINE_SCHED_STORY_H
/*
 * sched_story - describes in sentences, exact to the nanosecond, what a CPU or a task did at a
 * moment: who woke it, where it slept, how long it waited. Call from the main thread, with the
 * model locked.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched.h"
#include "src/base/text.h"
#include "src/timeline/timeline.h"

/* Printable text is appended.  @ts: in the model's time. */
void sched_story_row(struct sched *sched, const struct timeline_row *row, int64_t ts,
		     struct text *out);

/* "on-cpu-1-80", printable, as the task was called at that time; "<idle>" for SCHED_IDLE_TASK. */
void sched_story_task(struct sched *sched, uint32_t task, int64_t ts, struct text *out);
#endif
