/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_FILTER_H
#define FTOP_SRC_SCHED_SCHED_FILTER_H
/*
 * sched_filter - applies event filters: decides in which sums of tasks and CPUs a record counts.
 *
 * Filters do not change the states. A record counts in the sums of
 *
 *   its CPU                                     if it matches
 *   the task that ran (leaves, wakes)           if it matches
 *   the other task (comes, is woken, migrates)  if it matches with `pid`, `comm` and `tgid` of
 *                                               that task
 *
 * An interval counts if the record that ends it matches; an interval without that record does not
 * count. With `wait` and `wakelat`, a record does not count for the task that leaves or wakes; with
 * `ran` and `state`, a switch does not count for the next task.
 */
#include "src/filter/filter.h"
#include "src/sched/sched_types.h"

/* The sums that a record does not count in. */
enum {
	SCHED_NOT_CPU	= 1,
	SCHED_NOT_ITS	= 2,		/* the task that ran */
	SCHED_NOT_OTHER	= 4,		/* the task that it is about */
};
#define SCHED_NOT_BITS	3

struct sched_filter;			/* opaque, for one thread */

/* @filters: [nr_filters], all must match; ready and borrowed.  Return: NULL without filters. */
struct sched_filter *sched_filter_new(struct trace *trace, const struct filter *const *filters,
				      unsigned int nr_filters);
void sched_filter_free(struct sched_filter *filter);	/* NULL is allowed */

/* The next records are from this stream of the trace. */
void sched_filter_stream(struct sched_filter *filter, unsigned int stream);

/*
 * @other: pid of the task that it is about; @ref: its row; @room: readable bytes at @data; @ts:
 *        model time.  Return: SCHED_NOT_*.
 */
unsigned int sched_filter_record(struct sched_filter *filter, const struct sched_shape *shape,
				 uint32_t other, trace_ref ref, const uint8_t *data, uint32_t size,
				 uint32_t room, int64_t ts);
#endif
