/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_CALL_INSTANCES_H
#define FTOP_SRC_FUNCTIONS_CALL_INSTANCES_H
/*
 * call_instances - the longest calls of one function, or those with the most self or net time, or
 * the first ones, over all buffers of a file.  A worker searches them in slices; memory does not
 * grow with the trace.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/graph_records.h"
#include "src/base/workers.h"

struct call_instances;			/* opaque */

enum call_order { CALLS_LONGEST, CALLS_MOST_SELF, CALLS_MOST_NET, CALLS_FIRST };

struct call_instance {
	trace_ref	 exit;		/* its exit, whose record gives task, CPU and time */
	uint64_t	 duration, self, net;	/* ns, as in the table of functions */
	uint64_t	 start;		/* raw */
	bool		 leaf;		/* without calls below it */
	bool		 orphan;	/* its entry is missing */
	bool		 doubtful;	/* self and net are unknown */
	bool		 no_net;	/* net is */
};

/**
 * call_instances_new() - start searching.  Main thread, like all functions here
 * @scope: selects calls; NULL = all.  Borrowed, with its filters.
 * @max:   number of calls to keep: the first in that order
 */
struct call_instances *call_instances_new(struct trace *trace, unsigned int file,
					  const struct graph_scope *scope, uint64_t function,
					  enum call_order order, uint32_t max,
					  struct workers *workers);
void call_instances_free(struct call_instances *instances);	/* stops the worker; or NULL */

uint64_t call_instances_function(const struct call_instances *instances);
unsigned int call_instances_permille(const struct call_instances *instances);	/* 1000 = done */

enum call_order call_instances_order(const struct call_instances *instances);

/* When done: in that order; equal calls by ref.  NULL before that. */
const struct call_instance *call_instances_list(const struct call_instances *instances,
						uint32_t *nr);
/* number of the function's calls, which may exceed the list */
uint64_t call_instances_calls(const struct call_instances *instances);
#endif
