/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_JOB_H
#define FTOP_SRC_SCHED_SCHED_JOB_H
/*
 * sched_job - reads a pass (sched_pass.h) in a worker, a piece at a time, so that other jobs run in
 * between.  The owner has it as a member, zeroed, and its pass takes .stopped.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include "src/base/workers.h"

struct sched_job {
	struct workers	*workers;
	struct worker_group group;
	bool		(*piece)(void *arg);
	void		*arg;
	atomic_bool	 stopped;
	_Atomic(void *)	 ready;		/* results that nobody has taken yet, or NULL */
	atomic_bool	 wanted;	/* the last ones were taken */
};

/*
 * @piece: called in a worker again and again until it returns false, but not once the job is
 * stopped.  A job that has ended, or was stopped, may be started again.
 */
void sched_job_start(struct sched_job *job, struct workers *workers, bool (*piece)(void *arg),
		     void *arg);
void sched_job_wait(struct sched_job *job);	/* until it has ended; never started: returns */
void sched_job_stop(struct sched_job *job);

/* Results for the owner's thread.  Return: those that it has not taken, to be freed; or NULL. */
void *sched_job_publish(struct sched_job *job, void *results);
void *sched_job_take(struct sched_job *job);	/* NULL: there are no new ones */
#endif
