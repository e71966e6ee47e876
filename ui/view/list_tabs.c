/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/list_tabs.h"

#include <string.h>

/* Brackets and blanks have the same width, so that names stay where they are. */
static int add_tab(const struct list_tab *list, char shown, struct text *out)
{
	text_clear(out);
	text_printf(out, list->letter == shown ? "[%s]" : " %s ", list->name);
	return canvas_width(text_str(out), out->len);
}

/* Cells up to the end of the list shown. */
static int width_to_shown(const struct list_tab *lists, char shown)
{
	struct text tab = { 0 };
	int width = 0;

	for (; lists->letter; lists++) {
		width += add_tab(lists, shown, &tab);
		if (lists->letter == shown)
			break;
	}
	text_fini(&tab);
	return width;
}

/* The first one that is drawn, so that there is room for the list shown. */
static const struct list_tab *first_tab(const struct list_tab *lists, char shown, int cells)
{
	while (lists->letter && lists->letter != shown && width_to_shown(lists, shown) > cells)
		lists++;
	return lists;
}

int list_tabs_draw(struct canvas *canvas, int row, const struct list_tab *lists, char shown,
		   int cells)
{
	struct text tab = { 0 };
	int col = 0;

	for (lists = first_tab(lists, shown, cells); lists->letter && col < cells; lists++) {
		int width = add_tab(lists, shown, &tab);

		canvas_fit(canvas, row, col, cells - col,
			   lists->letter == shown ? ROLE_TAB_CURRENT : ROLE_TAB, text_str(&tab));
		col += width;
	}
	text_fini(&tab);
	return col < cells ? col : cells;
}

/* Put the scope into @t.  Return: its cells. */
static int scope_cells(const struct view *view, const struct view_lists *lists, unsigned int less,
		       struct text *t)
{
	text_clear(t);
	lists->scope(view, less, t);
	return canvas_width(text_str(t), t->len);
}

int list_tabs_cells(struct view *view, const struct view_lists *lists, int cols)
{
	struct text t = { 0 };
	int cells = lists->keeps_scope ? scope_cells(view, lists, lists->nr_scopes - 1, &t) : 0;

	text_fini(&t);
	return cells ? cols - cells - 3 : cols;
}

void list_tabs_line(struct view *view, const struct view_lists *lists, bool limited,
		    const struct view_area *area)
{
	int cols = area->canvas->cols;
	int used = list_tabs_draw(area->canvas, area->top, lists->now(view), lists->shown(view),
				  list_tabs_cells(view, lists, cols));
	int room = cols - used - 2;
	struct text t = { 0 };

	for (unsigned int less = 0; less < lists->nr_scopes; less++)
		if (scope_cells(view, lists, less, &t) <= room)
			break;
	canvas_right(area->canvas, area->top, used + 1, room, limited ? ROLE_RANGE : ROLE_HEADING,
		     text_str(&t));
	text_fini(&t);
}

char list_tabs_at(const struct list_tab *lists, char shown, int cells, int col)
{
	struct text tab = { 0 };
	char found = 0;

	lists = first_tab(lists, shown, cells);
	for (int from = 0; lists->letter && !found && col < cells; lists++) {
		from += add_tab(lists, shown, &tab);
		if (col < from)
			found = lists->letter;
	}
	text_fini(&tab);
	return found;
}
