/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_ROW_CURSOR_H
#define FTOP_UI_ROWS_ROW_CURSOR_H
/*
 * row_cursor - visits the listed rows: the rows of the chosen streams that the filters keep, and,
 * on request, some rows around each.  Exits of leaf calls are passed over.
 *
 * Like a trace_cursor it stands between two rows and moves both ways.
 */
#include <stdbool.h>
#include "ui/rows/shared.h"

struct row_cursor;			/* opaque */

/*
 * A leaf call is one row, that of its entry: the ref of this entry if @event is an exit without a
 * row.  TRACE_REF_NONE: @event has a row.  An exit has a row if filters keep only the exit.
 */
trace_ref row_cursor_leaf(const struct shared *shared, const struct trace_event *event);

/* borrowed; lists all rows until row_cursor_take() */
struct row_cursor *row_cursor_new(struct shared *shared);
void row_cursor_free(struct row_cursor *cursor);	/* NULL is allowed */
void row_cursor_take(struct row_cursor *cursor);        /* takes shared's current list and
							   filters; seek again after it */
/* before this row; TRACE_REF_NONE: after the last */
void row_cursor_seek(struct row_cursor *cursor, trace_ref ref);
/* false: no more, or no time to look */
bool row_cursor_next(struct row_cursor *cursor, struct trace_event *event);
bool row_cursor_prev(struct row_cursor *cursor, struct trace_event *event);
/* after false: time ran out; repeat the call to go on */
bool row_cursor_is_later(const struct row_cursor *cursor);
#endif
