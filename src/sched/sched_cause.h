/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_CAUSE_H
#define FTOP_SRC_SCHED_SCHED_CAUSE_H
/*
 * sched_cause - the causes of a task's state: the record that woke it, the function it slept in,
 * the wakeups before.
 *
 * States come from the model; records are searched in the trace nearby, for a short time.  Only for
 * the main thread, with the model locked. Times are the model's.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched.h"
#include "src/trace/lock_wait.h"
#include "src/base/text.h"

/* The next state of a task; false if no later state is known. */
bool sched_cause_after(const struct sched *sched, uint32_t task, const struct pyramid_state *state,
		       struct pyramid_state *next);
/* The last state that begins before ts; false if there is none. */
bool sched_cause_before(const struct sched *sched, uint32_t task, int64_t ts,
			struct pyramid_state *state);

/*
 * The pid that a record wakes (sched_waking, sched_wakeup, sched_wakeup_new) or that a sched_switch
 * switches to; -1: other events.
 */
int sched_cause_woken(const struct trace_event *event);
int sched_cause_runs(const struct trace_event *event);

/*
 * A sched_switch at exactly this time from a pid to a pid (-1: any): the first or the last one on
 * the CPU with this index (-1: any).  False if there is none.
 */
struct sched_switch_record {
	int		cpu;		/* its number */
	int		prev, next;	/* pids */
	int		prev_prio, next_prio;
};
bool sched_cause_switch(struct sched *sched, int64_t ts, int cpu, int prev, int next, bool last,
			struct sched_switch_record *record);

/* The record of a wake-up. */
struct sched_wake_record {
	trace_ref	ref;
	int64_t		ts;
	int		cpu;		/* number of the CPU that recorded it */
	int		pid;		/* common_pid */
	uint8_t		flags;		/* common_flags */
};

/* The wakeup of a task at exactly this time; false if it cannot be found. */
bool sched_cause_wake(struct sched *sched, uint32_t task, int64_t ts,
		      struct sched_wake_record *record);

/*
 * The first wakeup recorded on a CPU (its index) at or after a time, and the task woken; searches
 * some thousand records.  False if there is none nearby.
 */
bool sched_cause_next_wake(struct sched *sched, unsigned int cpu, int64_t ts,
			   struct sched_wake_record *record, uint32_t *task);

/* Events of a CPU (index) at this time, at most 100; *name: type of the first, raw, or NULL. */
unsigned int sched_cause_events(struct sched *sched, unsigned int cpu, int64_t ts,
				const char **name);

/* Events lost on a CPU (its index) right before its record at ts. */
struct sched_loss {
	bool		known;		/* the kernel recorded their number */
	uint64_t	events;
};
/* false: nothing */
bool sched_cause_loss(struct sched *sched, unsigned int cpu, int64_t ts, struct sched_loss *loss);

/*
 * Why nothing is known at @from: a number for sched_absence_name(); 0: that is not known.
 * @cpu: its index, what is asked about was there; or SCHED_NO_CPU: on some CPU
 * @to:  later than @from; moves back to where that ends
 */
uint32_t sched_cause_absence(const struct sched *sched, uint32_t cpu, int64_t from, int64_t *to);
/* "suspended", "~tracing off"; of 0: "not recorded" */
const char *sched_absence_name(uint32_t number);

/*
 * The function that took a lock, from the stack behind the record with which the wait for it began:
 * of the kernel, or of a program (@user).  Appends raw bytes of the trace; false: it is not known.
 */
bool sched_cause_called_in(struct trace *trace, trace_ref ref, int pid, bool user,
			   struct text *out);

/* A lock that a task waits for. */
struct sched_lock {
	struct lock_wait wait;
	int64_t		since;		/* when it began to wait, as the records tell last */
	uint32_t	holder;		/* the task that held the lock then; or SCHED_NO_TASK */
};
/*
 * The lock for which a task sleeps.  @sleep: it slept or was blocked, and that is not doubtful;
 * @name: receives the lock's; or NULL.  False: for none, or it is not sure.
 */
bool sched_cause_lock(struct sched *sched, uint32_t task, const struct pyramid_state *sleep,
		      struct sched_lock *lock, struct text *name);
/*
 * When the holder released the lock, in [from, to): when it woke a task that waited for it.
 * INT64_MAX: it did not.  @from: maybe at once; too many wake-ups were made to tell.
 */
int64_t sched_cause_release(struct sched *sched, const struct sched_lock *lock, int64_t from,
			    int64_t to);

/*
 * The function that a task was in when it left a CPU (its index) at this time: from its calls, or
 * from the record's stack.  Appends raw bytes of the trace; false if unknown.
 */
bool sched_cause_sleep(struct sched *sched, uint32_t task, unsigned int cpu, int64_t ts,
		       struct text *out);

/*
 * The function that a task slept in, without a model: from the record of the switch @ref.  @calls:
 * look at calls, too.  Main thread.
 */
bool sched_cause_slept_in(struct trace *trace, trace_ref ref, int pid, bool calls,
			  struct text *out);

/* Did the system call of a task that runs since @run, on a CPU (its index), return an error? */
enum sched_returned { SCHED_RETURNED_UNKNOWN, SCHED_RETURNED_WELL, SCHED_RETURNED_ERROR };
enum sched_returned sched_cause_returned(struct sched *sched, uint32_t task, unsigned int cpu,
					 int64_t run);

/*
 * The wait that began with the wakeup that led to a task's state at ts, or that ends its sleep of
 * that time.  False: none known.
 */
bool sched_cause_wait(struct sched *sched, uint32_t task, int64_t ts, struct pyramid_state *wait);

/*
 * A chain of wakeups, back in time: the task woken, by which task, and how long it waited for a CPU
 * since then, until it woke the next one.  It begins with the wakeup of sched_cause_wait().  It
 * ends at an interrupt, and with a doubtful wait: that one may not be why the task ran.
 */
struct sched_link {
	uint32_t	task, waker;	/* SCHED_IDLE_TASK, SCHED_NO_TASK: end of the chain */
	const struct sched_source *source;	/* it was woken in this; NULL: by the waker */
	int64_t		wake_ts;
	int64_t		waited, preempted;	/* preempted: part of waited */
	bool		doubtful;
};
unsigned int sched_cause_chain(struct sched *sched, uint32_t task, int64_t ts,
			       struct sched_link *links, unsigned int max);

/* Softirqs do not interrupt the tasks whose work they are. */
bool sched_serves_softirqs(const struct sched *sched, uint32_t task, int64_t ts);
#endif
