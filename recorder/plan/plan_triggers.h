/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_TRIGGERS_H
#define FTOP_RECORDER_PLAN_PLAN_TRIGGERS_H
/*
 * plan_triggers - compares the triggers given by -R with those of this kernel, which are listed in
 * the trigger file of an event without triggers.  The kernel checks their arguments.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* @system, @name: an event that matches @event's pattern.  Adds mistakes to @plan. */
void plan_triggers_check(struct record_plan *plan, const struct plan_event *event,
			 const char *system, const char *name, const struct tracefs_dir *root);
#endif
