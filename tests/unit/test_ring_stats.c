/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "recorder/run/ring_stats.h"

/* A clock of ns: the kernel tells µs, and may have rounded up. */
static void test_times(void **state)
{
	struct ring_stats stats = ring_stats_parse("entries: 12\noverrun: 0\nbytes: 480\n"
						   "oldest event ts:  3464.813961\n"
						   "now ts:  3466.000000\nread events: 7\n");

	(void)state;
	assert_int_equal(stats.entries, 12);
	assert_int_equal(stats.now, 3465999999000);
}

/* A clock that counts. */
static void test_counts(void **state)
{
	struct ring_stats stats = ring_stats_parse(
		"entries: 0\noldest event ts: 0\nnow ts: 77012\n");

	(void)state;
	assert_int_equal(stats.entries, 0);
	assert_int_equal(stats.now, 77012);
}

static void test_nothing_told(void **state)
{
	struct ring_stats stats = ring_stats_read(-1);

	(void)state;
	assert_int_equal(stats.now, 0);
	assert_int_equal(ring_stats_parse("now ts: ").now, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_counts),
		cmocka_unit_test(test_nothing_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
