/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_EVENT_COUNTS_H
#define FTOP_SRC_SCHED_EVENT_COUNTS_H
/*
 * event_counts - number of events by task, CPU and type, limited by filters and a time range.
 * Workers count them in a pass of their own, which needs no page directory.
 *
 * The task is common_pid; if filters use wait or wakelat, a switch counts for the next task, and a
 * wakeup for the task being woken.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/time_math.h"
#include "src/trace/trace.h"

struct event_counts;			/* opaque */
struct filter;				/* filter.h */

enum event_counts_by { EVENT_COUNTS_TASK, EVENT_COUNTS_CPU, EVENT_COUNTS_TYPE };
#define EVENT_COUNTS_NR	3

struct event_count {
	unsigned int	file;
	int		key;		/* pid (0: the idle tasks of all CPUs);
					   number of the CPU; common_type */
	uint64_t	events;		/* not 0 */
};

struct event_counts_options {
	bool		tasks_only;	/* only by task, not by CPU and type */
	struct time_range range;	/* in ts */
	bool		one_buffer;	/* only events of this one: */
	unsigned int	file, buffer;
	const bool	*only;		/* [nr_only] by CPU number; borrowed; NULL: all */
	unsigned int	nr_only;
	const struct filter *const *filters;	/* [nr_filters]: all must match; ready; borrowed */
	unsigned int	nr_filters;
};

/* Start counting.  @trace is borrowed, outlives the result; data appended later is left out. */
struct event_counts *event_counts_new(struct trace *trace,
				      const struct event_counts_options *options);
void event_counts_free(struct event_counts *counts);	/* stops the workers; NULL is allowed */

/*
 * The counts so far, in descending order: an array that the caller frees with free().  *permille:
 * part of the bytes that was counted; 1000 = all.  Return: the array's length.
 */
unsigned int event_counts_get(struct event_counts *counts, enum event_counts_by by,
			      struct event_count **list, unsigned int *permille);
/*
 * The counts of one file, sorted by key for bsearch() with event_count_by_key().  Frees what was in
 * *list.
 */
void event_counts_of_file(struct event_counts *counts, enum event_counts_by by, unsigned int file,
			  struct event_count **list, unsigned int *nr, unsigned int *permille);
int event_count_by_key(const void *a, const void *b);
/* Append "sched/sched_switch" for a count by type, printable. */
void event_counts_type_name(struct trace *trace, const struct event_count *count, struct text *out);
void event_counts_wait(struct event_counts *counts);	/* until everything is counted */

/* trace_type_counts() of what the options select: waits for it.  The caller frees the counts. */
unsigned int event_counts_types(struct trace *trace, const struct event_counts_options *options,
				struct trace_type_count **types);
#endif
