/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_LIST_TABS_H
#define FTOP_UI_VIEW_LIST_TABS_H
/*
 * list_tabs - the names of a view's lists, "[tasks] CPUs  event types", at the left of its first
 * row.  A view that draws them says so in view_lists.tabs; a click on one then chooses the list.
 */
#include "ui/view/view.h"

/*
 * In the first @cells: names before the list shown are left out if it had no room.
 * Returns the cell after the last one.
 */
int list_tabs_draw(struct canvas *canvas, int row, const struct list_tab *lists, char shown,
		   int cells);
/* The first row of a view: names, and on the right the scope; @limited: less than the trace. */
void list_tabs_line(struct view *view, const struct view_lists *lists, bool limited,
		    const struct view_area *area);
/* How many cells of the first row the names may take. */
int list_tabs_cells(struct view *view, const struct view_lists *lists, int cols);
/* The letter of the list at a cell; 0: there is none. */
char list_tabs_at(const struct list_tab *lists, char shown, int cells, int col);
#endif
