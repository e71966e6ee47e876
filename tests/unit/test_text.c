/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "src/base/text.h"

#define assert_text(call, expected)                                                                \
	do {                                                                                       \
		struct text t = { 0 };                                                             \
		call;                                                                              \
		assert_string_equal(text_str(&t), expected);                                       \
		text_fini(&t);                                                                     \
	} while (0)

static void test_duration_has_four_digits_and_eight_cells(void **state)
{
	(void)state;
	assert_text(text_duration(&t, 0), "    0 ns");
	assert_text(text_duration(&t, 941), "  941 ns");
	assert_text(text_duration(&t, 999), "  999 ns");
	assert_text(text_duration(&t, 1000), "1.000 µs");
	assert_text(text_duration(&t, 1763), "1.763 µs");
	assert_text(text_duration(&t, 9999), "9.999 µs");
	assert_text(text_duration(&t, 10004), "10.00 µs");
	assert_text(text_duration(&t, 38874), "38.87 µs");
	assert_text(text_duration(&t, 99994), "99.99 µs");
	assert_text(text_duration(&t, 99996), "100.0 µs");
	assert_text(text_duration(&t, 929004), "929.0 µs");
	assert_text(text_duration(&t, 999949), "999.9 µs");
	assert_text(text_duration(&t, 999951), "1.000 ms");
	assert_text(text_duration(&t, 20113490), "20.11 ms");
	assert_text(text_duration(&t, 1204000000), "1.204 s ");
	assert_text(text_duration(&t, 123400000000), "123.4 s ");
}

static void test_marks_are_strictly_greater(void **state)
{
	static const struct {
		uint64_t ns;
		char at, above;
	} bounds[] = {
		{ 10000, ' ', '+' },	 { 100000, '+', '!' },	  { 1000000, '!', '#' },
		{ 10000000, '#', '*' },	 { 100000000, '*', '@' }, { 1000000000, '@', '$' },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(bounds) / sizeof(bounds[0]); i++) {
		assert_int_equal(text_duration_mark(bounds[i].ns), bounds[i].at);
		assert_int_equal(text_duration_mark(bounds[i].ns + 1), bounds[i].above);
	}
}

static void test_seconds_round_as_trace_cmd(void **state)
{
	(void)state;
	assert_text(text_seconds(&t, 7574321499, 6), "7.574321");
	assert_text(text_seconds(&t, 7574321500, 6), "7.574322");
	assert_text(text_seconds(&t, 7999999500, 6), "8.000000");
	assert_text(text_seconds(&t, 7574321342, 9), "7.574321342");
	assert_text(text_seconds(&t, -1500000000, 9), "-1.500000000");
	assert_text(text_seconds(&t, INT64_MAX, 9), "9223372036.854775807");
}

static void test_counts(void **state)
{
	(void)state;
	assert_text(text_count(&t, 0), "0");
	assert_text(text_count(&t, 949), "949");
	assert_text(text_count(&t, 15823), "15 823");
	assert_text(text_count(&t, 66900000), "66 900 000");
}

static void printable(struct text *t, const char *s)
{
	text_printable(t, s, strlen(s));
}

static void test_no_control_character_survives(void **state)
{
	struct text shown = { 0 };

	(void)state;
	assert_text(printable(&t, "a\033[31mb"), "a\\e[31mb");
	assert_text(printable(&t, "one\ntwo\tthree\r"), "one\\ntwo\\tthree\\r");
	assert_text(printable(&t, "\xc2\x9b" "31m"), "\\x9b31m");
	assert_text(printable(&t, "bad \xff\xc3"), "bad \\xff\\xc3");
	assert_text(printable(&t, "gr\xc3\xbc\xc3\x9f \xe6\x97\xa5"), "grüß 日");
	assert_text(printable(&t, "\xe2\x80\xae" "abc"), "\\u202eabc");
	assert_text(printable(&t, "\xed\xa0\x80"), "\\xed\\xa0\\x80");
	for (int c = 0; c < 256; c++) {
		char byte = c;

		text_clear(&shown);
		text_printable(&shown, &byte, 1);
		for (size_t i = 0; i < shown.len; i++)
			assert_true((unsigned char)shown.data[i] >= 0x20 && (unsigned char)shown.data[i] < 0x7f);
	}
	text_fini(&shown);
}

static void test_json_and_csv(void **state)
{
	(void)state;
	assert_text(text_json(&t, "\xc2\x9b\xe2\x80\xae\xf3\xa0\x80\x81", 9), "\\u009b\\u202e\\udb40\\udc01");
	assert_text(text_json(&t, "a\"b\\\n\x01\xff", 7), "a\\\"b\\\\\\n\\u0001\xef\xbf\xbd");
	assert_text(text_csv(&t, "plain", 5), "plain");
	assert_text(text_csv(&t, "a,\"b\"", 5), "\"a,\"\"b\"\"\"");
	assert_text(text_csv(&t, "x\xfe", 2), "x\xef\xbf\xbd");
}

static void test_decode_never_reads_on(void **state)
{
	uint32_t cp;

	(void)state;
	assert_int_equal(text_decode("\xe2\x82", 2, &cp), 1);
	assert_int_equal(cp, 0xfffd);
	assert_int_equal(text_decode("\xe2\x82\xac", 3, &cp), 3);
	assert_int_equal(cp, 0x20ac);
	assert_int_equal(text_decode("\xc0\x80", 2, &cp), 1);
	assert_int_equal(cp, 0xfffd);
	assert_int_equal(text_decode("", 0, &cp), 0);
}

static void test_widths(void **state)
{
	(void)state;
	assert_int_equal(text_width('a'), 1);
	assert_int_equal(text_width(0xb5), 1);
	assert_int_equal(text_width(0x2588), 1);
	assert_int_equal(text_width(0x65e5), 2);
	assert_int_equal(text_width(0x301), 0);
}

static void test_fold(void **state)
{
	(void)state;
	assert_text(text_fold(&t, "one two three four\n", 13, 4), "one two three\n    four\n");
	assert_text(text_fold(&t, "one two three four", 12, 4), "one two\n    three\n    four");
	assert_text(text_fold(&t, "events a 1, bc 23, d 4\nx\n", 12, 7), "events a 1,\n       bc 23,\n       d 4\nx\n");
	/* a word that does not fit, and a command to copy */
	assert_text(text_fold(&t, "a abcdefgh b", 6, 2), "a\n  abcdefgh\n  b");
	assert_text(text_fold(&t, "    mend it: sudo x\n\n", 8, 2), "    mend it: sudo x\n\n");
	assert_text(text_fold(&t, "\xc2\xb5\xc2\xb5 \xc2\xb5\xc2\xb5 b", 5, 0), "\xc2\xb5\xc2\xb5 \xc2\xb5\xc2\xb5\nb");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_duration_has_four_digits_and_eight_cells),
		cmocka_unit_test(test_marks_are_strictly_greater),
		cmocka_unit_test(test_seconds_round_as_trace_cmd),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_no_control_character_survives),
		cmocka_unit_test(test_json_and_csv),
		cmocka_unit_test(test_decode_never_reads_on),
		cmocka_unit_test(test_widths),
		cmocka_unit_test(test_fold),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
