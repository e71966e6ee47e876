/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_PIDS_H
#define FTOP_RECORDER_PLAN_PLAN_PIDS_H
/* plan_pids - the tasks given by -P: do they exist, and does a process have further threads? */
#include "recorder/plan/record_plan.h"

/* Add "12,34"; anything but a list is a mistake of @plan. */
void plan_pids_add(struct record_plan *plan, const char *value);

/* Adds mistakes and notes to @plan. */
void plan_pids_check(struct record_plan *plan);

/* Is the task alive?  A zombie, which waits for its parent, is not. */
bool plan_pids_alive(const char *pid);
#endif
