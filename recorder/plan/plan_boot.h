/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_BOOT_H
#define FTOP_RECORDER_PLAN_PLAN_BOOT_H
/*
 * plan_boot - a plan as kernel parameters, so that the kernel itself records it from boot
 * (--boot), into memory that outlasts a crash if asked (--persistent).
 *
 * What the command line cannot say (filters, triggers, CPUs, tracers of instances) goes into a
 * bootconfig.  See the kernel's Documentation/trace/boottime-trace.rst, debugging.rst and
 * admin-guide/kernel-parameters.txt.
 */
#include "recorder/plan/record_plan.h"

/* Add mistakes: what cannot be at boot, what this kernel is too old for, what is too long. */
void plan_boot_check(struct record_plan *plan);

/*
 * Append the parameters, the bootconfig, and what to do after the boot, to @out.  All but the
 * parameters and the bootconfig is behind '#'.  @tracefs: where it is mounted.
 */
void plan_boot_text(const struct record_plan *plan, const char *tracefs, struct text *out);
#endif
