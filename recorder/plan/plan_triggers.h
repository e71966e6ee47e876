/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_TRIGGERS_H
#define FTOP_RECORDER_PLAN_TRIGGERS_H
/*
 * plan_triggers - what -R names, compared with the triggers that this kernel has: the file of an event without one
 * lists them. Their arguments are the kernel's to judge.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* @system, @name: of an event that matches @event's pattern.  Mistakes go to @plan. */
void plan_triggers_check(struct record_plan *plan, const struct plan_event *event, const char *system, const char *name,
			 const struct tracefs_dir *root);
#endif
