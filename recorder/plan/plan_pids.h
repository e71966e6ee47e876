/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PIDS_H
#define FTOP_RECORDER_PLAN_PIDS_H
/*
 * plan_pids - the tasks that -P names: whether they are there, and whether all of their process is meant.
 */
#include "recorder/plan/record_plan.h"

/* "12,34"; what is no list is a mistake of @plan. */
void plan_pids_add(struct record_plan *plan, const char *value);

/* Mistakes and notes go to @plan. */
void plan_pids_check(struct record_plan *plan);

/* One that waits for its parent to ask after it does nothing any more. */
bool plan_pids_alive(const char *pid);
#endif
