/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <inttypes.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/print/binary_printf.h"
#include "parsers/io/byte_reader.h"
#include "parsers/types/printk_formats.h"

/* --- printk_formats -------------------------------------------------------- */

static void test_formats(void **state)
{
	static const char text[] = "0xffffffff81000010 : \"state %d\\n\"\n"
				   "rubbish\n"
				   "0xffffffff81000000 : \"a \\\"b\\\" \\\\ \\t.\"\n"
				   "0xffffffff81000010 : no quotes\n"
				   "0xffffffff81000020 : \"cut";
	struct printk_formats *f = printk_formats_new(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(printk_formats_find(f, 0xffffffff81000010), "state %d\n");
	assert_string_equal(printk_formats_find(f, 0xffffffff81000000), "a \"b\" \\ \t.");
	assert_null(printk_formats_find(f, 0xffffffff81000020));
	assert_null(printk_formats_find(f, 0));
	printk_formats_free(f);
	f = printk_formats_new("", 0);
	assert_null(printk_formats_find(f, 1));
	printk_formats_free(f);
}

/* --- binary_printf --------------------------------------------------------- */

static void add_symbol(void *arg, uint64_t address, bool offset, struct text *out)
{
	*(uint64_t *)arg = address;
	text_add(out, offset ? "sym+0x4/0x8" : "sym");
}

/* The expected text is printf()'s, where it knows the conversion. */
static void check(const void *data, uint32_t size, int long_size, const char *format,
		  const char *expected)
{
	struct text out = { 0 };
	struct binary_printf b = {
		.data = data, .size = size, .long_size = long_size, .symbol = NULL
	};

	binary_printf(&b, format, &out);
	assert_string_equal(text_str(&out), expected);
	text_fini(&out);
}

static void test_numbers(void **state)
{
	static const int numbers[] = { 0, 1, -1, 42, -42, 123456, INT32_MIN, INT32_MAX };
	char expected[256];

	(void)state;
#define CHECK(format)                                                                              \
	do {                                                                                       \
		snprintf(expected, sizeof(expected), format, numbers[i]);                          \
		check(&numbers[i], 4, 8, format, expected);                                        \
	} while (0)
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		CHECK("%d.");
		CHECK("%5d|");
		CHECK("%-8d|");
		CHECK("%08d|");
		CHECK("%+d");
		CHECK("% d");
		CHECK("%.4d|");
		CHECK("%9.4d|");
		CHECK("%x %%");
		if (numbers[i])
			CHECK("%#10x|");
		if (numbers[i])
			CHECK("%#010x|");
		if (numbers[i])
			CHECK("%-#10X|");
		CHECK("%o");
		CHECK("%u");
	}
#undef CHECK
	/* The kernel's own: zero has the prefix too. */
	check(&numbers[0], 4, 8, "%#x|", "0x0|");
	check(&numbers[0], 4, 8, "%#o|", "0|");
	check(&numbers[1], 4, 8, "%#o|", "01|");
}

/* Sizes and places: a char, a short, a word, a long long at a multiple of 4. */
static void test_packing(void **state)
{
	static const uint8_t data[] = {
		0xfe, 0, 0x34, 0x12,			/* %hhd at 0, %hx at 2 */
		0x78, 0x56, 0x34, 0x12,			/* %x */
		1, 0, 0, 0, 2, 0, 0, 0,			/* %llx */
		'h', 'i', 0, 'c',			/* %s, then %c */
	};
	uint8_t swapped[sizeof(data)] = { 0xfe, 0, 0x12, 0x34, 0x12, 0x34, 0x56, 0x78, 0, 0,
					  0,    2, 0,    0,    0,    1,    'h',  'i',  0, 'c' };
	struct binary_printf b = {
		.data = swapped, .size = sizeof(swapped), .long_size = 8, .swap = true
	};
	struct text out = { 0 };

	(void)state;
	if (HOST_BIG_ENDIAN) {
		print_message("skipped: the bytes are those of a little-endian machine\n");
		skip();
	}
	check(data, sizeof(data), 8, "%hhd %hx %x %llx %s %c.", "-2 1234 12345678 200000001 hi c.");
	check(data, sizeof(data), 8, "%hhd %hx %x %lx", "-2 1234 12345678 200000001");
	check(data, sizeof(data), 4, "%hhd %hx %x %lx %lx", "-2 1234 12345678 1 2");
	binary_printf(&b, "%hhd %hx %x %llx %s %c.", &out);
	assert_string_equal(text_str(&out), "-2 1234 12345678 200000001 hi c.");
	text_fini(&out);
}

static void test_strings(void **state)
{
	static const uint8_t width[] = { 6, 0, 0, 0, 'a', 'b', 'c', 0 };

	(void)state;
	check("abc", 4, 8, "%5s|", "  abc|");
	check("abc", 4, 8, "%-5s|", "abc  |");
	check("abc", 4, 8, "%.2s|", "ab|");
	if (!HOST_BIG_ENDIAN)
		check(width, sizeof(width), 8, "%*s|", "   abc|");
	check("abc", 3, 8, "%s|%s|%d", "abc||0");	/* no NUL, and nothing behind it */
	check("", 0, 8, "%s %d %llx %p", " 0 0 0000000000000000");
	check("", 0, 4, "%p 100%", "00000000 100%");
	check("10.0.0.1", 9, 8, "%pI4 is", "10.0.0.1 is");	/* made text when it was recorded */
}

static void test_symbols(void **state)
{
	static const uint64_t address = 0x1234;
	uint64_t asked = 0;
	struct text out = { 0 };
	struct binary_printf b = { .data = (const uint8_t *)&address, .size = 8, .long_size = 8,
				   .symbol = add_symbol,
				   .arg = &asked };

	(void)state;
	binary_printf(&b, "%pS|", &out);
	assert_string_equal(text_str(&out), "sym+0x4/0x8|");
	assert_int_equal(asked, 0x1234);
	text_clear(&out);
	binary_printf(&b, "%6ps|", &out);
	assert_string_equal(text_str(&out), "   sym|");
	text_clear(&out);
	binary_printf(&b, "%px", &out);
	assert_string_equal(text_str(&out), "1234");
	text_fini(&out);
}

/* A format is input too: wide fields are bounded. */
static void test_hostile_format(void **state)
{
	struct text out = { 0 };
	struct binary_printf b = { .data = (const uint8_t *)"", .long_size = 8 };

	(void)state;
	binary_printf(&b, "%99999999999999999999d%.99999999999d%5", &out);
	assert_in_range(out.len, 1, 4096);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_formats), cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_packing),
		cmocka_unit_test(test_strings), cmocka_unit_test(test_symbols),
		cmocka_unit_test(test_hostile_format),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
