/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EVENT_COUNTS_H
#define FTOP_SRC_EVENT_COUNTS_H
/*
 * event_counts - how many events happened in each task (by common_pid; where filters ask for wait or wakelat, a switch is of
 * the task that comes, a wake-up of the one that is woken), on each CPU and of each type, of those that filters and a range keep: counted by workers in a pass of their own, which needs no page directory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct event_counts;			/* opaque */
struct filter;				/* filter.h */

enum event_counts_by { EVENT_COUNTS_TASK, EVENT_COUNTS_CPU, EVENT_COUNTS_TYPE };
#define EVENT_COUNTS_NR	3

struct event_count {
	unsigned int	file;
	int		key;		/* pid (0: the idle tasks of all CPUs); number of the CPU; common_type */
	uint64_t	events;		/* not 0 */
};

struct event_counts_options {
	bool		tasks_only;	/* not by CPU and type */
	bool		has_range;
	int64_t		from, to;	/* ts, both in it */
	const struct filter *const *filters;	/* [nr_filters]: all have to match; they and what they point to are borrowed, and ready */
	unsigned int	nr_filters;
};

/* Begins to count.  The trace is borrowed and must live longer; what comes to its end later is not counted. */
struct event_counts *event_counts_new(struct trace *trace, const struct event_counts_options *options);
void event_counts_free(struct event_counts *counts);	/* stops; NULL is allowed */

/*
 * What is known so far, most events first: an array that the caller frees with free().  *permille: of the bytes counted;
 * 1000: all of them.  Return: how many.
 */
unsigned int event_counts_get(struct event_counts *counts, enum event_counts_by by, struct event_count **list,
			      unsigned int *permille);
/* "sched/sched_switch" of a count by type, printable. */
void event_counts_type_name(struct trace *trace, const struct event_count *count, struct text *out);
void event_counts_wait(struct event_counts *counts);	/* until all is counted */
#endif
