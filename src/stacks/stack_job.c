/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/stacks/stack_job.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/base/workers.h"

#define RECORDS_PER_JOB	20000u		/* others get their turn in between */

struct stack_job {
	struct trace	*trace;		/* borrowed */
	struct worker_group group;
	struct sched_listener listener;
	struct sched_pass_options options;
	atomic_bool	 stopped, done;
	struct sched_pass *pass;	/* owned */
	struct wait_stacks *waits;	/* owned; the worker's until it is done */
};

static void on_begun(void *arg, const struct sched_pass *pass)
{
	wait_stacks_begun(((struct stack_job *)arg)->waits, pass);
}

static void on_task(void *arg, uint32_t task, const struct sched_change *change)
{
	wait_stacks_take(((struct stack_job *)arg)->waits, task, change);
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *change)
{
	(void)arg, (void)cpu, (void)change;
}

static void count(void *arg, unsigned int worker, bool cancelled)
{
	struct stack_job *job = arg;
	enum sched_pass_state state;

	(void)worker;
	if (cancelled)
		return;
	state = sched_pass_step(job->pass, RECORDS_PER_JOB);
	if (state == SCHED_PASS_MORE) {
		workers_add(trace_workers(job->trace), &job->group, WORKER_REQUESTED, count, job);
	} else if (state != SCHED_PASS_STOPPED) {
		wait_stacks_end(job->waits);
		atomic_store(&job->done, true);
	}
}

struct stack_job *stack_job_new(struct trace *trace, const struct sched_pass_options *options)
{
	struct stack_job *job = mem_alloc(sizeof(*job));

	job->trace = trace;
	job->listener = (struct sched_listener){ .task = on_task, .cpu = on_cpu, .arg = job };
	job->options = *options;
	job->options.listener = &job->listener;
	job->options.begun = on_begun;
	job->options.workers = trace_workers(trace);
	job->options.stopped = &job->stopped;
	job->waits = wait_stacks_new(&(struct wait_stacks_options){ .trace = trace,
								    .pass = &job->options });
	job->pass = sched_pass_new(trace, &job->options);
	workers_add(trace_workers(trace), &job->group, WORKER_REQUESTED, count, job);
	return job;
}

void stack_job_free(struct stack_job *job)
{
	if (!job)
		return;
	atomic_store(&job->stopped, true);
	workers_cancel(&job->group);
	workers_wait(trace_workers(job->trace), &job->group);
	sched_pass_free(job->pass);
	wait_stacks_free(job->waits);
	free(job);
}

struct wait_stacks *stack_job_take(struct stack_job *job)
{
	struct wait_stacks *waits = atomic_load(&job->done) ? job->waits : NULL;

	if (waits)
		job->waits = NULL;
	return waits;
}
