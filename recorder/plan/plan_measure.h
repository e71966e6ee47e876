/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_MEASURE_H
#define FTOP_RECORDER_PLAN_PLAN_MEASURE_H
/*
 * plan_measure - how the tracers timerlat, osnoise and hwlat measure (--measure): the keys of
 * src/recording/measure_keys.h, with their values.
 */
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* Add "period=100us,cpus=0,2-3"; anything but known keys with their values is a mistake. */
void plan_measure_add(struct record_plan *plan, const char *text);

/* Which key each name means depends on the tracers.  Adds mistakes about the kernel's limits. */
void plan_measure_check(struct record_plan *plan, const struct tracefs_dir *root);

/* What is given for this file, or with this name; NULL: nothing. */
const struct plan_measure *plan_measure_of(const struct record_plan *plan, const char *file);
const struct plan_measure *plan_measure_named(const struct record_plan *plan, const char *name);

/* Parse "f:95", "r:1", "o:-5" or "d:100us:1ms", as rtla has it. */
bool plan_measure_priority(const char *text, struct plan_priority *priority);
#endif
