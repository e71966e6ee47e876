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

int list_tabs_draw(struct canvas *canvas, int row, const struct view_list *lists, char shown)
{
	struct text tab = { 0 };
	int col = 0;

	for (; lists->letter; lists++) {
		int width = add_tab(lists, shown, &tab);

		canvas_text(canvas, row, col, canvas->cols - col,
			    lists->letter == shown ? ROLE_TAB_CURRENT : ROLE_TAB, text_str(&tab));
		col += width;
	}
	text_fini(&tab);
	return col;
}

char list_tabs_at(const struct view_list *lists, char shown, int col)
{
	struct text tab = { 0 };
	char found = 0;

	for (int from = 0; lists->letter && !found; lists++) {
		from += add_tab(lists, shown, &tab);
		if (col < from)
			found = lists->letter;
	}
	text_fini(&tab);
	return found;
}
