/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_LIMITS_H
#define FTOP_RECORDER_PLAN_PLAN_LIMITS_H
/* plan_limits - what is to be recorded of the limits of cgroups. */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

#define PLAN_LIMITS_SYSTEM	"limits"

/*
 * The filter of timer:hrtimer_expire_entry that keeps the timers of limits alone: they expire once
 * in the period of each cgroup that has one, most often ten times a second, and of each deadline
 * task that used up its budget, and show when tasks were throttled (src/sched/limits).  NULL: this
 * kernel has no limits of cgroups.  The plan's.
 */
const char *plan_limits_filter(struct record_plan *plan);

/*
 * The probes that tell when a group is throttled on a CPU, and no longer, as far as this kernel can
 * have them: plan->limit_probes.  They are left out if the kernel refuses them later.
 *
 *	limits:throttle_group	the tasks of a group, by the kernel's number of it, are throttled
 *				on a CPU, by its own limit or by one of a group above
 *	limits:unthrottle_group	and no longer; begin and end may be nested
 *	limits:throttle_task	Linux 6.18 and later: the task on this CPU returns to user space
 *				in a throttled group, and leaves the CPU.  Up to then it may run
 */
void plan_limits_find_probes(struct record_plan *plan, const struct tracefs_dir *root);
#endif
