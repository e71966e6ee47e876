/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/print/print_number.h"
#include "tests/lib/gen_trace.h"

/*
 * The C library is the judge: every conversion, flag, width and length, on numbers at all edges and
 * some at random.
 */
static void check(char conversion, unsigned int flags, int width, int precision, unsigned int bytes,
		  uint64_t v)
{
	static const char letters[] = "-+ #0";
	struct print_spec spec = { conversion, (uint8_t)flags, (uint8_t)bytes,
				   false,      width,          precision };
	char format[40] = "%", expected[300], *f = format + 1;
	struct text out = { 0 };

	for (int i = 0; letters[i]; i++)
		if (flags & 1u << i)
			*f++ = letters[i];
	if (width >= 0)
		f += sprintf(f, "%d", width);
	if (precision >= 0)
		f += sprintf(f, ".%d", precision);
	f += sprintf(f, "%s%c",
		     bytes == 1 ? "hh" :
		     bytes == 2 ? "h" :
		     bytes == 4 ? "" :
				  "ll",
		     conversion);
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	if (bytes == 8)
		snprintf(expected, sizeof(expected), format, (unsigned long long)v);
	else
		snprintf(expected, sizeof(expected), format, (unsigned int)v);
#pragma GCC diagnostic pop
	print_number(&out, &spec, v);
	if (strcmp(text_str(&out), expected) != 0 || out.len != strlen(expected))
		fail_msg("%s of 0x%" PRIx64 ": \"%s\", not \"%s\"", format, v, text_str(&out),
			 expected);
	text_fini(&out);
}

static uint64_t pick(struct gen_random *r, unsigned int i)
{
	static uint64_t edges[64 * 3 + 20 * 3];
	static unsigned int nr;
	uint64_t power = 1;

	if (!nr) {
		for (int bit = 0; bit < 64; bit++)
			for (int d = -1; d <= 1; d++)
				edges[nr++] = (1ull << bit) + (uint64_t)(int64_t)d;
		for (int n = 0; n < 20; n++, power *= 10)
			for (int d = -1; d <= 1; d++)
				edges[nr++] = power + (uint64_t)(int64_t)d;
	}
	return i < nr ? edges[i] : gen_random_u64(r) >> gen_random_below(r, 64);
}

static void test_numbers_are_those_of_printf(void **state)
{
	static const char conversions[] = "diuxXo";
	static const int widths[] = { -1, -1, 0, 1, 2, 8, 16, 20, 33 },
			 precisions[] = { -1, -1, -1, 0, 1, 5, 18, 40 };
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 7);
	for (unsigned int i = 0; i < 400; i++) {
		uint64_t v = pick(&r, i);

		for (const char *c = conversions; *c; c++)
			for (unsigned int n = 0; n < 12; n++) {
				unsigned int flags = gen_random_below(&r, 32),
					     bytes = 1u << gen_random_below(&r, 4);

				if (*c != 'd' && *c != 'i')	/* not for others in C */
					flags &= ~(FLAG_PLUS | FLAG_SPACE);
				if (*c == 'd' || *c == 'i' || *c == 'u')
					flags &= ~FLAG_ALTERNATE;
				check(*c, n ? flags : 0, n ? widths[gen_random_below(&r, 9)] : -1,
				      n ? precisions[gen_random_below(&r, 8)] : -1, n ? bytes : 8,
				      v);
			}
	}
}

static void check_text(struct text *out, const char *format, uint64_t v)
{
	char expected[64];

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
	snprintf(expected, sizeof(expected), format, (unsigned long long)v);
#pragma GCC diagnostic pop
	assert_string_equal(text_str(out), expected);
	assert_int_equal(out->len, strlen(expected));
	text_clear(out);
}

static char *room_in(struct text *out)
{
	text_reserve(out, PRINT_DIGITS);
	return out->data + out->len;
}

static void end_put(struct text *out, const char *end)
{
	out->len = (size_t)(end - out->data);
	out->data[out->len] = '\0';
}

static void test_plain_numbers(void **state)
{
	struct text out = { 0 };
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 8);
	for (unsigned int i = 0; i < 4000; i++) {
		uint64_t v = pick(&r, i);

		print_decimal(&out, v);
		check_text(&out, "%llu", v);
		print_signed(&out, (int64_t)v);
		check_text(&out, "%lld", v);
		print_hex(&out, v);
		check_text(&out, "%llx", v);
		end_put(&out, print_put_hex(room_in(&out), v, 8));
		check_text(&out, "%08llx", v);
		end_put(&out, print_put_hex(room_in(&out), v, 16));
		check_text(&out, "%016llx", v);
		end_put(&out, print_put_decimal(room_in(&out), v, 3));
		check_text(&out, "%03llu", v);
		end_put(&out, print_put_decimal(room_in(&out), v, 16));
		check_text(&out, "%016llu", v);
		end_put(&out, print_digits(room_in(&out), (uint32_t)(v % 1000000), 6));
		check_text(&out, "%06llu", v % 1000000);
		end_put(&out, print_digits(room_in(&out), (uint32_t)(v % 1000000000), 9));
		check_text(&out, "%09llu", v % 1000000000);
	}
	text_fini(&out);
}

/*
 * lib/vsprintf.c: "0x" also before 0, zeros fill the width whatever the precision, 0 is never
 * empty.
 */
static void test_what_the_kernel_does_otherwise(void **state)
{
	static const struct {
		struct print_spec	spec;
		uint64_t		value;
		const char		*expected;
	} cases[] = {
		{ { 'x', FLAG_ALTERNATE, 4, true, -1, -1 }, 0, "0x0" },
		{ { 'x', FLAG_ALTERNATE | FLAG_ZERO, 8, true, 10, -1 }, 0x2a, "0x0000002a" },
		{ { 'X', FLAG_ALTERNATE, 4, true, 6, -1 }, 0xab, "  0XAB" },
		{ { 'd', 0, 4, true, -1, 0 }, 0, "0" },
		{ { 'd', FLAG_ZERO, 4, true, 6, 3 }, 7, "000007" },
		{ { 'd', 0, 4, true, 6, 3 }, (uint64_t)-7, "  -007" },
		{ { 'o', FLAG_ALTERNATE, 4, true, -1, -1 }, 0, "0" },
		{ { 'o', FLAG_ALTERNATE, 4, true, -1, -1 }, 8, "010" },
		{ { 'c', 0, 1, true, 3, -1 }, 'a', "  a" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };

		print_number(&out, &cases[i].spec, cases[i].value);
		assert_string_equal(text_str(&out), cases[i].expected);
		text_fini(&out);
	}
}

static void test_strings(void **state)
{
	static const struct print_spec left = { 's', FLAG_LEFT, 0, false, 6, 3 },
				       right = { 's', 0, 0, false, 6, -1 };
	struct text out = { 0 };

	(void)state;
	print_string(&out, &left, "abcdef", 6);
	print_string(&out, &right, "abc", 3);
	print_string(&out, &right, "abcdefgh", 8);
	assert_string_equal(text_str(&out), "abc      abcabcdefgh");
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers_are_those_of_printf),
		cmocka_unit_test(test_plain_numbers),
		cmocka_unit_test(test_what_the_kernel_does_otherwise),
		cmocka_unit_test(test_strings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
