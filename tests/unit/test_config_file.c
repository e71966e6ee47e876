/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lines of settings: what they say, where they are wrong, and one of them changed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "src/base/config_file.h"

static void lines_are_read(void **state)
{
	const char *text = "# colours\n\ntheme = light\n  mouse=off   # for xterm\n"
			   "events.columns = time, cpu\n\tx = a#b";
	struct config_line line = { 0 };

	(void)state;
	assert_true(config_file_next(text, &line));
	assert_int_equal(line.nr, 3);
	assert_string_equal(line.name, "theme");
	assert_string_equal(line.value, "light");
	assert_int_equal(line.name_column, 1);
	assert_int_equal(line.value_column, 9);
	assert_true(config_file_next(NULL, &line));
	assert_int_equal(line.nr, 4);
	assert_string_equal(line.name, "mouse");
	assert_string_equal(line.value, "off");
	assert_int_equal(line.name_column, 3);
	assert_true(config_file_next(NULL, &line));
	assert_string_equal(line.value, "time, cpu");
	assert_true(config_file_next(NULL, &line));
	assert_string_equal(line.value, "a#b");
	assert_null(line.wrong);
	assert_false(config_file_next(NULL, &line));
	assert_false(config_file_next("", &line));
}

static void mistakes_have_a_place(void **state)
{
	static const struct { const char *text, *wrong; unsigned int column; } cases[] = {
		{ "theme light", "= is missing: a line is name = value", 12 },
		{ "theme   # = light", "= is missing: a line is name = value", 6 },
		{ "  = light", "a name is missing, or too long", 3 },
		{ "theme =", "a value is missing after the =", 8 },
		{ "theme = # dark", "a value is missing after the =", 8 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct config_line line = { 0 };

		assert_true(config_file_next(cases[i].text, &line));
		assert_string_equal(line.wrong, cases[i].wrong);
		assert_int_equal(line.wrong_column, cases[i].column);
	}
}

static void one_line_changes(void **state)
{
	static const struct { const char *before, *after; } cases[] = {
		{ "", "theme = light\n" },
		{ "# mine", "# mine\ntheme = light\n" },
		{ "a = 1\n# it\n\ntheme = dark # x\n# end\nb = 2\n",
		  "a = 1\n# it\n\ntheme = light\n# end\nb = 2\n" },
		{ "theme = dark\nwrong\ntheme = mono", "theme = light\nwrong\n" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };

		config_file_change(cases[i].before, "theme", "light", &out);
		assert_string_equal(text_str(&out), cases[i].after);
		text_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_read),
		cmocka_unit_test(mistakes_have_a_place),
		cmocka_unit_test(one_line_changes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
