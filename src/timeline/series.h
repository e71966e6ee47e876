/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_SERIES_H
#define FTOP_SRC_TIMELINE_SERIES_H
/*
 * series - when an event happened, and what a numeric field of it said: a row of ticks,
 * or a plot.
 *
 * Workers go over the records of a buffer once and note time and value of each such event, 8 or 16 bytes, by stream; with the
 * least and the most of every 64 on top, any window costs its columns.  Times are those of the file, as sched.h has them; where
 * the clock of a CPU goes back, an event stands at the latest time before it.  All may be asked while it grows.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct series;				/* opaque */

/**
 * series_new() - begin to note an event
 * @what:	  "sched_waking", "sched:sched_waking", "cpu_frequency.state": not kept
 * @buffer:	  of the file
 * @memory_bytes: so much at most; 0 = a sixteenth of this machine's
 *
 * Return: at once, workers of the trace fill it; NULL with FT_E_USAGE: there is no such event, or field, or it is no number.
 */
struct series *series_new(struct trace *trace, unsigned int file, unsigned int buffer, const char *what, uint64_t memory_bytes,
			  struct ft_error *err);
void series_free(struct series *series);	/* NULL is allowed; the trace must still be open */
void series_wait(struct series *series);	/* waits until the series is complete */

const char *series_name(const struct series *series);	/* "cpu_frequency.state", as given */
bool series_has_values(const struct series *series);	/* true: a field's values */

struct series_progress {
	bool		done;
	bool		full;		/* memory limit reached: some events are missing */
	uint64_t	events;		/* so far */
};
struct series_progress series_progress(struct series *series);

struct series_sum {			/* of a window [from, to) */
	uint64_t	events;
	int64_t		least, most;	/* of their values; of use if there are any */
	bool		held;		/* there was an event before it */
	int64_t		value;		/* of the last one of these */
};

/* Column i is [edges[i], edges[i + 1]); edges ascend. */
void series_columns(struct series *series, const int64_t *edges, unsigned int nr, struct series_sum *sums);

struct series_event {
	int64_t		ts, value;
	int		cpu;		/* that recorded it */
};
/* The last event at or before a time, and the first one after it; false: none. */
bool series_before(struct series *series, int64_t ts, struct series_event *event);
bool series_after(struct series *series, int64_t ts, struct series_event *event);

/* Events of [from, to], in the order of time, as long as @each says true. */
void series_each(struct series *series, int64_t from, int64_t to, bool (*each)(void *arg, const struct series_event *event),
		 void *arg);
#endif
