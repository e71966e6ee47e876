/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_LEAF_CALLS_H
#define FTOP_SRC_TRACE_LEAF_CALLS_H
/*
 * leaf_calls - calls of function_graph in which nothing was recorded.  The kernel and trace-cmd
 * show their entry and exit in one line, and the screen in one row.
 *
 * The rule is the kernel's: the record after the entry, on its CPU, is an exit of the same task and
 * function.  Only the neighbour of a record is read, so the cost does not depend on the trace.
 */
#include "src/trace/trace.h"

struct leaf_calls;			/* opaque; for one thread */

struct leaf_calls *leaf_calls_new(struct trace *trace);	/* any thread */
void leaf_calls_free(struct leaf_calls *leaves);		/* NULL is allowed */

/*
 * The exit of the leaf call that begins with @event, and the entry of the one that ends with it;
 * valid until the next call of either.  False: there is no such call, or @leaves is NULL.
 */
bool leaf_calls_exit(struct leaf_calls *leaves, const struct trace_event *event,
		     struct trace_event *exit);
bool leaf_calls_entry(struct leaf_calls *leaves, const struct trace_event *event,
		      struct trace_event *entry);
#endif
