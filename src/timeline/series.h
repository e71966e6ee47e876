/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_SERIES_H
#define FTOP_SRC_TIMELINE_SERIES_H
/*
 * series - the times of an event and the values of one of its numeric fields, for a row of ticks or
 * a plot.
 *
 * Workers read the buffer once and store the time and value of each such event, 8 or 16 bytes, by
 * stream. The minimum and maximum of every 64 values are stored too, so drawing any window costs
 * only its columns. Times are times of the file, as in sched.h. If the clock of a CPU goes back, an
 * event gets the latest time before it. A series can be read while it grows.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct series;				/* opaque */

/**
 * series_new() - start collecting an event
 * @what:	  "sched_waking", "sched:sched_waking", "cpu_frequency.state": not kept; of what
 *		  programs write to trace_marker, "marker.NAME" or "marker.PID|NAME" is a counter,
 *		  "marker.I" has all instants, "marker.I|NAME" those of a name
 * @buffer:	  of the file
 * @memory_bytes: limit; 0 = a sixteenth of this machine's memory
 *
 * Return: the series, which workers of the trace fill; NULL with FT_E_USAGE if the event or field
 * does not exist, or the field is not a number.
 */
struct series *series_new(struct trace *trace, unsigned int file, unsigned int buffer,
			  const char *what, uint64_t memory_bytes, struct ft_error *err);
void series_free(struct series *series);	/* NULL is allowed; the trace must still be open */
void series_wait(struct series *series);	/* waits until the series is complete */

const char *series_name(const struct series *series);	/* "cpu_frequency.state", as given */
bool series_has_values(const struct series *series);	/* does it have values of a field? */

struct series_progress {
	bool		done;
	bool		full;		/* memory limit reached: some events are missing */
	uint64_t	events;		/* so far */
};
struct series_progress series_progress(struct series *series);

struct series_sum {			/* sums of a window [from, to) */
	uint64_t	events;
	int64_t		least, most;	/* lowest and highest value; valid if there are any */
	bool		held;		/* there was an event before it */
	int64_t		value;		/* value of the last event */
};

/* Column i is [edges[i], edges[i + 1]); edges ascend. */
void series_columns(struct series *series, const int64_t *edges, unsigned int nr,
		    struct series_sum *sums);

struct series_event {
	int64_t		ts, value;
	int		cpu;		/* that recorded it */
};
/* The last event at or before a time (or the first one after it); false if there is none. */
bool series_before(struct series *series, int64_t ts, struct series_event *event);
bool series_after(struct series *series, int64_t ts, struct series_event *event);

/* Call @each for the events of [from, to], in time order, until it returns false. */
void series_each(struct series *series, int64_t from, int64_t to,
		 bool (*each)(void *arg, const struct series_event *event), void *arg);
#endif
