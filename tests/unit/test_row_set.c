/* SPDX-License-Identifier: GPL-2.0-or-later */
/* row_set and time_spans beside plain arrays, with rows and spans as random as they come. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/trace/row_set.h"
#include "src/trace/time_spans.h"

static uint64_t seed = 88172645463325252ull;

static uint32_t any(uint32_t below)
{
	seed ^= seed << 13;
	seed ^= seed >> 7;
	seed ^= seed << 17;
	return (uint32_t)(seed >> 20) % below;
}

/* --- rows --------------------------------------------------------------------------------- */

#define STREAMS	3u
#define PAGES	200u
#define ITEMS	400u

static uint8_t plain[STREAMS][PAGES][ITEMS];

/* Rows of a share of all, page after page as a pass goes on, some of them later or twice. */
static struct row_set *fill(unsigned int permille, bool late)
{
	struct row_set *set = row_set_new(STREAMS);

	memset(plain, 0, sizeof(plain));
	for (unsigned int page = 0; page < PAGES; page++)
		for (unsigned int stream = 0; stream < STREAMS - 1; stream++)
			for (unsigned int item = 1; item < ITEMS; item++) {
				unsigned int of = late && page > 50 && any(100) == 0 ?
							  page - any(50) :
							  page;

				if (any(1000) >= permille)
					continue;
				plain[stream][of][item] = 1;
				row_set_add(set, trace_ref_make(stream, of, item));
				if (any(50) == 0)
					row_set_add(set, trace_ref_make(stream, of, item));
			}
	row_set_end(set);
	return set;
}

struct items {
	unsigned int nr, next;		/* one behind the last */
	const uint8_t *expected;
};

static void see_item(void *arg, uint32_t item)
{
	struct items *items = arg;

	assert_true(item >= items->next && item < ITEMS && items->expected[item]);
	items->next = item + 1;
	items->nr++;
}

static void expect_same(const struct row_set *set)
{
	for (unsigned int stream = 0; stream < STREAMS; stream++)
		for (unsigned int page = 0; page < PAGES; page++) {
			struct items items = { .expected = plain[stream][page] };
			unsigned int nr = 0;

			for (unsigned int item = 0; item < ITEMS; item++) {
				assert_int_equal(row_set_has(set,
							     trace_ref_make(stream, page, item)),
						 plain[stream][page][item]);
				nr += plain[stream][page][item];
			}
			row_set_page(set, stream, page, see_item, &items);
			assert_int_equal(items.nr, nr);
		}
}

static void test_rows(void **state)
{
	static const unsigned int shares[] = { 0, 1, 5, 30, 120, 130, 500, 999, 1000 };

	(void)state;
	for (size_t i = 0; i < sizeof(shares) / sizeof(shares[0]); i++)
		for (int late = 0; late < 2; late++) {
			struct row_set *set = fill(shares[i], late);
			uint64_t rows = 2ull * PAGES * ITEMS;

			expect_same(set);
			/* A bit for a row; pages and blocks besides. */
			assert_true(row_set_bytes(set) <
				    (shares[i] ? rows / 8 + 2 * 3 * PAGES : 0) + 2000);
			row_set_free(set);
		}
}

/* What is let go takes no memory; the pages behind stay. */
static void test_forgotten(void **state)
{
	struct row_set *set = row_set_new(2);
	uint64_t bytes, last;

	(void)state;
	for (unsigned int page = 0; page < 10000; page++)
		for (unsigned int item = 1; item < 100; item += 2)
			row_set_add(set, trace_ref_make(1, page, item));
	row_set_end(set);
	bytes = last = row_set_bytes(set);
	assert_true(bytes > 10000 * 100 / 8);
	for (unsigned int page = 0; page <= 10000; page += 500) {
		row_set_forget(set, 1, page);
		row_set_forget(set, 0, page);
		assert_true(row_set_bytes(set) <= last);
		last = row_set_bytes(set);
		for (unsigned int left = page; left < 10000; left += 7)
			assert_true(row_set_has(set, trace_ref_make(1, left, 1)) &&
				    !row_set_has(set, trace_ref_make(1, left, 2)));
	}
	assert_true(last < bytes / 5);
	row_set_free(set);
}

/* The last items that a ref can tell, pages far behind, streams that are none. */
static void test_bounds(void **state)
{
	struct row_set *set = row_set_new(2);
	const trace_ref refs[] = { trace_ref_make(0, 0, 1),
				   trace_ref_make(1, 0, TRACE_REF_ITEM_LAST),
				   trace_ref_make(1, 0, TRACE_REF_ITEM_LAST - 1),
				   trace_ref_make(1, 100000, 70000) };

	(void)state;
	for (unsigned int i = 0; i < 4; i++)
		row_set_add(set, refs[i]);
	row_set_add(set, trace_ref_make(2, 0, 1));
	row_set_end(set);
	for (unsigned int i = 0; i < 4; i++) {
		assert_true(row_set_has(set, refs[i]));
		assert_false(row_set_has(set, refs[i] - 2));
	}
	assert_false(row_set_has(set, trace_ref_make(0, 1u << 27, 1)));
	row_set_free(set);
	set = row_set_new(0);
	row_set_end(set);
	row_set_free(set);
	row_set_free(NULL);
}

/* --- spans ----------------------------------------------------------------------------------- */

#define TASKS	5u
#define TIMES	4000

static uint8_t within[TASKS][TIMES];

static bool has(const struct time_spans *spans, uint64_t task, int64_t ts)
{
	struct time_spans_at at = { .known = false };

	return time_spans_near(spans, &at, task, ts);
}

static void test_spans(void **state)
{
	static const uint64_t keys[TASKS] = { 0, 7, 1, 1ull << 32, UINT64_MAX };

	(void)state;
	for (unsigned int round = 0; round < 40; round++) {
		struct time_spans *spans = time_spans_new();
		/* the latter wait in several parts */
		unsigned int nr = round < 20 ? any(300) : 20000;

		memset(within, 0, sizeof(within));
		for (unsigned int i = 0; i < nr; i++) {
			unsigned int task = any(TASKS);
			/* Mostly onward; now and then one that reaches far back over others. */
			int to = (int)((uint64_t)i * TIMES / nr),
			    len = any(500) == 0 ? 900 : (int)any(3), from = to > len ? to - len : 0;

			memset(&within[task][from], 1, (size_t)(to - from + 1));
			time_spans_add(spans, keys[task], from, to);
		}
		time_spans_end(spans);
		for (unsigned int task = 0; task < TASKS; task++)
			for (int ts = 0; ts < TIMES; ts++)
				assert_int_equal(has(spans, keys[task], ts), within[task][ts]);
		/* Onward, with gaps and other tasks in between, and back. */
		for (unsigned int walk = 0; walk < 50; walk++) {
			struct time_spans_at at = { .known = false };
			unsigned int task = any(TASKS);

			for (int ts = (int)any(TIMES); ts < TIMES;
			     ts += any(30) ? (int)any(4) : (int)any(700)) {
				task = any(20) ? task : any(TASKS);
				ts = any(50) || ts < 100 ? ts : ts - (int)any(100);
				assert_int_equal(time_spans_near(spans, &at, keys[task], ts),
						 within[task][ts]);
			}
			assert_false(time_spans_near(spans, &at, 8, 5));
		}
		assert_false(has(spans, keys[1], -1));
		assert_false(has(spans, keys[1], TIMES));
		assert_false(has(spans, 8, 5));
		time_spans_free(spans);
	}
}

/* Without an end, before 0. */
static void test_span_bounds(void **state)
{
	struct time_spans *spans = time_spans_new();

	(void)state;
	time_spans_add(spans, 1, 5, INT64_MAX);
	time_spans_add(spans, 1, INT64_MIN, INT64_MIN + 1);
	time_spans_add(spans, 1, -3, -3);
	time_spans_end(spans);
	assert_true(has(spans, 1, INT64_MAX));
	assert_true(has(spans, 1, INT64_MIN));
	assert_true(has(spans, 1, -3));
	assert_false(has(spans, 1, -4));
	assert_false(has(spans, 1, 4));
	time_spans_free(spans);
	time_spans_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_forgotten),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_spans),
		cmocka_unit_test(test_span_bounds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
