/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FUNCTION_JOB_H
#define FTOP_SRC_FUNCTIONS_FUNCTION_JOB_H
/* function_job - a function_table by a worker, in slices, for a screen that shows it grow. */
#include <stdbool.h>
#include "src/calls/call_past.h"
#include "src/functions/function_table.h"
#include "src/base/workers.h"

struct function_job;			/* opaque */

/**
 * function_job_new() - start counting.  Main thread, like all functions here
 * @scope: selects calls; NULL = all.  Borrowed, with its filters.
 * @by: as function_table_grouped(): one table, at the end, without paths; or GROUPING_NONE
 * @past: of the file, if a scope's window follows others (call_past_serves()); no other job's
 *        meanwhile; borrowed; NULL: all is read
 */
struct function_job *function_job_new(struct trace *trace, unsigned int file,
				      const struct graph_scope *scope, enum grouping by,
				      struct call_past *past, struct workers *workers);
void function_job_free(struct function_job *job);	/* stops the workers; NULL is allowed */

/* Pause, or continue. */
void function_job_hold(struct function_job *job, bool hold);

/*
 * A newer table than the last one returned, for function_table_free(); or NULL. All tables have
 * call paths, but for groups. Only the last one is complete; earlier ones lack calls that are still
 * open.
 */
struct function_table *function_job_take(struct function_job *job);
/* 1000: the complete table is available, or was taken */
unsigned int function_job_permille(const struct function_job *job);
#endif
