/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_FILTER_H
#define FTOP_SRC_SCHED_FILTER_H
/*
 * sched_filter - which figures of tasks and CPUs a record counts in, by filters of events.
 *
 * States come from all records, whatever is filtered; of the sums a record takes part in those of whom it matches for:
 *
 *   its CPU                             if it matches
 *   the task that ran: leaves, wakes    if it matches
 *   the task that it tells of: comes,   if it matches as a record of that task, so that `pid`, `comm` and `tgid`
 *   is woken, migrates                  are those of this one
 *
 * An interval is counted by the record that ends it, so that one that no record ends is not counted.  With `wait` and
 * `wakelat` a record is not one of the task that leaves or wakes, with `ran` and `state` a switch not one of the task that comes.
 */
#include "src/filter/filter.h"
#include "src/sched/sched_types.h"

/* What a record is not counted for. */
enum {
	SCHED_NOT_CPU	= 1,
	SCHED_NOT_ITS	= 2,		/* the task that ran */
	SCHED_NOT_OTHER	= 4,		/* the task that it tells of */
};
#define SCHED_NOT_BITS	3

struct sched_filter;			/* opaque, one thread's */

/* @filters: [nr_filters], all have to match; ready, and borrowed.  Return: NULL where there are none. */
struct sched_filter *sched_filter_new(struct trace *trace, const struct filter *const *filters, unsigned int nr_filters);
void sched_filter_free(struct sched_filter *filter);	/* NULL is allowed */

/* Records that follow are of this stream of the model. */
void sched_filter_stream(struct sched_filter *filter, unsigned int stream);

/* @other: pid of the task that it tells of; @ref: its row; @room: readable bytes from @data on; @ts: model time.  Return: SCHED_NOT_* */
unsigned int sched_filter_record(struct sched_filter *filter, const struct sched_shape *shape, uint32_t other,
				 trace_ref ref, const uint8_t *data, uint32_t size, uint32_t room, int64_t ts);
#endif
