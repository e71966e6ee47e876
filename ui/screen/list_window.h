/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SCREEN_LIST_WINDOW_H
#define FTOP_UI_SCREEN_LIST_WINDOW_H
/*
 * list_window - which rows of a list of known length are on the screen: @height of its @nr rows,
 * from @top on.
 */
#include <stdint.h>

/* The row nearest to a number that may lie outside of the list; 0 where it is empty. */
unsigned int list_window_row(int64_t row, unsigned int nr);

/* The new top after scrolling by @rows, kept within the list. */
unsigned int list_window_scroll(unsigned int top, int64_t rows, unsigned int height, unsigned int nr);

/*
 * The new top, moved as little as possible to show row @at and to fill the screen if there are
 * enough rows.
 */
unsigned int list_window_show(unsigned int top, unsigned int at, unsigned int height, unsigned int nr);
#endif
