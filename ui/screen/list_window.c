/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/screen/list_window.h"

unsigned int list_window_row(int64_t row, unsigned int nr)
{
	if (row < 0 || !nr)
		return 0;
	return row < nr ? (unsigned int)row : nr - 1;
}

unsigned int list_window_scroll(unsigned int top, int64_t rows, unsigned int height, unsigned int nr)
{
	return list_window_row((int64_t)top + rows, nr > height ? nr - height + 1 : 0);
}

unsigned int list_window_show(unsigned int top, unsigned int at, unsigned int height, unsigned int nr)
{
	if (at < top)
		top = at;
	if (at >= top + height)
		top = at - height + 1;
	return list_window_scroll(top, 0, height, nr);
}
