/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_KEPT_TASKS_H
#define FTOP_SRC_SCHED_KEPT_TASKS_H
/*
 * kept_tasks - which tasks and CPUs have an event that filters keep, anywhere in the buffer that
 * tells of their states (sched_pass_buffer()): for lists whose rows are tasks and CPUs.  Workers
 * count; results so far can be used.
 */
#include "src/sched/event_counts.h"

struct kept_tasks {			/* zero it */
	struct event_counts *counts;	/* owned; NULL: it has not begun */
	unsigned int	 file, buffer;
	struct event_count *by[EVENT_COUNTS_NR];	/* owned, [nr_by]: so far, sorted by key */
	unsigned int	 nr_by[EVENT_COUNTS_NR];
	unsigned int	 permille;
};

/* Begin to count.  The filters are borrowed until kept_tasks_fini(). */
void kept_tasks_begin(struct kept_tasks *kept, struct trace *trace, unsigned int file,
		      unsigned int buffer, const struct filter *const *filters,
		      unsigned int nr_filters);
/* Take new counts; @wait: all of them.  True: there were some. */
bool kept_tasks_take(struct kept_tasks *kept, bool wait);
/* Before the trace is closed; zeroes it. */
void kept_tasks_fini(struct kept_tasks *kept);

static inline bool kept_tasks_done(const struct kept_tasks *kept)
{
	return kept->permille == 1000;
}

/* Has any task or CPU one? */
bool kept_tasks_any(const struct kept_tasks *kept);
/* Has the one with this key (enum event_counts_by)? */
bool kept_tasks_has(const struct kept_tasks *kept, enum event_counts_by by, int key);
#endif
