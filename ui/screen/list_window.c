/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/list_window.h"

unsigned int list_window_row(int64_t row, unsigned int nr)
{
	if (row < 0 || !nr)
		return 0;
	return row < nr ? (unsigned int)row : nr - 1;
}

unsigned int list_window_scroll(unsigned int top, int64_t rows, unsigned int height,
				unsigned int nr)
{
	return list_window_row((int64_t)top + rows, nr > height ? nr - height + 1 : 0);
}

unsigned int list_window_top(unsigned int top, unsigned int at, unsigned int height,
			     unsigned int nr)
{
	if (at < top)
		top = at;
	if (at >= top + height)
		top = at - height + 1;
	return list_window_scroll(top, 0, height, nr);
}

void list_window_select(struct list_window *w, int64_t row, unsigned int nr)
{
	w->at = list_window_row(row, nr);
}

bool list_window_request(struct list_window *w, enum request request, unsigned int nr)
{
	bool scrolls;
	int rows = request_rows(request, (int)w->height, &scrolls);

	if (request == REQ_FIRST || request == REQ_LAST) {
		list_window_select(w, request == REQ_FIRST ? 0 : INT64_MAX, nr);
		return true;
	}
	if (!rows)
		return false;
	if (scrolls)
		w->top = list_window_scroll(w->top, rows, w->height, nr);
	list_window_select(w, (int64_t)w->at + rows, nr);
	return true;
}

void list_window_show(struct list_window *w, int row, int rows, unsigned int nr)
{
	w->row = row;
	w->height = rows > 0 ? (unsigned int)rows : 1;
	w->top = list_window_top(w->top, w->at, w->height, nr);
}

int list_window_pressed(const struct list_window *w, const struct ui_mouse *mouse, unsigned int nr)
{
	int line = mouse->row - w->row;

	if (mouse->kind != UI_MOUSE_PRESS && mouse->kind != UI_MOUSE_DOUBLE)
		return -1;
	return line >= 0 && line < (int)w->height && w->top + (unsigned int)line < nr ?
		       (int)w->top + line :
		       -1;
}

enum request list_window_wheel(const struct ui_mouse *mouse)
{
	return mouse->kind == UI_MOUSE_WHEEL_UP   ? REQ_UP :
	       mouse->kind == UI_MOUSE_WHEEL_DOWN ? REQ_DOWN :
						    REQ_NONE;
}
