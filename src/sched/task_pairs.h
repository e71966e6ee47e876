/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TASK_PAIRS_H
#define FTOP_SRC_SCHED_TASK_PAIRS_H
/*
 * task_pairs - who preempted whom and who woke whom: how often, and how long the task then waited
 * to run.  Who was not preempted, since it was not allowed to run or gave its CPU away, is listed
 * with that reason.
 *
 * A wait counts if it began in the range and ended with a run that the filters keep.  One whose end
 * is missing is doubtful.  The listener of a sched_pass passes on the changes.
 */
#include "src/sched/sched_pass.h"

enum task_pair_kind {
	TASK_PREEMPTED_BY,		/* it left the CPU although it was runnable; who came */
	TASK_WOKEN_BY,
};
#define TASK_PAIR_KINDS	2

/* In place of the task that woke: the enum sched_context that interrupted one. */
#define TASK_BY(context)	(SCHED_IDLE_TASK - (context))
/* Nobody preempted it: a limit kept it from running, or it gave the CPU away. */
#define TASK_BY_LIMIT	(UINT32_MAX - 6)
#define TASK_BY_YIELD	(UINT32_MAX - 7)
#define TASK_BY_FIRST	TASK_BY_YIELD	/* of all these; below are tasks */

struct task_pair {
	uint32_t	task, pid;	/* who waited: its number in the rules, and its pid */
	uint32_t	by;		/* who came or woke: a task's number, SCHED_IDLE_TASK,
					 * SCHED_NO_TASK, or TASK_BY_* */
	uint32_t	by_pid;		/* a task's pid; else 0 */
	uint64_t	count;		/* waits; like total and max, without the doubtful ones */
	uint64_t	doubtful;	/* doubtful waits, and those whose end is missing */
	int64_t		total, max;	/* sum and longest of the waits, in the clock's unit */
	int64_t		max_ts;		/* where the longest began */
	bool		late;		/* some waited for longer: sched_change.late */
	bool		no_context;	/* whether the task or an interrupt on top woke it */
};

struct task_pairs;			/* opaque */

/* @options: range, CPUs and filters; borrowed. */
struct task_pairs *task_pairs_new(const struct sched_pass_options *options);
void task_pairs_free(struct task_pairs *pairs);		/* NULL is allowed */
/* It begins with who caused the last waits in another one, and with its sums. */
void task_pairs_follow(struct task_pairs *pairs, const struct task_pairs *former);
void task_pairs_clear(struct task_pairs *pairs);		/* the pass begins again */

/* As sched_pass_turn() and sched_pass_forget(); the next ones are of the range of @options. */
void task_pairs_turn(struct task_pairs *pairs, const struct time_slices *slices);
void task_pairs_forget(struct task_pairs *pairs, uint32_t nr);

/* A change of the state of a task. */
void task_pairs_take(struct task_pairs *pairs, const struct sched_pass *pass, uint32_t task,
		     const struct sched_change *change);

/* An array of all pairs, for the caller to free: the largest total first, then by pids. */
struct task_pair *task_pairs_sorted(const struct task_pairs *pairs, enum task_pair_kind kind,
				    uint32_t *nr);

static inline bool task_pair_by_task(const struct task_pair *pair)
{
	return pair->by < TASK_BY_FIRST || pair->by == SCHED_IDLE_TASK;
}

/* Who made a change to SCHED_WAITS: a task, or TASK_BY(). */
uint32_t task_pairs_waker(const struct sched_change *change);
/* "softirq", …; NULL: it is a task. */
const char *task_pairs_kind(uint32_t by);

/* The last name of who came or woke, "softirq", …; raw bytes that live as long as the pass. */
const char *task_pair_by_comm(const struct sched_pass *pass, const struct task_pair *pair);
#endif
