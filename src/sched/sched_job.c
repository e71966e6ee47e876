/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/sched_job.h"

#include <stddef.h>

static void run(void *arg, unsigned int worker, bool cancelled)
{
	struct sched_job *job = arg;

	(void)worker;
	if (!cancelled && !atomic_load(&job->stopped) && job->piece(job->arg))
		workers_add(job->workers, &job->group, WORKER_REQUESTED, run, job);
}

void sched_job_start(struct sched_job *job, struct workers *workers, bool (*piece)(void *arg),
		     void *arg)
{
	job->workers = workers;
	job->piece = piece;
	job->arg = arg;
	atomic_store(&job->stopped, false);
	workers_add(workers, &job->group, WORKER_REQUESTED, run, job);
}

void sched_job_wait(struct sched_job *job)
{
	if (job->workers)
		workers_wait(job->workers, &job->group);
}

void sched_job_stop(struct sched_job *job)
{
	atomic_store(&job->stopped, true);
	workers_cancel(&job->group);
	sched_job_wait(job);
}

void *sched_job_publish(struct sched_job *job, void *results)
{
	void *former = atomic_exchange(&job->ready, results);

	atomic_store(&job->wanted, false);
	return former;
}

void *sched_job_take(struct sched_job *job)
{
	void *results = atomic_exchange(&job->ready, NULL);

	if (results)
		atomic_store(&job->wanted, true);
	return results;
}
