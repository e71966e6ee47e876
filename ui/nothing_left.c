/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "ui/nothing_left.h"

int nothing_left_draw_why(struct shared *shared, struct canvas *canvas, int line, int end)
{
	struct text t = { 0 };

	if (line < end && filters_blame(&shared->filters, &shared->places, &t))
		canvas_fit(canvas, line++, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
	text_clear(&t);
	if (line < end && filters_reason(&shared->filters, &shared->places, &t))
		canvas_fit(canvas, line++, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
	text_fini(&t);
	return line;
}
