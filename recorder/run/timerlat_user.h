/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_TIMERLAT_USER_H
#define FTOP_RECORDER_RUN_TIMERLAT_USER_H
/*
 * timerlat_user - processes that timerlat wakes instead of threads of the kernel
 * (--measure=user): one for each CPU, which reads osnoise/per_cpu/cpuN/timerlat_fd again and again.
 * They end with the recorder, and the kernel kills them when the tracer ends.
 */
#include <sys/types.h>

#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/await.h"

struct timerlat_user {
	pid_t		*pids;		/* owned, [nr] */
	unsigned int	*cpus;		/* owned, [nr]: of each */
	unsigned int	 nr;
	const struct await *await;	/* how long they are waited for; borrowed */
};

/*
 * Start them on the CPUs of osnoise/cpus that are online: when the tracer is set, and before
 * tracing is on.  @priority: NULL is SCHED_FIFO 95, as the kernel's threads have it.  Call
 * timerlat_user_end() also after a failure.
 */
int timerlat_user_start(struct timerlat_user *user, const struct tracefs_dir *root,
			unsigned int nr_cpus, const struct plan_priority *priority,
			const struct await *await, struct ft_error *err);

/*
 * @notes: receives a line for each that has ended by itself (its CPU was not measured since), or
 * cannot be ended
 */
void timerlat_user_end(struct timerlat_user *user, struct text *notes);
#endif
