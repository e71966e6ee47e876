/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_MATCHING_H
#define FTOP_UI_ROWS_MATCHING_H
/*
 * matching - which tasks and CPUs of a file have an event that the filters keep, anywhere in the
 * trace: for views whose rows are tasks and CPUs.  Workers count; results so far can be used.
 */
#include "src/sched/event_counts.h"
#include "ui/rows/call_scope.h"

struct matching {			/* zero it */
	unsigned int	 file;
	bool		 begun;
	struct call_scope scope;	/* owned: the filters */
	struct event_counts *counts;	/* owned; NULL: there are no filters,
					   or they are not ready yet */
	struct event_count *by[EVENT_COUNTS_NR];	/* owned: the file's,
							   sorted by key; so far */
	unsigned int	 nr_by[EVENT_COUNTS_NR];
	unsigned int	 permille;
};

/* Starts again if the filters changed, and takes new counts.  True: results may have changed. */
bool matching_update(struct matching *matching, const struct shared *shared, unsigned int file);
void matching_fini(struct matching *matching);	/* before the trace is closed; zeroes it */

static inline bool matching_is_active(const struct matching *matching)
{
	return matching->scope.of.nr_filters;
}

static inline bool matching_is_done(const struct matching *matching)
{
	return !matching_is_active(matching) || (matching->counts && matching->permille == 1000);
}

/* Has any CPU or task one? */
bool matching_any(const struct matching *matching);

/* True for all if no filter is active. */
bool matching_has(const struct matching *matching, enum event_counts_by by, int key);

/*
 * The counts of one file, sorted by key for bsearch() with event_count_by_key().  Frees what was in
 * *list.
 */
void matching_take(struct event_counts *counts, enum event_counts_by by, unsigned int file,
		   struct event_count **list, unsigned int *nr, unsigned int *permille);
int event_count_by_key(const void *a, const void *b);
#endif
