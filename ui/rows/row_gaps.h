/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_ROW_GAPS_H
#define FTOP_UI_ROWS_ROW_GAPS_H
/*
 * row_gaps - other rows whose distance a line can show: the row above of its CPU or task, and the
 * next row of its buffer.
 */
#include <stdbool.h>
#include <stdint.h>

enum row_gap_kind {
	ROW_GAP_CPU,			/* the listed row above, of the same CPU */
	ROW_GAP_TASK,			/* the listed row above, of the same task */
	ROW_GAP_NEXT,			/* the next row, listed or not, as the kernel's delay */
	NR_ROW_GAPS
};

struct row_gap {
	bool		 has;		/* there is such a row, and its time is ts */
	bool		 far;		/* unknown: no such row is near */
	int64_t		 ts;
};

struct rows;
struct row;

/* Finds those of rows->gaps for the lines of the window.  Moves both cursors of @rows. */
void row_gaps_fill(struct rows *rows);
/*
 * Finds those of rows->gaps for one row, and the event above it.  Filters do not count.  Moves the
 * cursor of all rows.
 */
void row_gaps_of(struct rows *rows, const struct row *row, struct row_gap gaps[NR_ROW_GAPS]);
#endif
