/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON as it is written: every byte, and what the program's own reader makes of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/base/json_out.h"
#include "src/base/json.h"

static void commas_are_set_by_what_stands_before(void **state)
{
	struct text t = { 0 };

	(void)state;
	json_out_object(&t, NULL);
	json_out_array(&t, "empty");
	json_out_end(&t, ']');
	json_out_array(&t, "list");
	json_out_u64(&t, NULL, 1);
	json_out_object(&t, NULL);
	json_out_bool(&t, "yes", true);
	json_out_bool(&t, "no", false);
	json_out_end(&t, '}');
	json_out_array(&t, NULL);
	json_out_null(&t, NULL);
	json_out_end(&t, ']');
	json_out_end(&t, ']');
	json_out_key(&t, "key");
	json_out_i64(&t, NULL, -5);
	json_out_end_line(&t);
	json_out_object(&t, NULL);
	json_out_end_line(&t);
	assert_string_equal(
		text_str(&t),
		"{\"empty\":[],\"list\":[1,{\"yes\":true,\"no\":false},[null]],\"key\":-5}\n{}\n");
	text_fini(&t);
}

static void members_go_without_braces(void **state)
{
	struct text t = { 0 };

	(void)state;
	json_out_string(&t, "a", "");
	json_out_null(&t, "b");
	assert_string_equal(text_str(&t), "\"a\":\"\",\"b\":null");
	text_fini(&t);
}

static void keys_and_strings_are_foreign(void **state)
{
	static const char bytes[] = "\",:[{\\\n\x01\xff\0end";
	struct text t = { 0 }, back = { 0 };
	struct json line;

	(void)state;
	json_out_object(&t, NULL);
	json_out_string(&t, "k\"\n", "{");
	json_out_bytes(&t, "raw", bytes, sizeof(bytes) - 1);
	json_out_end(&t, '}');
	assert_string_equal(
		text_str(&t),
		"{\"k\\\"\\n\":\"{\",\"raw\":\"\\\",:[{\\\\\\n\\u0001\xef\xbf\xbd\\u0000end\"}");
	assert_true(json_parse(text_str(&t), t.len, &line));
	assert_true(json_get_string(&line, "k\"\n", &back));
	assert_string_equal(text_str(&back), "{");
	text_fini(&back);
	text_fini(&t);
}

static void numbers_have_all_their_digits(void **state)
{
	struct text t = { 0 };

	(void)state;
	json_out_array(&t, NULL);
	json_out_u64(&t, NULL, UINT64_MAX);
	json_out_i64(&t, NULL, INT64_MIN);
	json_out_i64(&t, NULL, INT64_MAX);
	json_out_exact_u64(&t, NULL, 1ull << 53);
	json_out_exact_u64(&t, NULL, (1ull << 53) + 1);
	json_out_exact_i64(&t, NULL, -(1ll << 53));
	json_out_exact_i64(&t, NULL, -(1ll << 53) - 1);
	json_out_exact_i64(&t, NULL, (1ll << 53) + 1);
	json_out_end(&t, ']');
	assert_string_equal(
		text_str(&t),
		"[18446744073709551615,-9223372036854775808,9223372036854775807,9007199254740992,"
		"\"9007199254740993\",-9007199254740992,\"-9007199254740993\",\"9007199254740993\"]");
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(commas_are_set_by_what_stands_before),
		cmocka_unit_test(members_go_without_braces),
		cmocka_unit_test(keys_and_strings_are_foreign),
		cmocka_unit_test(numbers_have_all_their_digits),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
