/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_PROBES_H
#define FTOP_RECORDER_PLAN_PLAN_PROBES_H
/*
 * plan_probes - --probe and --synth: the kind and name of the event to define, and whether this
 * kernel supports such events.  The kernel checks the arguments.
 */
#include <stdbool.h>
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/*
 * A probe ("p:name func $arg1", "r:...", "e:...", "f:...", "t:...", "w:...") or synthetic event
 * ("s:name u64 lat", "name u64 lat").
 */
void record_plan_add_probe(struct record_plan *plan, const char *definition, bool synthetic);

/* Is it a probe of a program or library? */
bool plan_probe_is_of_user(const struct plan_probe *p);

/* Can this kernel define the event?  If not, adds a mistake to @plan. */
bool plan_probe_possible(struct record_plan *plan, const struct plan_probe *p,
			 const struct tracefs_dir *root);
#endif
