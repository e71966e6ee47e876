/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_column: numbers of records that come in and out of order, beside a plain array of them.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/trace/value_column.h"
#include "tests/lib/open_recorded.h"

#define PAGES	300u
#define ITEMS	100u

struct model {				/* the same numbers, as they are */
	bool	has[2][PAGES][ITEMS];
	int64_t	values[2][PAGES][ITEMS];
};

static uint64_t seed = 1;

static uint64_t next_random(void)
{
	seed = seed * 6364136223846793005u + 1442695040888963407u;
	return seed >> 33;
}

static trace_ref ref_of(unsigned int stream, unsigned int page, unsigned int item)
{
	return trace_ref_make(stream, page, item + 1);
}

/* Numbers of all lengths, those of a byte as often as those of ten. */
static int64_t some_number(void)
{
	uint64_t v = next_random() << 31 ^ next_random() << 62 ^ next_random();

	return (int64_t)(v >> next_random() % 64);
}

static void add(struct value_column *c, struct model *m, unsigned int stream, unsigned int page,
		unsigned int item)
{
	int64_t value = some_number();

	if (m->has[stream][page][item])
		return;
	m->has[stream][page][item] = true;
	m->values[stream][page][item] = value;
	value_column_add(c, ref_of(stream, page, item), value);
}

static void look(const struct value_column *c, const struct model *m, struct value_column_at *at,
		 unsigned int stream, unsigned int page, unsigned int item)
{
	int64_t value;

	assert_int_equal(value_column_find(c, at, ref_of(stream, page, item), &value),
			 m->has[stream][page][item]);
	if (m->has[stream][page][item])
		assert_true(value == m->values[stream][page][item]);
}

/* Forward, backward, and anywhere. */
static void look_everywhere(const struct value_column *c, const struct model *m)
{
	struct value_column_at at[3] = { { .block = NULL } };

	for (unsigned int stream = 0; stream < 2; stream++)
		for (unsigned int i = 0; i < PAGES * ITEMS; i++) {
			unsigned int k = PAGES * ITEMS - 1 - i, r = (unsigned int)next_random();

			look(c, m, &at[0], stream, i / ITEMS, i % ITEMS);
			look(c, m, &at[1], stream, k / ITEMS, k % ITEMS);
			if (i % 16 == 0)
				look(c, m, &at[2], r % 2, r / 2 % PAGES, r / 1024 % ITEMS);
		}
}

/* In order; one of some; two streams in turns; any order, so that blocks are packed again. */
static void fill(struct value_column *c, struct model *m, unsigned int way)
{
	for (unsigned int i = 0; i < PAGES * ITEMS; i++) {
		unsigned int r = (unsigned int)next_random();

		if (way == 3)
			add(c, m, r % 2, r / 2 % PAGES, r / 1024 % ITEMS);
		else if (way == 0 || r % (way == 1 ? 40 : 3) == 0)
			add(c, m, way == 2 ? r / 64 % 2 : 1, i / ITEMS, i % ITEMS);
		/* and one that comes late */
		if (way == 2 && r % 50 == 0 && i > 5000)
			add(c, m, 0, (i - 5000) / ITEMS, r / 64 % ITEMS);
	}
}

static void test_numbers(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	struct model *m = malloc(sizeof(*m));

	(void)state;
	for (unsigned int way = 0; way < 4; way++) {
		struct value_column *c = value_column_new(trace, UINT64_MAX);

		memset(m, 0, sizeof(*m));
		fill(c, m, way);
		value_column_end(c);
		look_everywhere(c, m);
		assert_false(value_column_is_full(c));
		value_column_free(c);
	}
	free(m);
	trace_close(trace);
}

/* What the header says of lengths: of records in a row, each byte has its bits of the number. */
static void test_bytes(void **state)
{
	static const struct { int64_t value; uint64_t bytes; } cases[] = {
		{ 0, 1 }, { 15, 1 }, { 16, 2 }, { (1 << 11) - 1, 2 }, { 1 << 11, 3 },
		{ (1 << 18) - 1, 3 }, { 1 << 18, 4 }, { (1 << 25) - 1, 4 },
	};
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct value_column *c = value_column_new(trace, UINT64_MAX);
		uint64_t before;

		value_column_add(c, ref_of(0, 0, 0), cases[i].value);
		value_column_end(c);
		before = value_column_bytes(c);
		value_column_free(c);
		c = value_column_new(trace, UINT64_MAX);
		for (unsigned int item = 0; item < ITEMS; item++)
			value_column_add(c, ref_of(0, 0, item), cases[i].value);
		value_column_end(c);
		assert_int_equal(value_column_bytes(c) - before, (ITEMS - 1) * cases[i].bytes);
		value_column_free(c);
	}
	trace_close(trace);
}

/* At the limit, numbers that came before are there, and none of those that come after. */
static void test_limit(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	struct value_column *c = value_column_new(trace, 10000);
	struct value_column_at at = { .block = NULL };
	unsigned int nr = 0, last = 0;
	int64_t value;

	(void)state;
	for (unsigned int i = 0; i < PAGES * ITEMS; i++)
		value_column_add(c, ref_of(0, i / ITEMS, i % ITEMS), 1000);
	value_column_end(c);
	assert_true(value_column_is_full(c));
	for (unsigned int i = 0; i < PAGES * ITEMS; i++)
		if (value_column_find(c, &at, ref_of(0, i / ITEMS, i % ITEMS), &value)) {
			assert_int_equal(value, 1000);
			nr++;
			last = i;
		}
	assert_int_equal(nr, last + 1);
	assert_in_range(nr, 5000, 8000);	/* of two bytes each; a block may go beyond it */
	value_column_free(c);
	trace_close(trace);
}

/* None; and a record that has a number already keeps it. */
static void test_edges(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	struct value_column *c = value_column_new(trace, UINT64_MAX);
	struct value_column_at at = { .block = NULL };
	int64_t value;

	(void)state;
	value_column_add(c, ref_of(1, 2, 3), 4);
	value_column_add(c, ref_of(1, 2, 3), 5);
	value_column_end(c);
	assert_false(value_column_find(c, &at, ref_of(0, 2, 3), &value));
	assert_false(value_column_find(c, &at, ref_of(1, 1, 3), &value));
	assert_false(value_column_find(c, &at, ref_of(1, 2, 2), &value));
	assert_true(value_column_find(c, &at, ref_of(1, 2, 3), &value));
	assert_int_equal(value, 4);
	assert_false(value_column_find(c, &at, ref_of(1, 2, 4), &value));
	assert_false(value_column_find(c, &at, ref_of(1, 2000000, 1), &value));
	value_column_free(c);
	value_column_free(NULL);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_bytes),
		cmocka_unit_test(test_limit),
		cmocka_unit_test(test_edges),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
