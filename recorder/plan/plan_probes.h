/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PROBES_H
#define FTOP_RECORDER_PLAN_PROBES_H
/*
 * plan_probes - --probe and --synth: what kind of event is to be defined, what it is called, and whether this kernel has
 * such events.  What is fetched is the kernel's to judge.
 */
#include <stdbool.h>
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* A probe ("p:name func $arg1", "r:...", "e:...", "f:...", "t:...") or synthetic event ("s:name u64 lat", "name u64 lat"). */
void record_plan_add_probe(struct record_plan *plan, const char *definition, bool synthetic);

/* Whether this kernel can define it; where not, that is a mistake of @plan. */
bool plan_probe_possible(struct record_plan *plan, const struct plan_probe *p, const struct tracefs_dir *root);
#endif
