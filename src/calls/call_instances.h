/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_INSTANCES_H
#define FTOP_SRC_CALL_INSTANCES_H
/*
 * call_instances - the longest calls of one function, over all buffers of a file.  Looked
 * for by a worker, in slices; memory does not grow with the trace.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

struct call_instances;			/* opaque */

struct call_instance {
	trace_ref	 exit;		/* its exit: task, CPU and moment are that record's */
	uint64_t	 duration, self, net;	/* ns, as in the table of functions */
	bool		 leaf;		/* no call below it */
	bool		 orphan;	/* its entry is missing */
	bool		 clipped;	/* events were lost while it ran */
};

/**
 * call_instances_new() - begin to look.  Main thread, as all here
 * @scope: which calls; NULL = all.  Borrowed, with its filters, as the others.
 * @max:   so many of them are held, the longest
 */
struct call_instances *call_instances_new(struct trace *trace, unsigned int file, const struct graph_scope *scope,
					  uint64_t function, uint32_t max, struct workers *workers);
void call_instances_free(struct call_instances *instances);	/* stops; NULL is allowed */

uint64_t call_instances_function(const struct call_instances *instances);
unsigned int call_instances_permille(const struct call_instances *instances);	/* 1000: done */

/* When done: the longest first, of equal ones that with the smaller ref.  Before that there are none. */
const struct call_instance *call_instances_list(const struct call_instances *instances, uint32_t *nr);
uint64_t call_instances_calls(const struct call_instances *instances);	/* of the function: as many, or more than are held */
#endif
