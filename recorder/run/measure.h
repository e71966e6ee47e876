/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_MEASURE_H
#define FTOP_RECORDER_RUN_MEASURE_H
/*
 * measure - how timerlat, osnoise and hwlat measure: files of tracefs that all instances share, and
 * the threads or processes that they wake.
 */
#include "recorder/journal/journal.h"
#include "recorder/plan/record_plan.h"
#include "recorder/run/timerlat_user.h"

/*
 * Write the files of --measure, and when timerlat and osnoise stop tracing.  Call it before a
 * tracer is set: function_graph looks at its threshold then.
 */
int measure_apply(struct journal *journal, const struct tracefs_dir *root,
		  const struct record_plan *plan, struct ft_error *err);

struct measuring {
	struct timerlat_user	 user;
	int			 latency_fd;	/* while it is open, CPUs leave idle states fast */
};

#define MEASURING_NOTHING { .latency_fd = -1 }

/*
 * When the tracer is set: give its threads their priority, or start processes that it wakes.  Call
 * measure_end() also after a failure.
 */
int measure_start(struct measuring *m, const struct tracefs_dir *root,
		  const struct record_plan *plan, const struct await *await, struct ft_error *err);

/* @notes: receives lines about what did not go on until now */
void measure_end(struct measuring *m, struct text *notes);
#endif
