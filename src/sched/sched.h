/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_H
#define FTOP_SRC_SCHED_SCHED_H
/*
 * sched - the model of the timeline: when and where tasks ran, waited and slept.
 *
 * One buffer of one file. A worker reads the buffer once (sched_pass.h). For each CPU and task it
 * stores changes of state in a pyramid (pyramid.h), some ten bytes each. Drawing any window then
 * costs only its columns.
 *
 * The model grows from the beginning of the trace, and with a trace that grows.  Read it between
 * sched_lock() and sched_unlock(), which block the worker.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/pyramid.h"
#include "src/sched/sched_pass.h"
#include "src/sched/sched_source.h"
#include "src/trace/trace.h"

struct sched;				/* opaque */

/* Kinds of the states of a CPU. */
enum sched_cpu_kind {
	SCHED_CPU_UNKNOWN,
	SCHED_CPU_RUNS,			/* arg: task; again: continues into a stretch */
	SCHED_CPU_IDLE,
	SCHED_CPU_LOST,			/* events were lost here; arg: 0, or: */
};
#define SCHED_CPU_MISSING 2u		/* only a switch is missing */
#define SCHED_CPU_DROPPED 1u		/* a ring dropped what is before the CPU's first record */

/*
 * Contexts that interrupt a CPU are enum sched_context.  arg: see sched_source_of(); again:
 * continues after an interruption.  A doubtful TASK is an interrupt whose entry is missing.
 */

/*
 * States of a task are enum sched_state.  arg of RUNS: index of the CPU; again: continues after the
 * start of a stretch.  arg of WAITS: see sched_waker(); of other states, the low 16 bits of
 * prev_state.  An unknown state is SCHED_UNKNOWN if records contradict each other, and this one
 * if events were lost (arg: index of the CPU).  Sums count doubtful states (pyramid_state.doubtful)
 * as this one, too: pictures show both as lost.
 */
#define SCHED_TASK_LOST		((unsigned int)SCHED_STATES_NR)
_Static_assert(SCHED_TASK_LOST == PYRAMID_DOUBT, "doubtful states count as lost");
/* Moments in a task's life, stored as kinds of pyramids whose times have no meaning. */
enum sched_mark {
	SCHED_MARK_NONE,
	SCHED_MARK_WOKE,		/* arg: the task woken; kept apart, in sched_wakes() */
	SCHED_MARK_MIGRATED,		/* arg: index of the CPU + 1; 0 = not in this trace */
	SCHED_MARK_FORKED,		/* arg: the child */
	SCHED_MARK_EXEC,
	SCHED_MARK_CREATED,		/* by a fork */
	SCHED_MARK_PRIO,		/* by sched_pi_setprio; arg: the new priority */
};

/*
 * Moments at which a waiting task leaves a queue, in sched_queues(), apart from other moments.  One
 * without any of them in a wait stood in the queue of the CPU where it then ran.
 */
enum sched_queue_kind {
	SCHED_QUEUE_NONE,
	SCHED_QUEUE_LEFT,		/* it moves; arg: index of the CPU whose queue it leaves;
					 * beyond the last one: one without records, or not known:
					 * its sched_waking names another CPU than its
					 * sched_wakeup */
	SCHED_QUEUE_ASTRAY,		/* it runs, though no record tells that it went to the queue
					 * of this CPU; arg: 1: it stood in that of another one; 0:
					 * none is known */
};

/* A task's waits for locks, as far as they were recorded; arg: index of the CPU of the record. */
enum sched_lock_kind {
	SCHED_LOCK_NONE,
	SCHED_LOCK_WAITS,
	SCHED_LOCK_MAYBE,		/* in a futex call that need not be for a lock */
};

enum sched_limit_kind {			/* kinds of sched_limits() */
	SCHED_NOT_LIMITED,		/* any more; arg: 1: what ends is recorded, not inferred */
	SCHED_THROTTLED,
	SCHED_YIELDS,			/* it waits since a sched_yield */
	SCHED_FROZEN,			/* asleep, with its cgroup; arg: see sched_frozen() */
};

/**
 * sched_new() - start building the model
 * @memory_bytes: stop storing changes at this limit; 0 = a quarter of this machine's memory
 *
 * Returns at once; the trace's workers build the model.
 */
struct sched *sched_new(struct trace *trace, unsigned int file, uint64_t memory_bytes);
void sched_free(struct sched *sched);	/* NULL is allowed; close the trace later */
void sched_wait(struct sched *sched);	/* waits until the model is complete */
/**
 * sched_grow() - go on, since the trace has grown
 * @from: the model is needed from this time on, even if a ring has dropped that; SCHED_IN_TRACE:
 *        it is to have what the trace has, as a new model would
 *
 * The workers go on.  Meanwhile `done` stays, and `known` moves.  Once a ring has dropped records,
 * what is neither needed nor in the trace is forgotten, so that memory does not grow.
 *
 * Return: false if this model cannot go on: then a new one is needed.
 */
#define SCHED_IN_TRACE	INT64_MAX
bool sched_grow(struct sched *sched, int64_t from);

struct sched_progress {
	bool		done;
	bool		failed;		/* too many tasks: the model is unreliable */
	bool		full;		/* out of memory: changes after `known` are not stored */
	bool		outlived;	/* has states that a ring has dropped */
	bool		stale;		/* what was appended shows that some was wrong: take a new
					 * model */
	unsigned int	permille;
	int64_t		known;		/* everything before this time is known */
	uint64_t	memory;		/* bytes of the pyramids */
};
struct sched_progress sched_progress(const struct sched *sched);	/* any time, no lock */

void sched_lock(struct sched *sched);	/* delays the worker; not recursive */
void sched_unlock(struct sched *sched);

/* --- under the lock -------------------------------------------------------- */
struct trace *sched_trace(const struct sched *sched);
unsigned int sched_file(const struct sched *sched);
/* names, sums, CPUs, what was recorded */
const struct sched_pass *sched_pass_of(const struct sched *sched);

/* First and last time that are known, so far; false if there are no records. */
bool sched_span(const struct sched *sched, int64_t *first, int64_t *last);
int64_t sched_end(const struct sched *sched);		/* end of the last states so far */

/* CPUs of the buffer; pyramids are borrowed until sched_unlock() */
unsigned int sched_nr_cpus(const struct sched *sched);
/* What ran on the CPU with this index. */
const struct pyramid *sched_cpu(const struct sched *sched, unsigned int cpu);
/* What interrupted it. */
const struct pyramid *sched_contexts(const struct sched *sched, unsigned int cpu);
/* Its idle states: kind 1: idle, arg: the state. */
const struct pyramid *sched_idle(const struct sched *sched, unsigned int cpu);
/* Index of a CPU number; -1: none. */
int sched_cpu_index(const struct sched *sched, int cpu);

/* those with changes; other tasks' pyramids are empty: */
uint32_t sched_nr_tasks(const struct sched *sched);
const struct pyramid *sched_task(const struct sched *sched, uint32_t task);
/* wakeups made by the task */
const struct pyramid *sched_wakes(const struct sched *sched, uint32_t task);
/* all other moments */
const struct pyramid *sched_marks(const struct sched *sched, uint32_t task);
/* which queues it left while it waited, see enum sched_queue_kind */
const struct pyramid *sched_queues(const struct sched *sched, uint32_t task);
/* its waits for locks, see enum sched_lock_kind */
const struct pyramid *sched_locks(const struct sched *sched, uint32_t task);
/* when it was throttled, or had given its CPU away; arg: see sched_limits_text(); or frozen */
const struct pyramid *sched_limits(const struct sched *sched, uint32_t task);
/* Was this sleep of a task that of a frozen cgroup?  Its path, raw bytes, or NULL. */
const char *sched_frozen(const struct sched *sched, uint32_t task,
			 const struct pyramid_state *sleep);
/* The name that a task had at a time: interned. */
const char *sched_comm(const struct sched *sched, uint32_t task, int64_t ts);
/* Which name of a task: of a moment, that of then; of a sum, the last one, as lists of tasks. */
enum sched_naming {
	SCHED_THEN,			/* "backup-12" */
	SCHED_THEN_NOW,			/* "server-12 (now backup)", if both differ */
	SCHED_LAST,			/* "backup-12" */
	SCHED_LAST_WAS,			/* "backup-12 (was server)" */
};
/*
 * Append "comm-pid", raw bytes of the trace; of the recorder's tasks, THEN_NOW and LAST_WAS add
 * TRACE_OWN.  @ts: then; of a sum, a time that it has.
 */
void sched_task_text(const struct sched *sched, uint32_t task, int64_t ts, enum sched_naming naming,
		     struct text *out);
/* Was the task created in the trace, before all that it did there?  Sets *ts: when. */
bool sched_created(const struct sched *sched, uint32_t task, int64_t *ts);
/* What interrupted a CPU, by the arg of its context. */
const struct sched_source *sched_source_of(const struct sched *sched, uint32_t arg);
/* Which task ran where a task was woken, by the arg of its WAITS. */
uint32_t sched_waker(const struct sched *sched, uint32_t arg);
/*
 * What woke it there, if it was woken in an interrupt, or by an idle CPU: the innermost interrupt
 * or timer of that moment.  NULL: the waker itself woke it.
 */
const struct sched_source *sched_wake_source(const struct sched *sched, uint32_t arg);
/* Was it woken before that was recorded? */
bool sched_wake_late(const struct sched *sched, uint32_t arg);
bool sched_has_contexts(const struct sched *sched);	/* was any interrupt recorded? */
#endif
