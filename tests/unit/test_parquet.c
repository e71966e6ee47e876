/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Pages and headers of Parquet as bytes: the examples of its Encodings.md, and Thrift's by hand.
 * Whole files are read back by tests/compare/tables.py.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "src/parquet/parquet_private.h"

#define EXPECT(text, ...) \
	do { \
		static const unsigned char bytes_[] = { __VA_ARGS__ }; \
		assert_int_equal((text)->len, sizeof(bytes_)); \
		assert_memory_equal((text)->data, bytes_, sizeof(bytes_)); \
	} while (0)

static struct column new_column(const struct parquet_column *def)
{
	return (struct column){ .def = def, .ended.values = calloc(PAGE_ROWS, sizeof(int64_t)),
				.min = INT64_MAX, .max = INT64_MIN };
}

static void fini_column(struct column *c)
{
	free(c->ended.values);
	free(c->entries);
	text_fini(&c->dictionary);
	index_map_fini(&c->map);
}

/* The examples of Encodings.md, in a block of 128; the last row of the second has no value. */
static void differences(void **state)
{
	static const struct parquet_column def = { "n", PARQUET_INT };
	static const int64_t steady[] = { 1, 2, 3, 4, 5 }, bent[] = { 7, 5, 3, 1, 2, 3, 4, 5 };
	static const unsigned char zeros[30];
	struct column c = new_column(&def);
	struct text out = { 0 };

	(void)state;
	memcpy(c.ended.values, steady, sizeof(steady));
	c.ended.nr = 5;
	assert_int_equal(page_body(&c, 5, &out), ENCODING_DELTA_BINARY_PACKED);
	/* levels: 2 bytes, a run of five 1; 128, 1, 5 values, 1; the least difference 1; a width */
	EXPECT(&out, 2, 0, 0, 0, 10, 1, 0x80, 1, 1, 5, 2, 2, 0);
	text_clear(&out);
	memcpy(c.ended.values, bent, sizeof(bent));
	c.ended.nr = 8;
	c.ended.nulls[1] = 1;
	page_body(&c, 9, &out);
	assert_memory_equal(out.data + out.len - sizeof(zeros), zeros, sizeof(zeros));
	out.len -= sizeof(zeros);
	/* levels: 3 bytes, 2 groups that are packed; the least difference -2: 0 0 0 3 3 3 3 */
	EXPECT(&out, 3, 0, 0, 0, 5, 0xff, 0, 0x80, 1, 1, 8, 14, 3, 2, 0xc0, 0x3f);
	assert_int_equal(c.nr_nulls, 1);
	assert_int_equal(c.min, 1);
	assert_int_equal(c.max, 7);
	text_fini(&out);
	fini_column(&c);
}

/* From the least number to the most and back: differences wrap, and have all 64 bits. */
static void extremes(void **state)
{
	static const struct parquet_column def = { "n", PARQUET_INT };
	static const int64_t values[] = { INT64_MIN, INT64_MAX, INT64_MIN, 0 };
	struct column c = new_column(&def);
	struct text out = { 0 };

	(void)state;
	memcpy(c.ended.values, values, sizeof(values));
	c.ended.nr = 4;
	page_body(&c, 4, &out);
	/* -1, 1, INT64_MIN; above the least: 2^63 - 1, 2^63 + 1, 0; behind them 125 of no use */
	assert_int_equal(out.len, 10 + 10 + 10 + 1 + 128 * 8);
	out.len -= 125 * 8;
	EXPECT(&out, 2, 0, 0, 0, 8, 1, 0x80, 1, 1, 4, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
	       0xff, 0xff, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1, 64, 0xff,
	       0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f, 1, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0,
	       0, 0, 0);
	text_fini(&out);
	fini_column(&c);
}

/* 0 to 7 in three bits each: 10001000 11000110 11111010 */
static void dictionary(void **state)
{
	static const struct parquet_column def = { "s", PARQUET_STRING };
	struct column c = new_column(&def);
	struct text out = { 0 };
	struct thrift statistics = { &out, 0 };

	(void)state;
	for (unsigned int i = 0; i < 8; i++)
		c.ended.values[c.ended.nr++] = column_string(&c, &"hgfedcba"[i], 1);
	c.ended.nr_entries = c.nr_entries;
	assert_int_equal(page_body(&c, 8, &out), ENCODING_RLE_DICTIONARY);
	EXPECT(&out, 2, 0, 0, 0, 16, 1, 3, 3, 0x88, 0xc6, 0xfa);
	assert_int_equal(c.dictionary.len, 8 * 5);
	assert_memory_equal(c.dictionary.data, "\1\0\0\0h\1\0\0\0g", 10);
	text_clear(&out);
	column_statistics(&c, 8, &statistics);
	EXPECT(&out, 0xcc, 0x36, 0, 0x28, 1, 'h', 0x18, 1, 'a', 0);
	text_fini(&out);
	fini_column(&c);
}

static void no_values(void **state)
{
	static const struct parquet_column def = { "n", PARQUET_INT };
	struct column c = new_column(&def);
	struct text out = { 0 };

	(void)state;
	assert_int_equal(page_body(&c, 300, &out), ENCODING_PLAIN);
	EXPECT(&out, 3, 0, 0, 0, 0xd8, 4, 0);
	assert_int_equal(c.nr_nulls, 300);
	text_fini(&out);
	fini_column(&c);
}

static void plain_numbers(void **state)
{
	static const struct parquet_column def = { "n", PARQUET_PLAIN };
	struct column c = new_column(&def);
	struct text out = { 0 };

	(void)state;
	c.ended.values[0] = -2;
	c.ended.nr = 1;
	assert_int_equal(page_body(&c, 1, &out), ENCODING_PLAIN);
	EXPECT(&out, 2, 0, 0, 0, 2, 1, 0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff);
	text_clear(&out);
	for (unsigned int i = 0; i < 2; i++)
		c.ended.values[i] = 7 + i;
	c.ended.nulls[0] = 0xfa;	/* the second row and those behind the third have none */
	c.ended.nulls[1] = 1;
	c.ended.nr = 2;
	page_body(&c, 9, &out);
	/* levels: 3 bytes, 2 groups that are packed */
	EXPECT(&out, 3, 0, 0, 0, 5, 5, 0, 7, 0, 0, 0, 0, 0, 0, 0, 8, 0, 0, 0, 0, 0, 0, 0);
	assert_int_equal(c.nr_nulls, 7);
	assert_int_equal(c.min, -2);
	assert_int_equal(c.max, 8);
	text_fini(&out);
	fini_column(&c);
}

static void thrift_structs(void **state)
{
	struct text out = { 0 };
	struct thrift t = { &out, 0 }, inner;

	(void)state;
	thrift_i32(&t, 1, -1);
	thrift_i64(&t, 3, 300);
	thrift_bytes(&t, 4, "ab", 2);
	inner = thrift_struct(&t, 5);
	thrift_list(&inner, 1, THRIFT_I32, 2);
	thrift_zigzag(&out, 1);
	thrift_zigzag(&out, -64);
	thrift_end(&inner);
	thrift_list(&t, 7, THRIFT_STRUCT, 15);
	thrift_end(&t);
	EXPECT(&out, 0x15, 1, 0x26, 0xd8, 4, 0x18, 2, 'a', 'b', 0x1c, 0x19, 0x25, 2, 0x7f, 0, 0x29,
	       0xfc, 15, 0);
	text_fini(&out);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(differences),	  cmocka_unit_test(extremes),
		cmocka_unit_test(dictionary),	  cmocka_unit_test(no_values),
		cmocka_unit_test(plain_numbers),  cmocka_unit_test(thrift_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
