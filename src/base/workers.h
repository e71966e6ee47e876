/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_WORKERS_H
#define FTOP_SRC_BASE_WORKERS_H
/*
 * workers - a pool of threads that run jobs by priority, report progress, and stop when their
 * generation is cancelled.  Jobs read immutable input and publish their results with an atomic
 * store.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum worker_priority { WORKER_VISIBLE, WORKER_REQUESTED, WORKER_BACKGROUND };

struct workers;

/*
 * @nr: threads; 0 = one fewer than the CPUs this process may run on, at least 1.  Signals are
 * blocked in them.
 */
struct workers *workers_new(unsigned int nr);
/* cancels queued jobs, waits for running ones; NULL is allowed */
void workers_free(struct workers *workers);
unsigned int workers_nr(const struct workers *workers);
/* CPUs this process may run on: a good number of workers if no screen needs one */
unsigned int workers_cpus(void);

/* A group of jobs that are cancelled and waited for together.  Zero it before use. */
struct worker_group {
	atomic_uint	generation;	/* workers_cancel() increments it: a job compares it with
					 * its own */
	atomic_uint	pending;	/* jobs queued or running */
};

/**
 * workers_add() - queue a job
 * @run: called in a worker with @arg and the number of the worker, 0..workers_nr()-1; it should
 *        check workers_cancelled() every few µs of work.  Called with cancelled == true (and must
 *        then only clean up) if the
 *       group was cancelled before it began.
 */
void workers_add(struct workers *workers, struct worker_group *group, enum worker_priority priority,
		 void (*run)(void *arg, unsigned int worker, bool cancelled), void *arg);
void workers_cancel(struct worker_group *group);
/*
 * Wait until pending is 0.  Queued jobs of a cancelled group are called (cancelled, worker 0) in
 * this thread, so do not hold a lock that they take.
 */
void workers_wait(struct workers *workers, struct worker_group *group);
bool workers_idle(const struct workers *workers);	/* no job is queued or running */
static inline bool workers_cancelled(const struct worker_group *group, unsigned int generation)
{
	return atomic_load_explicit(&group->generation, memory_order_relaxed) != generation;
}

/* A clock to measure jobs and slices of work: ns since an arbitrary moment. */
int64_t workers_now_ns(void);
/* CPU time of this process, in ns: none while it is stopped, or waits for a CPU. */
int64_t workers_cpu_ns(void);

/*
 * A descriptor for the main loop's poll: it becomes readable when a job ends; workers_acknowledge()
 * empties it.
 */
int workers_fd(const struct workers *workers);
void workers_acknowledge(struct workers *workers);
#endif
