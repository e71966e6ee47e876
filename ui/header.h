/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_HEADER_H
#define FTOP_UI_HEADER_H
/* header - the first rows of the screen: what trace this is, where we are in it, the overview, the tabs. */
#include "ui/canvas.h"
#include "ui/shared.h"
#include "ui/view.h"

void header_draw(struct canvas *canvas, int row, const struct shared *shared);
void header_draw_tabs(struct canvas *canvas, int row, const struct shared *shared, const struct view_ops *current);
/* One row, or two: density with the window in brackets; marks, matches' place, range. */
void overview_draw(struct canvas *canvas, int row, int rows, const struct shared *shared);
/* The moment a column of the overview stands for. */
int64_t overview_time(const struct shared *shared, int cols, int col);
#endif
