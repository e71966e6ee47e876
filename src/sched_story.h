/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_STORY_H
#define FTOP_SRC_SCHED_STORY_H
/*
 * sched_story - what a CPU or a task did at a moment, as sentences exact to the
 * nanosecond; who woke it, and how it came to that.
 *
 * States come from the model; the record of a wake-up, and the function that a task slept in, are looked up in the trace,
 * near by and for a short time.  The model is locked, and the main thread asks.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched.h"
#include "src/text.h"
#include "src/timeline.h"

/* Printable text is appended.  @ts: in the model's time. */
void sched_story_row(struct sched *sched, const struct timeline_row *row, int64_t ts, struct text *out);

/* The record of a wake-up. */
struct sched_wake_record {
	trace_ref	ref;
	int64_t		ts;		/* in the model's time */
	int		cpu;		/* where it was recorded */
	int		pid;		/* common_pid */
	uint8_t		flags;		/* common_flags */
};

/* That of a task at exactly this time; false: there is none (any more). */
bool sched_story_wake(struct sched *sched, uint32_t task, int64_t ts, struct sched_wake_record *record);

/* The wait that led to what a task is at: the last one that a wake-up began, up to ts.  False: none is known. */
bool sched_story_last_wait(struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *wait);

/*
 * How it came to that, step by step back in time: who was woken, by whom, and how long it then waited.
 *
 *   on-cpu-0-79 waited 331.0 µs ← woken by … at 7.556421498
 */
struct sched_link {
	uint32_t	task, waker;	/* SCHED_IDLE_TASK, SCHED_NO_TASK: the chain ends there */
	int64_t		wake_ts, run_ts;	/* run_ts: when it ran then; INT64_MAX: it did not */
};
unsigned int sched_story_chain(struct sched *sched, uint32_t task, int64_t ts, struct sched_link *links, unsigned int max);

/* "on-cpu-1-80", printable, as the task was called at that time; "<idle>" for SCHED_IDLE_TASK. */
void sched_story_task(struct sched *sched, uint32_t task, int64_t ts, struct text *out);
#endif
