/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/json.h"

static struct json parsed(const char *line)
{
	struct json value;

	if (!json_parse(line, strlen(line), &value))
		fail_msg("not taken: %s", line);
	return value;
}

static void members_are_found(void **state)
{
	struct json o = parsed(
		" {\"type\": \"status\", \"bytes\":18446744073709551615,\"ok\":true,\"n\":{\"bytes\":1},\"a\":[]} ");
	struct json value;
	struct text t = { 0 };
	uint64_t n = 7;

	(void)state;
	assert_true(json_is(&o, "type", "status"));
	assert_false(json_is(&o, "type", "statu"));
	assert_true(json_get_number(&o, "bytes", &n));
	assert_true(n == UINT64_MAX);
	assert_true(json_member(&o, "ok", &value) && json_true(&value));
	assert_true(json_member(&o, "n", &value) && json_get_number(&value, "bytes", &n));
	assert_int_equal(n, 1);
	n = 9;
	assert_false(json_get_number(&o, "type", &n));
	assert_false(json_get_number(&o, "none", &n));
	assert_false(json_get_string(&o, "bytes", &t));
	assert_int_equal(n, 9);
	text_fini(&t);
}

static void elements_come_in_order(void **state)
{
	struct json o = parsed("[ {\"cpu\":0} , {\"cpu\":1},{\"cpu\":2}]"), empty = parsed("[ ]"),
		    value;
	const char *next = o.at;
	uint64_t cpu, wanted = 0;

	(void)state;
	while (json_element(&o, &next, &value)) {
		assert_true(json_get_number(&value, "cpu", &cpu));
		assert_int_equal(cpu, wanted++);
	}
	assert_int_equal(wanted, 3);
	next = empty.at;
	assert_false(json_element(&empty, &next, &value));
	o = parsed("{\"cpu\":0}");
	next = o.at;
	assert_false(json_element(&o, &next, &value));
}

static void strings_are_decoded(void **state)
{
	struct json o = parsed(
		"{\"s\":\"a\\\"\\\\\\/\\n\\t\\u0041\\u00b5\\u20ac\\ud83d\\ude00\\udc00x\\u0000y\"}");
	struct text t = { 0 };

	(void)state;
	assert_true(json_get_string(&o, "s", &t));
	assert_string_equal(text_str(&t),
			    "a\"\\/\n\tA\xc2\xb5\xe2\x82\xac\xf0\x9f\x98\x80\xef\xbf\xbdxy");
	o = parsed("{\"s\":\"x\\u001b[m\"}");
	text_clear(&t);
	json_get_printable(&o, "s", &t);
	json_get_printable(&o, "other", &t);
	assert_string_equal(text_str(&t), "x\\e[m");
	text_fini(&t);
}

static void what_is_no_json_is_refused(void **state)
{
	static const char *const wrong[] = {
		"", " ", "{", "}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "[1,]", "[1 2]", "{a:1}",
		"\"abc", "\"a\\x\"", "\"\\u12\"",
		"tru", "truee", "nul", "1a", "-", "+", "e", "{} {}", "\"a\nb\"",
		"[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]", "\"\\",
	};
	struct json value;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++)
		if (json_parse(wrong[i], strlen(wrong[i]), &value))
			fail_msg("taken: %s", wrong[i]);
}

/* Each byte of the line behind the cut is out of bounds: the sanitizers watch. */
static void lines_are_cut_anywhere(void **state)
{
	static const char line[] =
		"{\"type\":\"stat\\u00b5us\",\"cpus\":[{\"cpu\":10,\"x\":null},{\"cpu\":1}],\"f\":-1.5e3}";
	struct json value;

	(void)state;
	for (size_t len = 0; len < sizeof(line) - 1; len++) {
		char *copy = malloc(len ? len : 1);

		memcpy(copy, line, len);
		assert_false(json_parse(copy, len, &value));
		free(copy);
	}
	assert_true(json_parse(line, sizeof(line) - 1, &value));
}

static void numbers_have_limits(void **state)
{
	static const char *const wrong[] = { "-1", "1.5", "18446744073709551616",
					     "99999999999999999999999" };
	uint64_t n = 3;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct json value = parsed(wrong[i]);

		assert_false(json_number(&value, &n));
	}
	assert_int_equal(n, 3);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_are_found),
		cmocka_unit_test(elements_come_in_order),
		cmocka_unit_test(strings_are_decoded),
		cmocka_unit_test(what_is_no_json_is_refused),
		cmocka_unit_test(lines_are_cut_anywhere),
		cmocka_unit_test(numbers_have_limits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
