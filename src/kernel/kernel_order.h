/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_ORDER_H
#define FTOP_SRC_KERNEL_ORDER_H
/*
 * kernel_order - the records of one buffer in the order and with the times of the
 * kernel's own trace file: by time, of equal times the lower CPU first.
 *
 * Its times lag behind where records were discarded (sub_buffer_discarded()), and the
 * order follows from them.  It knows of each record the one behind it on the same
 * CPU, which decides whether a call is a leaf.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct kernel_order;			/* opaque */

struct kernel_record {
	struct trace_event	 event;		/* kind EVENT; data is valid until the next call */
	int64_t			 ts;		/* as the kernel shows it */
	int64_t			 next_ts;	/* of the record behind it in the order; ts where there is none */
	const struct trace_event *next;		/* record behind it on the same CPU, or NULL; valid until the next call */
	unsigned int		 lane;		/* number of its CPU in the order, 0.. */
};

/* @streams: [trace_nr_streams()] those of the buffer. */
struct kernel_order *kernel_order_new(struct trace *trace, const bool *streams);
void kernel_order_free(struct kernel_order *order);	/* NULL is allowed */
void kernel_order_seek(struct kernel_order *order, trace_ref ref);	/* begin with this row; NONE: behind the last */
/* With the first record with a key of at least @ts, and so many before it of each CPU. */
void kernel_order_seek_time(struct kernel_order *order, int64_t ts, unsigned int before);
bool kernel_order_next(struct kernel_order *order, struct kernel_record *record);	/* false: no more */

/* The record's `next` belongs to its line: it will not come. */
void kernel_order_skip_next(struct kernel_order *order, const struct kernel_record *record);
unsigned int kernel_order_lanes(const struct kernel_order *order);
#endif
