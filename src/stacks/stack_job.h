/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_STACK_JOB_H
#define FTOP_SRC_STACKS_STACK_JOB_H
/* stack_job - the stacks of waits by a worker, in slices, for the screen. */
#include "src/stacks/wait_stacks.h"

struct stack_job;			/* opaque */

/* @options: file, range and filters; what they borrow must outlive the job.  Main thread. */
struct stack_job *stack_job_new(struct trace *trace, const struct sched_pass_options *options);
void stack_job_free(struct stack_job *job);	/* stops the worker; NULL is allowed */

/* Once all is counted, for wait_stacks_free(); NULL: not yet, or taken. */
struct wait_stacks *stack_job_take(struct stack_job *job);
#endif
