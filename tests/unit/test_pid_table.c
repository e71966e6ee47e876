/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "parsers/types/pid_table.h"

struct number {
	struct pid_entry entry;
	int		value;
};

/* Pids of one bucket, of others, and one that no task has. */
static const int pids[] = { 7,         7 + PID_TABLE_BUCKETS,     0,        -1,
			    INT32_MAX, 7 + 2 * PID_TABLE_BUCKETS, INT32_MIN };
#define NR_PIDS	(sizeof(pids) / sizeof(pids[0]))

static void test_each_pid_has_its_own(void **state)
{
	struct pid_table table = { 0 };
	struct arena arena = { 0 };

	(void)state;
	for (unsigned int i = 0; i < NR_PIDS; i++) {
		struct number *n;

		assert_null(pid_table_find(&table, pids[i]));
		n = pid_table_get(&table, &arena, pids[i], sizeof(*n));
		assert_int_equal(n->entry.pid, pids[i]);
		assert_int_equal(n->value, 0);
		n->value = (int)i + 1;
	}
	for (unsigned int i = 0; i < NR_PIDS; i++) {
		const struct number *n = pid_table_find(&table, pids[i]);

		assert_int_equal(n->value, i + 1);
		assert_ptr_equal(pid_table_get(&table, &arena, pids[i], sizeof(*n)), n);
	}
	assert_null(pid_table_find(&table, 8));
	arena_fini(&arena);
}

static void test_next_comes_to_each_once(void **state)
{
	struct pid_table table = { 0 };
	struct arena arena = { 0 };
	unsigned int met = 0;

	(void)state;
	assert_null(pid_table_next(&table, NULL));
	for (unsigned int i = 0; i < NR_PIDS; i++)
		((struct number *)pid_table_get(&table, &arena, pids[i], sizeof(struct number)))
			->value = 1 << i;
	for (const struct number *n = pid_table_next(&table, NULL); n;
	     n = pid_table_next(&table, n)) {
		assert_int_equal(met & (unsigned int)n->value, 0);
		met |= (unsigned int)n->value;
	}
	assert_int_equal(met, (1u << NR_PIDS) - 1);
	arena_fini(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_each_pid_has_its_own),
		cmocka_unit_test(test_next_comes_to_each_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
