/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_LIST_WINDOW_H
#define FTOP_UI_SCREEN_LIST_WINDOW_H
/*
 * list_window - a list of known length on the screen: which row the cursor is on, which rows are
 * shown, and what keys and the mouse do to both.  ui/table adds columns and their order.
 */
#include <stdint.h>
#include "ui/screen/key.h"
#include "ui/screen/request.h"

struct list_window {			/* zeroed: at the first row */
	unsigned int	at, top;	/* row of the cursor, first row on the screen */
	unsigned int	height;		/* rows on the screen, as drawn last */
	int		row;		/* row of the canvas where the list begins */
};

/* selects @row, or the nearest one */
void list_window_select(struct list_window *window, int64_t row, unsigned int nr);
/* false: it does not move */
bool list_window_request(struct list_window *window, enum request request, unsigned int nr);
/* Call before drawing: the cursor's row is among @rows rows of the canvas from @row on. */
void list_window_show(struct list_window *window, int row, int rows, unsigned int nr);
/* The row that a button was pressed on; -1: none. */
int list_window_pressed(const struct list_window *window, const struct ui_mouse *mouse,
			unsigned int nr);
/* REQ_UP, REQ_DOWN; REQ_NONE: it is not the wheel. */
enum request list_window_wheel(const struct ui_mouse *mouse);

/* For lists that keep their own cursor: @height of @nr rows are on the screen, from @top on. */

/* The row nearest to a number that may lie outside of the list; 0 where it is empty. */
unsigned int list_window_row(int64_t row, unsigned int nr);

/* The new top after scrolling by @rows, kept within the list. */
unsigned int list_window_scroll(unsigned int top, int64_t rows, unsigned int height,
				unsigned int nr);

/*
 * The new top, moved as little as possible to show row @at and to fill the screen if there are
 * enough rows.
 */
unsigned int list_window_top(unsigned int top, unsigned int at, unsigned int height,
			     unsigned int nr);
#endif
