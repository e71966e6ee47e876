/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_HEADER_H
#define FTOP_UI_HEADER_H
/* header - the first rows of the screen: what trace this is, where we are in it, the overview, the tabs. */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"
#include "ui/view/view.h"

/* @right: what stands at its right end; NULL: the row under the cursor, by its number. */
void header_draw(struct canvas *canvas, int row, const struct shared *shared, const char *right);
/* Views that exist, the one shown in brackets; where the filter needs the room, the others by their digits alone. */
void header_draw_tabs(struct canvas *canvas, int row, const struct shared *shared, enum view_id current);
/* The view whose tab stands in this column; NR_VIEWS: none. */
enum view_id header_tab_at(const struct shared *shared, int cols, enum view_id current, int col);
/* One row, or two: density with the window in brackets; marks, matches' place, range. */
void overview_draw(struct canvas *canvas, int row, int rows, const struct shared *shared);
/* The moment a column of the overview stands for. */
int64_t overview_time(const struct shared *shared, int cols, int col);
#endif
