/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_RUN_QUEUE_H
#define FTOP_SRC_SCHED_RUN_QUEUE_H
/*
 * run_queue - how many tasks wait for each CPU, and how long a CPU idles while two or more tasks
 * wait for another one.
 *
 * A task waits for the CPU that it left, or to which a sched_wakeup or a migration sends it.  From
 * its sched_waking to its sched_wakeup it waits for the CPU that the latter names; without one, for
 * that on which it then runs, which is a guess.  Its wait begins with the record that says so (a
 * wake-up, a preemption) and ends with the record that says otherwise.  A running task does not
 * wait.  The number of waiting tasks is known from the CPU's first record on, except where
 * this CPU lost events.  The number is doubtful while another CPU loses events: it still counts for
 * the mean, but not for a maximum.
 */
#include "src/sched/sched_pass.h"

struct run_queue_place {
	int64_t		from, length;
};

struct run_queue_sums {			/* a CPU's sums, in the clock's unit */
	int64_t		known, doubtful;	/* doubtful is a part of known */
	int64_t		waited;		/* sum over all tasks; the mean length is waited / known */
	uint32_t	most;		/* the most tasks that waited at once */
	struct run_queue_place most_at;	/* the first time that this many waited */
	int64_t		spare;		/* it idled while two or more waited for another CPU */
	struct run_queue_place spare_at;	/* the longest of these times */
	/* Of all CPUs, waits for one that no record names, and waits that ended on another CPU than
	 * they were for, though no record tells of a move: then only sums of all CPUs are sure */
	int64_t		guessed;
};

struct run_queue;			/* opaque */

/* @range: only what is in it. */
struct run_queue *run_queue_new(const struct time_range *range);
void run_queue_free(struct run_queue *queue);	/* NULL is allowed */
/* As sched_pass_turn() and sched_pass_forget() */
void run_queue_turn(struct run_queue *queue, const struct time_slices *slices,
		    const struct time_range *range);
void run_queue_forget(struct run_queue *queue, uint32_t nr);
/* A queue that goes on where another one is, with its sums, and with a fork of its pass. */
struct run_queue *run_queue_fork(const struct run_queue *from, const struct time_range *range);
void run_queue_use(struct run_queue *queue, const struct sched_pass *pass);	/* that fork */
/* For sched_pass and sched_rules, see struct sched_listener: a pass begins, again; what changes. */
void run_queue_begin(struct run_queue *queue, const struct sched_pass *pass);
void run_queue_task(struct run_queue *queue, uint32_t task, const struct sched_change *change);
void run_queue_cpu(struct run_queue *queue, unsigned int cpu, const struct sched_change *change);
void run_queue_moved(struct run_queue *queue, uint32_t task, int32_t cpu, int64_t ts);
/* @doubts: what is lost there may be of tasks of other CPUs. */
void run_queue_cut(struct run_queue *queue, unsigned int cpu, int64_t ts, bool doubts);

void run_queue_end(struct run_queue *queue, int64_t ts);	/* at the buffer's last stamp */
/* The sums of a CPU, by its index.  Before run_queue_end(): the sums so far. */
struct run_queue_sums run_queue_sums(const struct run_queue *queue, unsigned int cpu);
#endif
