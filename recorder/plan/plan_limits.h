/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_LIMITS_H
#define FTOP_RECORDER_PLAN_PLAN_LIMITS_H
/* plan_limits - what is to be recorded of the limits of cgroups. */
#include "recorder/plan/record_plan.h"

/*
 * The filter of timer:hrtimer_expire_entry that keeps the timers of limits alone: they expire once
 * in the period of each cgroup that has one, most often ten times a second, and of each deadline
 * task that used up its budget, and show when tasks were throttled (src/sched/sched_limits.h).
 * NULL: this kernel has no limits of cgroups.  The plan's.
 */
const char *plan_limits_filter(struct record_plan *plan);
#endif
