/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_PLAN_PLAN_QUERIES_H
#define FTOP_RECORDER_PLAN_PLAN_QUERIES_H
/*
 * plan_queries - --synth 'NAME SELECT ...': a query in SQL, from which a synthetic event and the
 * triggers of two events are made.
 */
#include <stdbool.h>
#include "recorder/plan/record_plan.h"
#include "recorder/tracefs/tracefs_dir.h"

/* False: it is no query, but the definition of an event. */
bool plan_queries_add(struct record_plan *plan, const char *value);

/* Add to the plan what the queries stand for. */
void plan_queries_expand(struct record_plan *plan, const struct tracefs_dir *root);
#endif
