/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_ROWS_H
#define FTOP_UI_ROWS_ROWS_H
/*
 * rows - a window on the rows of a trace: cursor, scrolling, and stacks that open into one line per
 * frame.
 *
 * It keeps refs, never row numbers, so the window stays in place when rows are added while the page
 * directory is built.  The cost of a move depends on its lines, not on the trace; only rows on the
 * screen are read and kept.
 */
#include <stdbool.h>
#include "ui/rows/row.h"
#include "ui/rows/row_cursor.h"
#include "ui/rows/row_gaps.h"
#include "ui/rows/shared.h"

struct row_line_ref {			/* a line of the window */
	const struct row	*row;	/* borrowed until the next call that moves or fills rows */
	unsigned int		 frame;	/* 0: the row itself; n: the n-th frame of its stack */
	bool			 has_above;
	int64_t			 above_ts;	/* ts of the event above, if has_above */
	struct row_gap		 gaps[NR_ROW_GAPS];	/* those of rows->gaps */
};

struct rows {
	struct shared		*shared;	/* borrowed */
	struct row_cursor	*cursor;	/* owned; visits listed rows */
	struct trace_cursor	*plain;		/* owned; visits all rows */
	struct row		**cache;	/* owned rows of this window */
	unsigned int		 nr_cache, cap_cache;
	struct row_line_ref	*lines;		/* owned, [nr_lines] */
	unsigned int		 nr_lines, cap_lines;
	unsigned int		 height;
	struct row_room		 room;		/* room for texts: rows_set_room() */
	unsigned int		 gaps;		/* bits by enum row_gap_kind; rows_set_gaps() */
	unsigned int		 at;		/* line of the cursor */
	trace_ref		 top;		/* TRACE_REF_NONE: there are no rows */
	unsigned int		 top_frame;
	bool			 all_open;	/* stacks are open by default */
	trace_ref		*toggled;	/* owned, [nr_toggled]: stacks
						   that differ from all_open */
	unsigned int		 nr_toggled, cap_toggled;
	bool			 valid;		/* lines match top */
	bool			 later;		/* time ran out: rows_fill() continues */
	bool			 filling;	/* the cursor is after the last
						   line, ready for more */
	unsigned int		 first_frame;	/* frame at which the next row to fill begins */
};

/* @shared: borrowed, must outlive it */
void rows_init(struct rows *rows, struct shared *shared);
void rows_fini(struct rows *rows);
/* at least 1 line; the cursor's row stays on the screen */
void rows_set_height(struct rows *rows, unsigned int height);
/* Renders rows again if the room for their texts changes. */
void rows_set_room(struct rows *rows, struct row_room room);
/* Sets what lines hold of other rows; the lines shown get it, too. */
void rows_set_gaps(struct rows *rows, unsigned int gaps);
void rows_fill(struct rows *rows);              /* reads the rows shown; all
						   functions below call it */
void rows_forget(struct rows *rows);		/* rendered rows are stale: text or list changed */

const struct row *rows_here(struct rows *rows);	/* row under the cursor; NULL: no rows */
bool rows_move(struct rows *rows, int lines);	/* moves the cursor; false: it is at an end */
bool rows_scroll(struct rows *rows, int lines);	/* moves the window; the cursor stays on its line */
void rows_go(struct rows *rows, trace_ref ref);	/* cursor to this row; scrolls if needed */
/* cursor to this row, shown on @line if enough rows precede it */
void rows_go_to_line(struct rows *rows, trace_ref ref, unsigned int line);
void rows_choose(struct rows *rows, unsigned int line);	/* cursor to a line of the window */

/* Is the stack of this record open, with a line for each frame? */
bool rows_is_open(const struct rows *rows, trace_ref ref);
void rows_open(struct rows *rows, trace_ref ref, bool open);
void rows_open_all(struct rows *rows, bool open);	/* forgets stacks toggled one by one */
/* Opens the stacks that were open at another time: all_open and toggled. */
void rows_open_these(struct rows *rows, bool all_open, const trace_ref *toggled, unsigned int nr);

/*
 * The stack record that belongs to a row: itself, or the next of its stream; TRACE_REF_NONE: it has
 * none.
 */
trace_ref rows_stack_of(struct rows *rows, const struct row *row);
#endif
