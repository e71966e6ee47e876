/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROW_CURSOR_H
#define FTOP_UI_ROW_CURSOR_H
/*
 * row_cursor - goes through the rows that are listed: those of the chosen streams
 * that the filters keep, with some rows around each of them where that is asked for.
 *
 * As a trace_cursor it stands between two rows and moves both ways.
 */
#include <stdbool.h>
#include "ui/rows/shared.h"

struct row_cursor;			/* opaque */

struct row_cursor *row_cursor_new(struct shared *shared);	/* borrowed; lists all rows until row_cursor_take() */
void row_cursor_free(struct row_cursor *cursor);	/* NULL is allowed */
void row_cursor_take(struct row_cursor *cursor);	/* shared's list and filters as they are now; seek again */
void row_cursor_seek(struct row_cursor *cursor, trace_ref ref);	/* before this row; TRACE_REF_NONE: behind the last */
bool row_cursor_next(struct row_cursor *cursor, struct trace_event *event);	/* false: no more, or no time to look */
bool row_cursor_prev(struct row_cursor *cursor, struct trace_event *event);
bool row_cursor_is_later(const struct row_cursor *cursor);	/* after false: it was time; the same call goes on */
#endif
