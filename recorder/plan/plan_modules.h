/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_MODULES_H
#define FTOP_RECORDER_PLAN_PLAN_MODULES_H
/*
 * plan_modules - -e ':mod:NAME': events of a module, which the kernel finds since Linux 6.14.  No
 * list says which module an event is of.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

#define PLAN_MODULE	":mod:"		/* between the events and the module */

/* Checks such an event, and writes the module's name as the kernel has it, with '_' for '-'. */
void plan_modules_check(struct record_plan *plan, struct plan_event *event,
			const struct tracefs_dir *root);

/* Has a buffer such events? */
bool plan_modules_have(const struct plan_buffer *b);
#endif
