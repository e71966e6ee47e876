/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_CPUS_H
#define FTOP_RECORDER_PLAN_PLAN_CPUS_H
/*
 * plan_cpus - the CPUs to record, from --cpu and -M, for the buffer that options currently apply
 * to.
 */
#include "recorder/plan/record_plan.h"

/* Adds mistakes to @plan. */
void plan_cpus_list(struct record_plan *plan, const char *value);	/* "2,4-7" */
/* "-1", "f", "0xf", "f,80000001" */
void plan_cpus_mask(struct record_plan *plan, const char *value);
/* Append the mask as the kernel takes it: "3,80000001", 32 CPUs each.  @cpus: [nr_cpus] */
void plan_cpus_text(const struct record_plan *plan, const bool *cpus, struct text *mask);
#endif
