/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_MONITORS_H
#define FTOP_RECORDER_PLAN_PLAN_MONITORS_H
/* plan_monitors - --monitor: monitors of runtime verification, and the events that they have. */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

void plan_monitors_list(struct record_plan *plan, const char *value);	/* "wwnr,sched:sco" */

/* Sets plan->enabled_monitors; adds mistakes to @plan. */
void plan_monitors_check(struct record_plan *plan, const struct tracefs_dir *root);

/* After the check: is it an event of the plan's monitors? */
bool plan_monitors_have(const struct record_plan *plan, const struct plan_catalog_event *event);
#endif
