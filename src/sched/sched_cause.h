/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_CAUSE_H
#define FTOP_SRC_SCHED_CAUSE_H
/*
 * sched_cause - how it came to what a task is at: the record that woke it, the function it
 * slept in, the wake-ups before.
 *
 * States come from the model; records are looked up in the trace, near by and for a short time.  The model is locked, and the
 * main thread asks.  Times are those of the model.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched.h"
#include "src/base/text.h"

/* The state of a task that follows one; false: it lasts to the end of what is known. */
bool sched_cause_after(const struct sched *sched, uint32_t task, const struct pyramid_state *state, struct pyramid_state *next);
/* The last one that begins before ts; false: there is none. */
bool sched_cause_before(const struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *state);

/* Whom a record wakes (sched_waking, sched_wakeup, sched_wakeup_new), and whom a sched_switch runs: a pid; -1: it does neither. */
int sched_cause_woken(const struct trace_event *event);
int sched_cause_runs(const struct trace_event *event);

/*
 * A sched_switch at exactly this time, the first or the last of those on the CPU with this index (-1: on any) by which a pid
 * leaves (-1: any).  False: there is none.
 */
struct sched_switch_record {
	int		cpu;		/* its number */
	int		prev, next;	/* pids */
};
bool sched_cause_switch(struct sched *sched, int64_t ts, int cpu, int prev, bool last, struct sched_switch_record *record);
/* The first one at exactly this time by which a pid comes. */
bool sched_cause_came(struct sched *sched, int64_t ts, int next, struct sched_switch_record *record);

/* The record of a wake-up. */
struct sched_wake_record {
	trace_ref	ref;
	int64_t		ts;
	int		cpu;		/* where it was recorded */
	int		pid;		/* common_pid */
	uint8_t		flags;		/* common_flags */
};

/* That of a task at exactly this time; false: there is none (any more). */
bool sched_cause_wake(struct sched *sched, uint32_t task, int64_t ts, struct sched_wake_record *record);

/*
 * The first wake-up that was recorded on a CPU (its index) at or behind a time, and whom it wakes; it is looked for among some
 * thousand records.  False: there is none near.
 */
bool sched_cause_next_wake(struct sched *sched, unsigned int cpu, int64_t ts, struct sched_wake_record *record, uint32_t *task);

/* How many events a CPU (its index) has at exactly this time, at most 100; *name: of the type of the first, raw, or NULL. */
unsigned int sched_cause_events(struct sched *sched, unsigned int cpu, int64_t ts, const char **name);

/* What was lost on a CPU (its index) right before its record at ts. */
struct sched_loss {
	bool		known;		/* the kernel says how many */
	uint64_t	events;
};
bool sched_cause_loss(struct sched *sched, unsigned int cpu, int64_t ts, struct sched_loss *loss);	/* false: nothing */

/*
 * The function that a task was in when it left a CPU (its index) at this moment: by its calls, or by the stack of that record.
 * Bytes of the trace are appended; false: not known.
 */
bool sched_cause_sleep(struct sched *sched, uint32_t task, unsigned int cpu, int64_t ts, struct text *out);

/* The wait that led to what a task is at: the last one that a wake-up began, up to ts.  False: none is known. */
bool sched_cause_last_wait(struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *wait);

/*
 * How it came to that, step by step back in time: who was woken, by whom, and how long it then waited.
 *
 *   on-cpu-0-79 waited 331.0 µs ← woken by … at 7.556421498
 */
struct sched_link {
	uint32_t	task, waker;	/* SCHED_IDLE_TASK, SCHED_NO_TASK: the chain ends there */
	int64_t		wake_ts, run_ts;	/* run_ts: when it ran then; INT64_MAX: it did not */
};
unsigned int sched_cause_chain(struct sched *sched, uint32_t task, int64_t ts, struct sched_link *links, unsigned int max);
#endif
