/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTION_JOB_H
#define FTOP_SRC_FUNCTION_JOB_H
/*
 * function_job - makes a function_table by a worker, in slices, beside a screen that
 * shows what is counted so far.
 */
#include <stdbool.h>
#include "src/calls/function_table.h"
#include "src/base/workers.h"

struct function_job;			/* opaque */

/**
 * function_job_new() - begin to count.  Main thread, as all here
 * @scope: which calls; NULL = all.  Borrowed, with its filters, as the others.
 */
struct function_job *function_job_new(struct trace *trace, unsigned int file, const struct graph_scope *scope,
				      struct workers *workers);
void function_job_free(struct function_job *job);	/* stops; NULL is allowed */

/* Stop for a while, and go on from there. */
void function_job_hold(struct function_job *job, bool hold);

/*
 * A newer table than the last one given, for function_table_free(); or NULL.  All have the ways that calls
 * were reached.  The last one of all is whole; those before it are not, and lack the calls that are open.
 */
struct function_table *function_job_take(struct function_job *job);
unsigned int function_job_permille(const struct function_job *job);	/* 1000: the whole table can be taken, or was */
#endif
