/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_RUN_QUEUE_H
#define FTOP_SRC_SCHED_RUN_QUEUE_H
/*
 * run_queue - how many tasks wait for each CPU, and how long it idles while two or more wait for
 * another one.
 *
 * A task waits for its last CPU (rule 4 of sched_rules.c), from the record that says so to the one
 * that ends this.  The task that runs does not wait.  What waits for a CPU is known from its first
 * record on, except where it lost events.  It is doubtful while another CPU loses events: it counts
 * then, but no maximum is there.
 */
#include "src/sched/sched_pass.h"

struct run_queue_place {
	int64_t		from, length;
};

struct run_queue_sums {			/* of a CPU, in the clock's unit */
	int64_t		known, doubtful;	/* doubtful: part of known */
	int64_t		waited;		/* by all tasks together; divided by known: the mean */
	uint32_t	most;		/* tasks that waited at once */
	struct run_queue_place most_at;	/* the first time */
	int64_t		spare;		/* it idled, while two or more waited for another CPU */
	struct run_queue_place spare_at;	/* the longest of these times */
};

struct run_queue;			/* opaque */

/* @range: only what is in it. */
struct run_queue *run_queue_new(const struct time_range *range);
void run_queue_free(struct run_queue *queue);	/* NULL is allowed */
/* A pass begins, again: for sched_pass_options.begun. */
void run_queue_begin(struct run_queue *queue, const struct sched_pass *pass);

/* For a listener's functions of the same names, see sched_rules.h. */
void run_queue_task(struct run_queue *queue, uint32_t task, const struct sched_change *change);
void run_queue_cpu(struct run_queue *queue, unsigned int cpu, const struct sched_change *change);
void run_queue_moved(struct run_queue *queue, uint32_t task, int32_t cpu, int64_t ts);
void run_queue_cut(struct run_queue *queue, unsigned int cpu, int64_t ts);

void run_queue_end(struct run_queue *queue, int64_t ts);	/* at the buffer's last stamp */
/* of a CPU, by its index; before run_queue_end(): so far */
const struct run_queue_sums *run_queue_sums(const struct run_queue *queue, unsigned int cpu);
#endif
