/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_LIST_WINDOW_H
#define FTOP_UI_LIST_WINDOW_H
/* list_window - which rows of a list of known length are on the screen: @height of its @nr rows, from @top on. */
#include <stdint.h>

/* The row nearest to a number that may lie outside of the list; 0 where it is empty. */
unsigned int list_window_row(int64_t row, unsigned int nr);

/* The top moved by rows, as far as there are some. */
unsigned int list_window_scroll(unsigned int top, int64_t rows, unsigned int height, unsigned int nr);

/* The top moved as little as possible, so that row @at is on the screen and none below the last row stays empty without need. */
unsigned int list_window_show(unsigned int top, unsigned int at, unsigned int height, unsigned int nr);
#endif
