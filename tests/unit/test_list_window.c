/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is shown of a list: every case of a small one, against what has to hold. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdbool.h>
#include <stdlib.h>

#include "ui/screen/list_window.h"

/* Row @at is on the screen, and no row above is left out while there is room below. */
static bool is_right(unsigned int top, unsigned int at, unsigned int height, unsigned int nr)
{
	return at >= top && at < top + height && (!top || top + height <= nr);
}

/* Of all tops that are right, the nearest. */
static void the_cursor_is_shown(void **state)
{
	(void)state;
	for (unsigned int nr = 1; nr < 9; nr++)
		for (unsigned int height = 1; height < 9; height++)
			for (unsigned int top = 0; top < 12; top++)
				for (unsigned int at = 0; at < nr; at++) {
					unsigned int got = list_window_top(top, at, height, nr);

					assert_true(is_right(got, at, height, nr));
					for (unsigned int other = 0; other < 12; other++)
						if (is_right(other, at, height, nr))
							assert_true(abs((int)got - (int)top) <=
								    abs((int)other - (int)top));
				}
	assert_int_equal(list_window_top(7, 0, 5, 0), 0);
}

static void scrolling_ends_where_the_list_does(void **state)
{
	(void)state;
	assert_int_equal(list_window_scroll(3, 2, 4, 100), 5);
	assert_int_equal(list_window_scroll(3, -2, 4, 100), 1);
	assert_int_equal(list_window_scroll(3, -4, 4, 100), 0);
	assert_int_equal(list_window_scroll(95, 2, 4, 100), 96);
	assert_int_equal(list_window_scroll(95, INT32_MAX, 4, 100), 96);
	assert_int_equal(list_window_scroll(0, 1, 4, 4), 0);
	assert_int_equal(list_window_scroll(0, 1, 4, 5), 1);
	assert_int_equal(list_window_scroll(2, 1, 4, 0), 0);
}

static void rows_stay_in_the_list(void **state)
{
	(void)state;
	assert_int_equal(list_window_row(-1, 5), 0);
	assert_int_equal(list_window_row(4, 5), 4);
	assert_int_equal(list_window_row(5, 5), 4);
	assert_int_equal(list_window_row(INT64_MAX, 5), 4);
	assert_int_equal(list_window_row(INT64_MIN, 5), 0);
	assert_int_equal(list_window_row(3, 0), 0);
}

static void keys_and_mouse_move(void **state)
{
	struct list_window w = { 0 };

	(void)state;
	list_window_show(&w, 3, 5, 20);
	assert_true(list_window_request(&w, REQ_PAGE_DOWN, 20));	/* one row stays in sight */
	assert_int_equal(w.at, 4);
	assert_int_equal(w.top, 4);
	assert_true(list_window_request(&w, REQ_LAST, 20));
	assert_true(list_window_request(&w, REQ_DOWN, 20));
	assert_int_equal(w.at, 19);
	list_window_show(&w, 3, 5, 20);
	assert_int_equal(w.top, 15);
	assert_false(list_window_request(&w, REQ_ENTER, 20));
	assert_int_equal(list_window_pressed(&w,
					     &(struct ui_mouse){ .kind = UI_MOUSE_PRESS, .row = 4 },
					     20),
			 16);
	assert_int_equal(list_window_pressed(&w,
					     &(struct ui_mouse){ .kind = UI_MOUSE_PRESS, .row = 8 },
					     20),
			 -1);
	assert_int_equal(list_window_pressed(&w,
					     &(struct ui_mouse){ .kind = UI_MOUSE_DRAG, .row = 4 },
					     20),
			 -1);
	assert_int_equal(list_window_wheel(&(struct ui_mouse){ .kind = UI_MOUSE_WHEEL_UP }),
			 REQ_UP);
	assert_int_equal(list_window_wheel(&(struct ui_mouse){ .kind = UI_MOUSE_PRESS }), REQ_NONE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_cursor_is_shown),
		cmocka_unit_test(scrolling_ends_where_the_list_does),
		cmocka_unit_test(rows_stay_in_the_list),
		cmocka_unit_test(keys_and_mouse_move),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
