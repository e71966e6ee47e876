/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/events/template.h"

/* Its parts as "text[name|how]". */
static void expect_parts(const char *template, const char *expected)
{
	struct text all = { 0 };
	struct template_part part;

	while (template_next(&template, &part)) {
		text_bytes(&all, part.text, part.text_len);
		if (part.name)
			text_printf(&all, "[%.*s|%.*s]", (int)part.name_len, part.name,
				    (int)part.how_len, part.how);
	}
	assert_string_equal(text_str(&all), expected);
	text_fini(&all);
}

static void test_parts(void **state)
{
	(void)state;
	expect_parts("", "");
	expect_parts("no value", "no value");
	expect_parts("{a}", "[a|]");
	expect_parts("{a}{b} c", "[a|][b|] c");
	expect_parts("x {comm:comm 16s char[16]} y", "x [comm|comm 16s char[16]] y");
	expect_parts("{} {:int}", "[|] [|int]");
	expect_parts("{*:words} {>ret}", "[*|words] [>ret|]");
	expect_parts("{{x} {{{a}} }", "{x} {[a|]} }");
	expect_parts("not {closed", "not {closed");
	expect_parts("{", "{");
	expect_parts("{{", "{");
}

static void test_fields_that_are_shown(void **state)
{
	static const char template[] = "{comm}-{pid} {{prio} {delay:ns}";

	(void)state;
	assert_true(template_shows(template, "comm"));
	assert_true(template_shows(template, "delay"));
	assert_false(template_shows(template, "prio"));
	assert_false(template_shows(template, "com"));
	assert_false(template_shows(template, "commx"));
	assert_false(template_shows("", "comm"));
}

static void test_numbers(void **state)
{
	static const struct {
		const char	*template;
		int64_t		 value;
		const char	*expected;
	} cases[] = {
		{ "{f:ns}", 1763, "1.763 µs" },
		{ "{f:us}", 1763, "1.763 ms" },
		{ "{f:hex}", 31, "0x1f" },
		{ "{f:hex}", -1, "0xffffffffffffffff" },
		{ "{f:result}", 3, ": 3" },
		{ "{f:result}", 0, ": 0" },
		{ "{f:error}", 0, "" },
		{ "{f:error}", -8192, ": -8192" },
		{ "{f:signal}", 9, "SIGKILL" },
		{ "{f:signal}", 40, "signal 40" },
		{ "{f:pages}", 0, "a page" },
		{ "{f:pages}", 3, "8 pages" },
		{ "{f:idle}", 2, "enters idle state 2" },
		{ "{f:idle}", 4294967295, "leaves its idle state" },
		{ "{f:no|yes}", 0, "no" },
		{ "{f:no|yes}", 1, "yes" },
		{ "{f:no|yes}", 2, "yes" },
		{ "{f:no|yes}", -1, "yes" },
		{ "{f:|R|W|?}", 2, "W" },
		/* these are shown as numbers */
		{ "{f:|R|W|}", 0, NULL },
		{ "{f:|R|W|}", 3, NULL },
		{ "{f}", 5, NULL },
		{ "{f:unknown}", 5, NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const char *at = cases[i].template;
		struct template_part part;
		struct text out = { 0 };

		assert_true(template_next(&at, &part));
		assert_int_equal(template_add_number(&part, cases[i].value, &out),
				 cases[i].expected != NULL);
		assert_string_equal(text_str(&out), cases[i].expected ?: "");
		text_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_parts),
		cmocka_unit_test(test_fields_that_are_shown),
		cmocka_unit_test(test_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
