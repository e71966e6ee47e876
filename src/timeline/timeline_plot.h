/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TIMELINE_TIMELINE_PLOT_H
#define FTOP_SRC_TIMELINE_TIMELINE_PLOT_H
/*
 * timeline_plot - rows of a timeline for an event, for a field over time, for all events, or for
 * those that filters keep.
 *
 *   ticks    a digit for the events of a column; where one has more than nine, bars
 *   values   bars up to the largest value of each column; a column without an event repeats the
 *            last value before it, dimmed
 */
#include "src/timeline/timeline.h"

struct series;

/* The series of a row; NULL for the row of all events. */
struct series *timeline_plot_series(const struct timeline *timeline,
				    const struct timeline_row *row);
void timeline_plot_draw(struct timeline *timeline, const struct timeline_row *row,
			struct timeline_cell *cells);
/*
 * Append the number of events in the window, or the maximum of a field: "96", "12k", "3.2G";
 * nothing if there are none.
 */
void timeline_plot_load(struct timeline *timeline, const struct timeline_row *row,
			struct text *out);
/* A number in four cells: "9999", "12k", "1.4M", "-3G". */
void timeline_plot_short(int64_t v, struct text *out);
/* Appends a description of the row at a moment: printable text. */
void timeline_plot_story(struct timeline *timeline, const struct timeline_row *row, int64_t ts,
			 struct text *out);
#endif
