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
int list_tabs_draw(struct canvas *canvas, int row, const struct view_list *lists, char shown,
		   int cells);
/* The letter of the list at a cell; 0: there is none. */
char list_tabs_at(const struct view_list *lists, char shown, int cells, int col);
#endif
