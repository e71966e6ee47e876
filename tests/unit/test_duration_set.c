/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "src/base/duration_set.h"
#include "tests/lib/gen_trace.h"

#define MANY 200000u

static int ascending(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Durations as functions have them: most alike, some long, a few very long. */
static uint64_t some_duration(struct gen_random *r)
{
	switch (gen_random_below(r, 10)) {
	case 0:
		return gen_random_u64(r) >> gen_random_below(r, 64);
	case 1:
		return gen_random_below(r, 50000000);
	default:
		return 200 + gen_random_below(r, 3000);
	}
}

/* The plain way: all values, sorted. */
static void check_ranks(struct duration_set *set, uint64_t *values, uint64_t nr)
{
	static const unsigned int percents[] = { 1, 50, 95, 99, 100 };

	qsort(values, nr, sizeof(*values), ascending);
	assert_int_equal(set->nr, nr);
	for (size_t i = 0; i < sizeof(percents) / sizeof(percents[0]); i++) {
		uint64_t rank = (nr * percents[i] + 99) / 100, got;

		assert_int_equal(duration_set_rank(nr, percents[i]), rank);
		duration_set_ranks(set, &rank, &got, 1);
		assert_int_equal(got, values[rank - 1]);
	}
}

static void ranks_of_few_and_many(void **state)
{
	uint64_t *values = calloc(MANY, sizeof(*values));
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 5);
	for (uint64_t nr = 1; nr <= MANY; nr = nr < 40 ? nr + 1 : nr * 7) {
		struct duration_set set = { 0 };

		for (uint64_t i = 0; i < nr; i++) {
			values[i] = some_duration(&r);
			duration_set_add(&set, values[i]);
		}
		check_ranks(&set, values, nr);
		duration_set_fini(&set);
	}
	free(values);
}

struct listing {
	uint64_t nr, last;
	bool ordered;
};

static void list(void *arg, uint64_t value, uint64_t count)
{
	struct listing *l = arg;

	l->ordered &= !l->nr || value > l->last;
	l->nr += count;
	l->last = value;
}

static void sets_are_merged(void **state)
{
	struct duration_set a = { 0 }, b = { 0 };
	uint64_t *values = calloc(MANY, sizeof(*values));
	struct listing l = { .ordered = true };
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 6);
	for (unsigned int i = 0; i < MANY; i++) {
		values[i] = some_duration(&r);
		duration_set_add(i % 3 ? &a : &b, values[i]);
	}
	duration_set_merge(&a, &b);
	check_ranks(&a, values, MANY);
	duration_set_each(&a, list, &l);
	assert_true(l.ordered);
	assert_int_equal(l.nr, MANY);
	/* And it goes on growing. */
	duration_set_add(&a, 7);
	assert_int_equal(a.nr, MANY + 1);
	duration_set_fini(&a);
	duration_set_fini(&b);
	free(values);
}

/* Of a coarse set a value is wrong by less than its kept bits say; it takes little room. */
static void coarse_sets_are_near(void **state)
{
	struct duration_set set = { 0 };
	uint64_t *values = calloc(MANY, sizeof(*values));
	struct gen_random r;

	(void)state;
	gen_random_init(&r, 7);
	for (unsigned int i = 0; i < MANY; i++) {
		values[i] = gen_random_u64(&r) >> 20;
		duration_set_add(&set, values[i]);
		if (i == MANY / 2)
			duration_set_coarsen(&set, 12);
	}
	qsort(values, MANY, sizeof(*values), ascending);
	for (unsigned int percent = 1; percent <= 100; percent++) {
		uint64_t rank = duration_set_rank(MANY, percent), got;

		duration_set_ranks(&set, &rank, &got, 1);
		assert_in_range(got, values[rank - 1] - values[rank - 1] / 2048, values[rank - 1]);
	}
	duration_set_coarsen(&set, 6);
	assert_true(duration_set_bytes(&set) < 20000);
	duration_set_fini(&set);
	free(values);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ranks_of_few_and_many),
		cmocka_unit_test(sets_are_merged),
		cmocka_unit_test(coarse_sets_are_near),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
