/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/view/list_tabs.h"

#include <string.h>

/* Brackets and blanks have the same width, so that names stay where they are. */
static int add_tab(const struct view_list *list, char shown, struct text *out)
{
	text_clear(out);
	text_printf(out, list->letter == shown ? "[%s]" : " %s ", list->name);
	return canvas_width(text_str(out), out->len);
}

/* Cells up to the end of the list shown. */
static int width_to_shown(const struct view_list *lists, char shown)
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
static const struct view_list *first_tab(const struct view_list *lists, char shown, int cells)
{
	while (lists->letter && lists->letter != shown && width_to_shown(lists, shown) > cells)
		lists++;
	return lists;
}

int list_tabs_draw(struct canvas *canvas, int row, const struct view_list *lists, char shown,
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

void list_tabs_line(struct view *view, const struct view_lists *lists,
		    const struct list_tabs_scope *scope, struct canvas *canvas, int row)
{
	int cells = lists->tabs_cells ? lists->tabs_cells(view, canvas->cols) : canvas->cols;
	int used = list_tabs_draw(canvas, row, lists->now(view), lists->shown(view), cells);
	int room = canvas->cols - used - 2;
	struct text t = { 0 };

	for (unsigned int less = 0; less < scope->nr; less++) {
		text_clear(&t);
		scope->text(view, less, &t);
		if (canvas_width(text_str(&t), t.len) <= room)
			break;
	}
	canvas_right(canvas, row, used + 1, room, scope->is_limited ? ROLE_RANGE : ROLE_HEADING,
		     text_str(&t));
	text_fini(&t);
}

char list_tabs_at(const struct view_list *lists, char shown, int cells, int col)
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
