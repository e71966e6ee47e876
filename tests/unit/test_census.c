/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/run/census_clock.h"
#include "recorder/run/census_strings.h"
#include "recorder/run/cgroup_facts.h"
#include "recorder/run/sched_facts.h"
#include "src/base/memory.h"

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

/* cgroups(7), /proc/pid/cgroup: a task's path, and the hierarchy with the CPU controller. */
static void test_cgroup_path(void **state)
{
	static const struct {
		const char *text, *path;
		int hierarchy;
	} cases[] = {
		{ "0::/user.slice/a.scope\n", "/user.slice/a.scope", 0 },
		{ "0::/\n", "/", 0 },
		{ "0::/a:b::c", "/a:b::c", 0 },
		/* all of v1 */
		{ "9:memory:/web\n4:cpu,cpuacct:/web\n1:name=systemd:/web\n", "/web", 4 },
		{ "9:memory:/pod/long\n4:cpuacct,cpu:/a:b\n1:name=systemd:/\n", "/a:b", 4 },
		{ "9:memory:/pod/long\n10:cpu:/web\n3:cpuset:/web/and/more\n0::/x\n",
		  "/web/and/more", 10 },
		{ "9:memory:/webs/long\n4:cpu:/web\n", "/web", 4 },
		/* others sort the tasks */
		{ "5:memory:/pod/long\n4:cpu:/\n1:name=systemd:/\n0::/\n", "/pod/long", 4 },
		{ "5:memory:/\n4:cpu,cpuacct:/web\n1:name=systemd:/web/x.service\n0::/\n",
		  "/web/x.service", 4 },
		{ "5:memory:/a:b\n1:cpu:/\n", "/a:b", 1 },
		{ "2:cpu:/\n1:name=systemd:/\n0::/\n", NULL, 2 },
		/* v2 has the CPU controller, v1 others */
		{ "5:memory:/pod/long\n1:name=systemd:/web/x\n0::/web\n", "/web/x", 0 },
		{ "5:memory:/pod/long\n1:name=cpu:/pod/long\n0::/web\n", "/web", 0 },
		{ "5:memory:/pod/long\n4:cpuset:/other\n0::/\n", "/pod/long", 0 },
		/* neither has it */
		{ "5:memory:/pod\n", "/pod", 0 },
		{ "", NULL, 0 },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len;
		const char *path = cgroup_facts_path(cases[i].text, &len);

		assert_int_equal(cgroup_facts_hierarchy(cases[i].text), cases[i].hierarchy);
		assert_int_equal(path != NULL, cases[i].path != NULL);
		if (!path)
			continue;
		assert_int_equal(len, strlen(cases[i].path));
		assert_memory_equal(path, cases[i].path, len);
	}
}

static void put(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *f;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	f = fopen(path, "we");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
}

/* A container's group has tasks before it has its limit, and is gone when the recording ends. */
static void test_limit_comes_late(void **state)
{
	struct cgroup_facts facts = { 0 };
	struct census_strings strings = { .most_bytes = 1000 };
	struct census_clock clock = { 0 };
	struct text out = { 0 };
	char folder[] = "/tmp/ftop-census-XXXXXX";
	uint32_t group;

	(void)state;
	assert_true(census_clock_init(&clock, "mono"));
	assert_non_null(mkdtemp(folder));
	put(folder, "cpu.max", "max 100000\n");
	put(folder, "cpu.stat", "usage_usec 5\nnr_periods 0\nnr_throttled 0\nthrottled_usec 0\n");
	facts.mount = mem_strdup("/tmp");
	group = census_string(&strings, folder + 4, strlen(folder + 4));
	cgroup_facts_see(&facts, &strings, group, &clock);
	cgroup_facts_look(&facts, &clock);
	assert_int_equal(facts.nr_states, 1);
	put(folder, "cpu.max", "20000 100000\n");
	cgroup_facts_look(&facts, &clock);
	cgroup_facts_look(&facts, &clock);	/* it was not throttled since then */
	assert_int_equal(facts.nr_states, 2);
	put(folder, "cpu.stat", "usage_usec 7\nnr_periods 2\nnr_throttled 1\nthrottled_usec 9\n");
	cgroup_facts_look(&facts, &clock);
	put(folder, "cpu.stat", "");		/* it is gone */
	cgroup_facts_end(&facts, &clock);
	cgroup_facts_text(&facts, 1, &clock, &out);
	assert_non_null(strstr(text_str(&out), " 1 20000 100000 -1 5 0 0 0 0\n"));
	assert_non_null(strstr(text_str(&out), " 1 20000 100000 -1 7 2 1 9 0\n"));
	text_fini(&out);
	cgroup_facts_fini(&facts);
	census_strings_fini(&strings);
	for (unsigned int i = 0; i < 2; i++) {
		char path[256];

		snprintf(path, sizeof(path), "%s/%s", folder, i ? "cpu.max" : "cpu.stat");
		unlink(path);
	}
	rmdir(folder);
}

/* What /proc says of this task: its CPUs before and after they were changed, each once. */
static void test_sched_facts(void **state)
{
	struct sched_facts facts = { 0 };
	struct census_strings strings = { .most_bytes = 1000 };
	struct census_clock clock = { 0 };
	struct text out = { 0 };
	char line[256], allowed[128] = "", string[160];
	FILE *status = fopen("/proc/self/status", "re");
	cpu_set_t all, one;
	int cpu = 0;

	(void)state;
	assert_true(census_clock_init(&clock, "mono"));
	while (status && fgets(line, sizeof(line), status))
		if (sscanf(line, "Cpus_allowed_list: %127s", allowed) == 1)
			break;
	assert_non_null(status);
	fclose(status);
	sched_facts_see(&facts, &strings, getpid(), false, &clock);
	sched_facts_see(&facts, &strings, getpid(), false, &clock);
	assert_int_equal(facts.nr, 1);
	sched_facts_see(&facts, &strings, getpid(), true, &clock);	/* another task with it */
	assert_int_equal(facts.nr, 2);
	assert_int_equal(sched_getaffinity(0, sizeof(all), &all), 0);
	while (!CPU_ISSET(cpu, &all))
		cpu++;
	CPU_ZERO(&one);
	CPU_SET(cpu, &one);
	assert_int_equal(sched_setaffinity(0, sizeof(one), &one), 0);
	sched_facts_end(&facts, &strings, &clock);
	assert_int_equal(sched_setaffinity(0, sizeof(all), &all), 0);
	assert_int_equal(facts.nr, CPU_COUNT(&all) > 1 ? 3 : 2);
	census_strings_text(&strings, 0, &out);
	snprintf(string, sizeof(string), "string %zu\n%s\n", strlen(allowed), allowed);
	assert_int_equal(strncmp(text_str(&out), string, strlen(string)), 0);
	snprintf(line, sizeof(line), " %d ", getpid());
	sched_facts_text(&facts, 1, &clock, &out);
	assert_non_null(strstr(text_str(&out), line));
	text_fini(&out);
	sched_facts_fini(&facts);
	census_strings_fini(&strings);
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
					    cmocka_unit_test(test_limit_comes_late),
					    cmocka_unit_test(test_sched_facts),
					    cmocka_unit_test(test_clock) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
