/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_BUFFERS_H
#define FTOP_RECORDER_PLAN_BUFFERS_H
/*
 * plan_buffers - the names that -B gives: whether an instance can have them, and none has them yet.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* Mistakes go to @plan. */
void plan_buffers_check(struct record_plan *plan, const struct tracefs_dir *root);
#endif
