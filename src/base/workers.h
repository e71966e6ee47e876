/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WORKERS_H
#define FTOP_SRC_WORKERS_H
/*
 * workers - a pool of threads that take jobs by priority, report progress and
 * stop when their generation is cancelled.  Jobs see immutable input and publish
 * what they finished with an atomic store.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum worker_priority { WORKER_VISIBLE, WORKER_REQUESTED, WORKER_BACKGROUND };

struct workers;

/* @nr: threads; 0 = one fewer than the CPUs this process may run on, at least 1.  Signals are blocked in them. */
struct workers *workers_new(unsigned int nr);
void workers_free(struct workers *workers);	/* cancels what waits, waits for what runs; NULL is allowed */
unsigned int workers_nr(const struct workers *workers);
unsigned int workers_cpus(void);	/* CPUs this process may run on: as many workers where no screen waits for one of them */

/* A group of jobs that is cancelled and waited for together.  Zero it before use. */
struct worker_group {
	atomic_uint	generation;	/* workers_cancel() adds one: jobs compare it with the one they began under */
	atomic_uint	pending;	/* jobs queued or running */
};

/**
 * workers_add() - queue a job
 * @run: called in a worker with @arg and the number of the worker, 0..workers_nr()-1; it should poll
 *       workers_cancelled() every few µs of work.  Called with cancelled == true (and must then only clean up) if the
 *       group was cancelled before it began.
 */
void workers_add(struct workers *workers, struct worker_group *group, enum worker_priority priority,
		 void (*run)(void *arg, unsigned int worker, bool cancelled), void *arg);
void workers_cancel(struct worker_group *group);
/* Until pending is 0.  Queued jobs of a cancelled group are called (cancelled, worker 0) in this thread: hold no lock of theirs. */
void workers_wait(struct workers *workers, struct worker_group *group);
static inline bool workers_cancelled(const struct worker_group *group, unsigned int generation)
{
	return atomic_load_explicit(&group->generation, memory_order_relaxed) != generation;
}

/* A clock for how long jobs and slices of work take: ns since some moment. */
int64_t workers_now_ns(void);

/* A file descriptor that becomes readable when a job ends, for the main loop's poll; read it empty with workers_acknowledge(). */
int workers_fd(const struct workers *workers);
void workers_acknowledge(struct workers *workers);
#endif
