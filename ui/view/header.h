/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_HEADER_H
#define FTOP_UI_VIEW_HEADER_H
/* header - the first rows of the screen: the trace, the position in it, the overview, the tabs. */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"
#include "ui/view/view.h"

/* @right: text at its right end; NULL: the number of the row under the cursor. */
void header_draw(struct canvas *canvas, int row, const struct shared *shared, const char *right);
/*
 * Draws the tabs of @views, the current one in brackets, and the filter and the search behind or
 * below them.  @views: [NR_VIEWS], NULL for a view that is missing.
 */
void header_draw_tabs(struct canvas *canvas, int row, int rows, const struct shared *shared,
		      const struct view_ops *const *views, enum view_id current);
/* The rows that they need: two where filter and search do not fit behind the tabs. */
int header_tabs_rows(const struct shared *shared, int cols, const struct view_ops *const *views,
		     enum view_id current);
/* The view whose tab is in this column; NR_VIEWS: none. */
enum view_id header_tab_at(const struct shared *shared, int cols,
			   const struct view_ops *const *views, enum view_id current, int col);
/* Is there anything to show in its second row: marks, notes, a range, matches? */
bool overview_has_more(const struct shared *shared);
/* Draws one row or two: density with the window in brackets; marks, matches, range. */
void overview_draw(struct canvas *canvas, int row, int rows, const struct shared *shared);
/* The ts at a column of the overview. */
int64_t overview_time(const struct shared *shared, int cols, int col);
#endif
