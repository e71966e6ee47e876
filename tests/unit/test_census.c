/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <string.h>

#include "recorder/run/census_clock.h"
#include "recorder/run/census_strings.h"
#include "recorder/run/cgroup_facts.h"

/* Strings of any bytes, each once, by numbers from 1. */
static void test_strings(void **state)
{
	struct census_strings strings = { .most_bytes = 12 };
	struct text out = { 0 };
	size_t len;

	(void)state;
	assert_int_equal(census_string(&strings, "a\nb", 3), 1);
	assert_int_equal(census_string(&strings, "a\0b", 3), 2);
	assert_int_equal(census_string(&strings, "a\nb", 3), 1);
	assert_int_equal(census_string(&strings, "", 0), 0);
	assert_memory_equal(census_string_at(&strings, 2, &len), "a\0b", 3);
	assert_int_equal(len, 3);
	assert_false(strings.is_full);
	/* six of twelve bytes are left */
	assert_int_equal(census_string(&strings, "1234567", 7), 0);
	assert_true(strings.is_full);
	assert_int_equal(census_string(&strings, "123456", 6), 3);
	census_strings_text(&strings, 1, &out);
	assert_int_equal(out.len, sizeof("string 3\na.b\nstring 6\n123456\n") - 1);
	assert_memory_equal(out.data, "string 3\na\0b\nstring 6\n123456\n", out.len);
	text_fini(&out);
	census_strings_fini(&strings);
}

/* cgroups(7), /proc/pid/cgroup: the path that a task has in one hierarchy, at least. */
static void test_cgroup_path(void **state)
{
	static const struct {
		const char *text, *path;
	} cases[] = {
		{ "0::/user.slice/a.scope\n", "/user.slice/a.scope" },
		{ "0::/\n", "/" },
		{ "5:memory:/\n4:cpu,cpuacct:/web\n1:name=systemd:/web/x.service\n0::/\n",
		  "/web/x.service" },
		{ "5:memory:/a:b\n1:cpu:/\n", "/a:b" },
		{ "2:cpu:/\n1:name=systemd:/\n0::/\n", NULL },
		{ "", NULL },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len;
		const char *path = cgroup_facts_path(cases[i].text, &len);

		assert_int_equal(path != NULL, cases[i].path != NULL);
		if (!path)
			continue;
		assert_int_equal(len, strlen(cases[i].path));
		assert_memory_equal(path, cases[i].path, len);
	}
}

/* What is read runs a ten-thousandth slower than the trace clock. */
static void test_clock(void **state)
{
	struct census_clock clock = { 0 };

	(void)state;
	assert_false(census_clock_init(&clock, "counter"));
	assert_true(census_clock_init(&clock, "local"));
	assert_false(clock.is_trace);
	clock.begin = (struct census_moment){ .own = 1000, .ts = 5000000, .boot = 70000000000 };
	clock.within_ns = 20;
	/* before the end the drift is not known: at most a ten-thousandth */
	assert_int_equal(census_clock_trace(&clock, 1001000, false), 6000000 - 20 - 100);
	assert_int_equal(census_clock_trace(&clock, 1001000, true), 6000000 + 20 + 100);
	clock.end = (struct census_moment){ .own = 10001000, .ts = 15001000, .boot = 70010000000 };
	assert_int_equal(census_clock_trace(&clock, 1001000, false), 6000100 - 20);
	assert_int_equal(census_clock_trace(&clock, 1001000, true), 6000100 + 20);
	/* /proc has ticks of 10 ms; of what began before the trace clock, nothing is known */
	assert_int_equal(census_clock_start(&clock, 70009000000), -1);
	clock.begin.ts = 60000000000;
	clock.end.ts = 60010001000;
	assert_int_equal(census_clock_start(&clock, 69000000000), 59000000000 - 20000000);
	assert_int_equal(census_clock_start(&clock, 70009000000), 60010001000 - 1000000 - 20000000);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_strings),
					    cmocka_unit_test(test_cgroup_path),
					    cmocka_unit_test(test_clock) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
