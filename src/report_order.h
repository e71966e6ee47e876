/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_ORDER_H
#define FTOP_SRC_REPORT_ORDER_H
/*
 * report_order - records in the order of trace-cmd report.
 *
 * That is by time, except behind a function_graph leaf whose exit trace-cmd took
 * from another CPU than its entry's: there its merge goes on with a stale record of
 * that CPU, and what follows depends on what lies in freed memory.  The text of
 * real traces shows this, so it is reproduced: the records' memory is simulated as
 * far as it decides the order.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/matches.h"
#include "src/trace.h"

struct report_order;			/* opaque */

struct report_event {
	struct trace_event	event;		/* kind EVENT only */
	unsigned int		handle;		/* as given for its stream */
	unsigned int		lane;		/* number of its stream in the order given */
	bool			lost;		/* events were lost before it */
	bool			lost_known;
	uint64_t		lost_count;
};

/* One stream; those of a handle (a buffer of a file) stand together, as trace-cmd counts its CPUs. */
struct report_lane {
	unsigned int	stream;
	unsigned int	handle;
	trace_ref	start;			/* first row to read; TRACE_REF_NONE: read nothing */
	struct matches	*matches;		/* only these, and the stacks behind them; NULL: all */
	bool		by_time;		/* begin at the first row with key >= time instead */
	int64_t		time;
};

struct report_order *report_order_new(struct trace *trace, const struct report_lane *lanes, unsigned int nr);
void report_order_free(struct report_order *order);	/* NULL is allowed */

/* The next record; valid until the next call.  NULL at the end. */
const struct report_event *report_order_next(struct report_order *order);

/*
 * The record that follows in the same handle, as trace-cmd looks for the exit of a leaf; NULL: none.
 * The record that report_order_next() gave stays valid.
 */
const struct report_event *report_order_peek(struct report_order *order);

/* What was peeked is part of the line printed: it will not come again. */
void report_order_consume(struct report_order *order);

/* Sub-buffers read so far that could not be read to their ends. */
uint64_t report_order_damaged(const struct report_order *order);

/* Nothing behind this record of its stream is wanted. */
void report_order_end_lane(struct report_order *order, unsigned int lane);
#endif
