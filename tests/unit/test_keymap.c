/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "ui/screen/canvas.h"
#include "ui/screen/keymap.h"

static ui_key key(const char *name)
{
	return key_parse(name, strlen(name));
}

static struct keymap_result press(struct keymap *map, ui_key key)
{
	return keymap_press(map, key, keymap_find(key));
}

static void test_names_of_keys(void **state)
{
	static const char *const names[] = { "q",     "^L",  "F1",    "F10", "PgDn", "Space",
					     "S-Tab", "Esc", "Enter", "\"",  "é" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct text t = { 0 };

		assert_int_not_equal(key(names[i]), UI_KEY_NONE);
		key_name(key(names[i]), &t);
		assert_string_equal(text_str(&t), names[i]);
		text_fini(&t);
	}
	assert_int_equal(key("^L"), 12);
	assert_int_equal(key("F12"), UI_KEY_F0 + 12);
	assert_int_equal(key("NoKey"), UI_KEY_NONE);
	assert_int_equal(key("F1x"), UI_KEY_NONE);
}

/* One key, one idea: no key has two requests, each request has a name, keys and help. */
static void test_the_table_is_whole(void **state)
{
	(void)state;
	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
		const struct request_info *info = request_info(r);
		char keys[128], *save = NULL;

		assert_non_null(info->name);
		assert_non_null(info->help);
		assert_true(strlen(info->keys) < sizeof(keys));
		strcpy(keys, info->keys);
		for (char *k = strtok_r(keys, " ", &save); k; k = strtok_r(NULL, " ", &save)) {
			if (key(k) == UI_KEY_NONE)
				fail_msg("%s: no key %s", info->name, k);
			if (keymap_find(key(k)) != (enum request)r)
				fail_msg("%s: key %s belongs to %s", info->name, k,
					 request_info(keymap_find(key(k)))->name);
		}
		for (int other = REQ_NONE + 1; other < r; other++)
			assert_string_not_equal(info->name, request_info(other)->name);
	}
}

/* What the bottom line says of a key fits into 80 columns. */
static void test_the_bottom_line_holds_it(void **state)
{
	(void)state;
	for (int r = REQ_NONE + 1; r < NR_REQUESTS; r++) {
		const struct request_info *info = request_info(r);

		if (info->letters)
			assert_in_range(canvas_width(info->letters, strlen(info->letters)), 1, 78);
	}
}

/* Flow control, SIGQUIT, and what the user may bind are left alone. */
static void test_keys_that_stay_free(void **state)
{
	static const char *const names[] = { "^S", "^Q", "^\\", "A", "J", "U", "X", "Z",
					     ",", ".", ";", "^", "$", "%", "~", "@", "_" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		assert_int_equal(keymap_find(key(names[i])), REQ_NONE);
}

static void test_a_key_that_waits_for_a_letter(void **state)
{
	struct keymap map = { 0 };
	struct keymap_result r;

	(void)state;
	r = press(&map, 'm');
	assert_int_equal(r.request, REQ_NONE);
	assert_false(r.unknown);
	assert_int_equal(map.pending, REQ_MARK);
	r = press(&map, 'x');
	assert_int_equal(r.request, REQ_MARK);
	assert_int_equal(r.letter, 'x');
	assert_int_equal(map.pending, REQ_NONE);

	press(&map, 'y');
	r = press(&map, 'q');		/* none of its letters */
	assert_int_equal(r.request, REQ_NONE);
	assert_true(r.unknown);
	assert_int_equal(map.pending, REQ_NONE);

	press(&map, '\'');
	r = press(&map, UI_KEY_ESC);
	assert_int_equal(r.request, REQ_NONE);
	assert_false(r.unknown);
	assert_int_equal(map.pending, REQ_NONE);

	press(&map, '\'');
	r = press(&map, '\'');
	assert_int_equal(r.request, REQ_MARK_GO);
	assert_int_equal(r.letter, '\'');
}

static void test_a_key_without_request(void **state)
{
	struct keymap map = { 0 };

	(void)state;
	assert_true(press(&map, '~').unknown);
	assert_int_equal(press(&map, UI_KEY_PAGE_DOWN).request, REQ_PAGE_DOWN);
	assert_int_equal(press(&map, ' ').request, REQ_PAGE_DOWN);
}

/* 1 to 9 are one request: which view has the digit is not the keymap's to know. */
static void test_digits_of_views(void **state)
{
	struct keymap map = { 0 };

	(void)state;
	for (char digit = '1'; digit <= '9'; digit++) {
		assert_int_equal(press(&map, (ui_key)digit).request, REQ_VIEW);
		assert_int_equal(press(&map, (ui_key)digit).letter, digit);
	}
	assert_int_equal(press(&map, 'B').letter, 'B');
	assert_int_equal(press(&map, 'V').request, REQ_VIEW_LIST);
}

static void test_rows_that_keys_move_by(void **state)
{
	static const struct {
		enum request	request;
		int		height, rows;
		bool		scrolls;
	} keys[] = {
		{ REQ_DOWN, 20, 1, false },	 { REQ_UP, 20, -1, false },	  { REQ_PAGE_DOWN,
			20, 19, true },
		{ REQ_PAGE_UP, 20, -19, true },	 { REQ_HALF_DOWN, 20, 10, true },
		{ REQ_HALF_UP, 20, -10, true },
		{ REQ_HALF_DOWN, 21, 10, true }, { REQ_PAGE_DOWN, 1, 1, true },	  { REQ_HALF_UP, 0,
			-1, true },
	};
	bool scrolls;

	(void)state;
	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		assert_int_equal(request_rows(keys[i].request, keys[i].height, &scrolls),
				 keys[i].rows);
		assert_int_equal(scrolls, keys[i].scrolls);
	}
	assert_int_equal(request_rows(REQ_FIRST, 20, NULL), 0);
	assert_int_equal(request_rows(REQ_ENTER, 20, &scrolls), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_names_of_keys),
		cmocka_unit_test(test_the_table_is_whole),
		cmocka_unit_test(test_the_bottom_line_holds_it),
		cmocka_unit_test(test_keys_that_stay_free),
		cmocka_unit_test(test_a_key_that_waits_for_a_letter),
		cmocka_unit_test(test_a_key_without_request),
		cmocka_unit_test(test_digits_of_views),
		cmocka_unit_test(test_rows_that_keys_move_by),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
