/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_MATCHING_H
#define FTOP_UI_ROWS_MATCHING_H
/*
 * matching - which tasks and CPUs of a buffer have an event that the view's filters keep
 * (kept_tasks.h); without filters, all.
 */
#include "src/sched/kept_tasks.h"
#include "ui/rows/call_scope.h"

struct matching {			/* zero it */
	unsigned int	 file, buffer;
	bool		 begun;
	struct call_scope scope;	/* owned: the filters */
	struct kept_tasks kept;		/* owned; has not begun until the filters are ready */
};

/*
 * Starts again if the filters changed, and takes new counts.  @buffer: sched_pass_buffer().  True:
 * results may have changed.
 */
bool matching_update(struct matching *matching, const struct shared *shared, unsigned int file,
		     unsigned int buffer);
void matching_fini(struct matching *matching);	/* before the trace is closed; zeroes it */

static inline bool matching_is_active(const struct matching *matching)
{
	return matching->scope.of.nr_filters;
}

static inline bool matching_is_done(const struct matching *matching)
{
	return !matching_is_active(matching) || kept_tasks_done(&matching->kept);
}

/* Has any CPU or task one? */
static inline bool matching_any(const struct matching *matching)
{
	return !matching_is_active(matching) || kept_tasks_any(&matching->kept);
}

static inline bool matching_has(const struct matching *matching, enum event_counts_by by, int key)
{
	return !matching_is_active(matching) || kept_tasks_has(&matching->kept, by, key);
}
#endif
