/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_USER_EVENTS_H
#define FTOP_RECORDER_PLAN_PLAN_USER_EVENTS_H
/*
 * plan_user_events - events that programs may register while a recording runs.
 * Source: Documentation/trace/user_events.rst.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

#define PLAN_USER_EVENTS_SYSTEMS	2u
/* "user_events" and "user_events_multi"; names in the second one end with ".ID" */
extern const char *const plan_user_events_systems[PLAN_USER_EVENTS_SYSTEMS];

/* May a pattern of -e mean events of these systems that do not exist yet?  @root: of this kernel */
bool plan_user_events_expects(const char *pattern, const struct tracefs_dir *root);
/* Does an -e of the buffer name these systems, or all? */
bool plan_user_events_may_come(const struct plan_buffer *buffer);
/* Does the buffer record this one? */
bool plan_user_events_take(const struct plan_buffer *buffer,
			   const struct plan_catalog_event *event);
#endif
