/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_H
#define FTOP_UI_ROWS_H
/*
 * rows - a window on the rows of a trace, however many: a cursor, scrolling, stacks
 * that open into lines of their own.
 *
 * It holds on to refs, never to row numbers, so that rows that come or move while
 * the page directory is built do not shift what is looked at.  Moving costs the
 * lines moved over; only what is on the screen is read and kept.
 */
#include <stdbool.h>
#include "ui/rows/row.h"
#include "ui/rows/row_cursor.h"
#include "ui/rows/shared.h"

struct row_line_ref {			/* a line of the window */
	const struct row	*row;	/* borrowed from rows, until the next call that moves or fills */
	unsigned int		 frame;	/* 0: the row itself; n: the n-th frame of its stack */
	bool			 has_above;
	int64_t			 above_ts;	/* of the event above, where has_above */
};

struct rows {
	struct shared		*shared;	/* borrowed */
	struct row_cursor	*cursor;	/* owned; goes to the rows listed */
	struct trace_cursor	*plain;		/* owned; goes to all */
	struct row		**cache;	/* owned rows of this window */
	unsigned int		 nr_cache, cap_cache;
	struct row_line_ref	*lines;		/* owned, [nr_lines] */
	unsigned int		 nr_lines, cap_lines;
	unsigned int		 height;
	unsigned int		 at;		/* line of the cursor */
	trace_ref		 top;		/* TRACE_REF_NONE: there are no rows */
	unsigned int		 top_frame;
	bool			 all_open;	/* stacks */
	trace_ref		*toggled;	/* owned, [nr_toggled]: those that are not as all_open says */
	unsigned int		 nr_toggled, cap_toggled;
	bool			 valid;		/* lines are those of top */
	bool			 later;		/* there was no time to look for more lines: rows_fill() goes on */
	bool			 filling;	/* the cursor stands behind the last line, and finds the next ones */
	unsigned int		 first_frame;	/* of the next row, while lines are filled in */
};

void rows_init(struct rows *rows, struct shared *shared);	/* @shared: borrowed, must outlive it */
void rows_fini(struct rows *rows);
void rows_set_height(struct rows *rows, unsigned int height);	/* lines, 1 at least; the cursor's row stays on the screen */
void rows_fill(struct rows *rows);		/* reads what the window shows; all below do it themselves */
void rows_forget(struct rows *rows);		/* rendered rows are stale: text or list changed */

const struct row *rows_here(struct rows *rows);	/* row under the cursor; NULL: no rows */
unsigned int rows_here_frame(const struct rows *rows);	/* of its stack: 1 …; 0: the row itself */
bool rows_move(struct rows *rows, int lines);	/* the cursor; false: it stands at an end */
bool rows_scroll(struct rows *rows, int lines);	/* the window, the cursor stays on its line */
void rows_first(struct rows *rows);		/* the cursor on the first (last) row that is listed */
void rows_last(struct rows *rows);
void rows_go(struct rows *rows, trace_ref ref);	/* cursor on this row; the window moves where it must */
void rows_go_to_line(struct rows *rows, trace_ref ref, unsigned int line);	/* and it stands there, as far as rows lie above */
void rows_choose(struct rows *rows, unsigned int line);	/* cursor on a line of the window */

/* The stack with this record takes a line for each frame, else one. */
bool rows_is_open(const struct rows *rows, trace_ref ref);
void rows_open(struct rows *rows, trace_ref ref, bool open);
void rows_open_all(struct rows *rows, bool open);	/* forgets those that were opened one by one */

/* The stack record that belongs to a row: itself, or the next of its stream; TRACE_REF_NONE: it has none. */
trace_ref rows_stack_of(struct rows *rows, const struct row *row);
#endif
