/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_BUFFERS_H
#define FTOP_RECORDER_PLAN_PLAN_BUFFERS_H
/*
 * plan_buffers - checks the names given by -B: can an instance have the name, and is it still free?
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* Adds mistakes to @plan. */
void plan_buffers_check(struct record_plan *plan, const struct tracefs_dir *root);
#endif
