/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lanes of random keys against a sort of all of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/base/merge.h"

#define LANES	9u
#define ITEMS	40u

static uint64_t random_state = 1;

static uint32_t any(uint32_t below)
{
	random_state = random_state * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(random_state >> 33) % below;
}

struct lanes {
	int64_t		keys[LANES][ITEMS];	/* ascending */
	uint32_t	nr[LANES], at[LANES];
};

/* The lane that has to come next: the lowest of those with the least key. */
static uint32_t naive_first(const struct lanes *l, uint32_t nr)
{
	uint32_t first = UINT32_MAX;

	for (uint32_t i = 0; i < nr; i++)
		if (l->at[i] < l->nr[i] &&
		    (first == UINT32_MAX || l->keys[i][l->at[i]] < l->keys[first][l->at[first]]))
			first = i;
	return first;
}

static void set_head(struct merge *m, const struct lanes *l, uint32_t i)
{
	if (l->at[i] < l->nr[i])
		merge_set(m, i, l->keys[i][l->at[i]], i);
	else
		merge_end(m, i);
}

static void check_merge(uint32_t nr)
{
	struct lanes l = { 0 };
	struct merge m;

	for (uint32_t i = 0; i < nr; i++) {
		int64_t key = any(3) ? (int64_t)any(20) : INT64_MIN;

		l.nr[i] = any(4) ? any(ITEMS) : 0;
		for (uint32_t k = 0; k < l.nr[i]; k++) {
			l.keys[i][k] = key;
			key = key == INT64_MAX || (k + 2 >= l.nr[i] && any(2)) ? INT64_MAX :
										 key + any(3);
		}
	}
	merge_init(&m, nr);
	assert_false(merge_any(&m));
	for (uint32_t i = 0; i < nr; i++)
		set_head(&m, &l, i);
	merge_begin(&m);
	for (uint32_t first; (first = naive_first(&l, nr)) != UINT32_MAX;) {
		struct merge_head second = merge_second(&m);
		uint32_t next, at = l.at[first];

		assert_true(merge_any(&m));
		assert_int_equal(merge_first(&m), first);
		l.at[first] = l.nr[first];
		next = naive_first(&l, nr);
		l.at[first] = at;
		if (next == UINT32_MAX)
			assert_true(second.key == INT64_MAX && second.order >= nr);
		else
			assert_true(second.key == l.keys[next][l.at[next]] && second.order == next);
		l.at[first]++;
		set_head(&m, &l, first);
		merge_replay(&m);
	}
	assert_false(merge_any(&m));
	merge_fini(&m);
}

static void test_merge(void **state)
{
	(void)state;
	for (unsigned int round = 0; round < 2000; round++)
		check_merge(round % (LANES + 1));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_merge),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
