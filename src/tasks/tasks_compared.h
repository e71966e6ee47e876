/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TASKS_TASKS_COMPARED_H
#define FTOP_SRC_TASKS_TASKS_COMPARED_H
/* tasks_compared - the tasks of a trace, and what the scheduler did, for a comparison. */
#include "src/diff/diff.h"
#include "src/model/list_source.h"
#include "src/sched/task_table.h"
#include "src/trace/groupings.h"

/*
 * Add figures that have durations.  @by: what rows are, tasks with a name, say; GROUPING_NONE:
 * figures of the scheduler
 */
void tasks_compare(const struct task_figures *figures, const struct sched_pass *pass,
		   const struct list_scope *scope, enum grouping by, struct diff *diff,
		   unsigned int side);
#endif
