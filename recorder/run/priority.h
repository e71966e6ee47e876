/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_PRIORITY_H
#define FTOP_RECORDER_RUN_PRIORITY_H
/* priority - gives tasks the policy and priority of --measure=prio=... */
#include <sys/types.h>

#include "recorder/plan/record_plan.h"

/* @tid: 0 is the calling thread.  Return: 0, or -1 with errno. */
int priority_set(pid_t tid, const struct plan_priority *priority);

/*
 * Set it for the kernel's threads of a tracer, timerlat/N or osnoise/N; they run from when the
 * tracer is set until it is not.  @proc: "/proc", except in tests
 */
int priority_set_threads(const char *tracer, const char *proc, const struct plan_priority *priority,
			 struct ft_error *err);
#endif
