/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_MEASURE_H
#define FTOP_RECORDER_RUN_MEASURE_H
/*
 * measure - how timerlat, osnoise and hwlat measure: files of tracefs that all instances share, and
 * the priority of their threads.
 */
#include "recorder/journal/journal.h"
#include "recorder/plan/record_plan.h"

/*
 * Write the files of --measure, and when timerlat and osnoise stop tracing.  Call it before a
 * tracer is set: function_graph looks at its threshold then.
 */
int measure_apply(struct journal *journal, const struct tracefs_dir *root,
		  const struct record_plan *plan, struct ft_error *err);

/* Set the priority of the tracer's threads: when the tracer is set. */
int measure_start(const struct record_plan *plan, struct ft_error *err);
#endif
