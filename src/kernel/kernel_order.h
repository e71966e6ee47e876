/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_KERNEL_ORDER_H
#define FTOP_SRC_KERNEL_KERNEL_ORDER_H
/*
 * kernel_order - the records of one buffer in the order and with the times of the kernel's own
 * trace file: by time; with equal times, the lower CPU first.
 *
 * The kernel's times lag where records were discarded (sub_buffer_discarded()), which affects the
 * order. Each record has a pointer to the next one of its CPU, which decides whether a call is a
 * leaf.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct kernel_order;			/* opaque */

struct kernel_record {
	struct trace_event	 event;		/* kind EVENT; data is valid until the next call */
	int64_t			 ts;		/* as the kernel shows it */
	int64_t			 next_ts;	/* time of the next record in the order; ts if
						 * there is none */
	const struct trace_event *next;		/* next record of the same CPU, or NULL; valid
						 * until the next call */
	trace_ref		 merged;	/* that record, if it was skipped; NONE */
	unsigned int		 lane;		/* index of its CPU in the order, 0.. */
};

/* @streams: [trace_nr_streams()]: streams of the buffer. */
struct kernel_order *kernel_order_new(struct trace *trace, const bool *streams);
void kernel_order_free(struct kernel_order *order);	/* NULL is allowed */
/* start at this row; NONE: at the end */
void kernel_order_seek(struct kernel_order *order, trace_ref ref);
/* Start @before records of each CPU before the first one with a key of at least @ts. */
void kernel_order_seek_time(struct kernel_order *order, int64_t ts, unsigned int before);
/* false at the end */
bool kernel_order_next(struct kernel_order *order, struct kernel_record *record);

/* The record's `next` is part of its line: do not return it. */
void kernel_order_skip_next(struct kernel_order *order, struct kernel_record *record);
#endif
