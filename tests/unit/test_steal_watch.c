/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looks at /proc/stat, and the lines that tell of them: expected by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/machine.h"
#include "recorder/run/steal_watch.h"

/* proc(5): user nice system idle iowait irq softirq steal guest guest_nice; "cpu" is their sum */
static const char *const looks[] = {
	"cpu  10 0 5 100 0 0 0 700 0 0\n"
	"cpu0 5 0 3 50 0 0 0 400 0 0\n"
	"cpu2 5 0 2 50 0 0 0 300 0 0\n"
	"intr 7 8 9\ncpu9 1 1 1 1 1 1 1 9000 0 0\n",
	/* CPU 0: 12 more; CPU 2 is off */
	"cpu  20 0 5 180 0 0 0 712 0 0\n"
	"cpu0 9 0 3 50 0 0 0 412 0 0\n"
	"intr 7 8 9\n",
	/* CPU 0: the kernel counted too much, and takes it back; CPU 1 is new; CPU 2: 3 more */
	"cpu  20 0 5 180 0 0 0 712 0 0\n"
	"cpu0 9 0 3 50 0 0 0 411 0 0\n"
	"cpu1 9 0 3 50 0 0 0 77 0 0\n"
	"cpu2 9 0 3 50 0 0 0 303 0 0\n",
	/* CPU 1: 2 more */
	"cpu0 9 0 3 50 0 0 0 411 0 0\n"
	"cpu1 9 0 3 50 0 0 0 79 0 0\n"
	"cpu2 9 0 3 50 0 0 0 303 0 0\n",
};

static uint64_t stamp_of(const void *arg, uint64_t at)
{
	return *(const uint64_t *)arg + at;
}

static void look(struct steal_watch *watch, unsigned int nr)
{
	for (unsigned int i = 0; i < nr; i++)
		steal_watch_look(watch, looks[i], 1000 * (i + 1));
}

static void test_growth(void **state)
{
	struct steal_watch watch = { 0 };
	uint64_t zero = 5;
	struct text out = { 0 };

	(void)state;
	look(&watch, 4);
	steal_watch_lines(&watch, 100, stamp_of, &zero, &out);
	assert_string_equal(text_str(&out), "watched 100 1005 4005\n"
					    "steal 1005 2005 0 12\n"
					    "steal 1005 3005 2 3\n"
					    "steal 3005 4005 1 2\n");
	text_clear(&out);
	steal_watch_lines(&watch, 100, NULL, NULL, &out);
	assert_string_equal(text_str(&out), "watched 100 -1 -1\n"
					    "steal -1 -1 0 12\n"
					    "steal -1 -1 2 3\n"
					    "steal -1 -1 1 2\n");
	text_fini(&out);
	steal_watch_fini(&watch);
}

/*
 * Watched, and nothing was stolen; not watched; kernels before 2.6.11 have no steal; a hypervisor
 * that does not tell.
 */
static void test_nothing(void **state)
{
	struct steal_watch watch = { 0 };
	struct text out = { 0 };

	(void)state;
	steal_watch_lines(&watch, 100, NULL, NULL, &out);
	assert_string_equal(text_str(&out), "");
	steal_watch_look(&watch, "cpu  1 2 3 4 5 6 7\ncpu0 1 2 3 4 5 6 7\nintr 1\n", 1);
	steal_watch_lines(&watch, 100, NULL, NULL, &out);
	assert_string_equal(text_str(&out), "");
	steal_watch_look(&watch, "cpu0 5 0 3 50 0 0 0 0 0 0\ncpu2 5 0 2 50 0 0 0 0 0 0\n", 1);
	steal_watch_lines(&watch, 100, NULL, NULL, &out);
	assert_string_equal(text_str(&out), "");
	steal_watch_fini(&watch);
	look(&watch, 1);
	look(&watch, 1);
	steal_watch_lines(&watch, 100, NULL, NULL, &out);
	assert_string_equal(text_str(&out), "watched 100 -1 -1\n");
	text_fini(&out);
	steal_watch_fini(&watch);
}

static void test_machine(void **state)
{
	static const char text[] = "watched 250 1000 4000\n"
				   "steal 1000 2000 4 12\n"
				   "steal 1000 3000 2 3\n"
				   "steal -1 -1 4 5\n";
	struct machine m;

	(void)state;
	assert_int_equal(machine_load(&m, text, strlen(text), NULL), 0);
	assert_int_equal(m.steal_from, 1000);
	assert_int_equal(m.steal_to, 4000);
	assert_int_equal(machine_stolen(&m, 4), 17);
	assert_int_equal(machine_stolen(&m, 2), 3);
	assert_int_equal(machine_stolen(&m, 0), 0);
	assert_int_equal(machine_stolen(&m, -1), 20);
	assert_int_equal(machine_next_stolen(&m, -1), 2);
	assert_int_equal(machine_next_stolen(&m, 2), 4);
	assert_int_equal(machine_next_stolen(&m, 4), -1);
	assert_int_equal(machine_ticks_ns(&m, 20), 80000000);
	assert_int_equal(machine_most_stolen(&m)->ticks, 12);
	assert_true(m.steals[2].ts == INT64_MIN);
	machine_fini(&m);
}

static void test_wrong_lines(void **state)
{
	static const char *const wrong[] = {
		"watched 0 1 2\n",       "watched 100 1\n",
		"watched 100 1 2 3\n",   "watched 1000001 1 2\n",
		"watched 100 1 2",       "steal 1 2 0 3\n",
		"watched 100 1 2\nsteal 1 2 0\n", "watched 100 1 2\nsteal 1 2 0 0\n",
		"watched 100 1 2\nsteal 1 2 65536 1\n", "watched 100 1 2\nsteal 1 2 -1 1\n",
		"watched 100 1 2\nsteal 1 2 0 4294967296\n",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ft_error err = { 0 };
		struct machine m;

		assert_int_equal(machine_load(&m, wrong[i], strlen(wrong[i]), &err), -1);
		assert_int_equal(m.steal_hz, 0);
		assert_int_equal(m.nr_steals, 0);
		assert_int_equal(err.code, FT_E_FORMAT);
		machine_fini(&m);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_growth),
		cmocka_unit_test(test_nothing),
		cmocka_unit_test(test_machine),
		cmocka_unit_test(test_wrong_lines),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
