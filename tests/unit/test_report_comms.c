/* SPDX-License-Identifier: GPL-2.0-or-later */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <cmocka.h>

#include "parsers/types/report_comms.h"

static struct report_comms *make(const char *saved)
{
	return report_comms_new(saved, strlen(saved));
}

static void test_saved_names(void **state)
{
	struct report_comms *c = make("  71 bash\n72 a b:c \n\n73\t x\n-5 minus\n");

	(void)state;
	assert_string_equal(report_comms_get(c, 71), "bash");
	assert_string_equal(report_comms_get(c, 72), "a b:c ");
	assert_string_equal(report_comms_get(c, 73), "x");
	assert_string_equal(report_comms_get(c, -5), "minus");
	assert_string_equal(report_comms_get(c, 0), "<idle>");
	assert_null(report_comms_get(c, 74));
	report_comms_free(c);
}

/* libtraceevent gives up at the first line that has no pid and name. */
static void test_lines_behind_a_bad_one(void **state)
{
	static const char *const bad[] = { "x y", "12", "12   ", "99999999999 big" };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		char text[100];
		struct report_comms *c;

		snprintf(text, sizeof(text), "1 one\n%s\n2 two", bad[i]);
		c = make(text);
		assert_string_equal(report_comms_get(c, 1), "one");
		assert_null(report_comms_get(c, 2));
		report_comms_free(c);
	}
}

static void test_first_name_stays(void **state)
{
	struct report_comms *c = make("1 saved\n");

	(void)state;
	assert_string_equal(report_comms_get(c, 1), "saved");
	report_comms_learn(c, 1, "other", 5);
	report_comms_learn(c, 2, "first\0rest", 10);
	report_comms_learn(c, 2, "second", 6);
	report_comms_learn(c, 0, "swapper", 7);
	assert_string_equal(report_comms_get(c, 1), "saved");
	assert_string_equal(report_comms_get(c, 2), "first");
	assert_string_equal(report_comms_get(c, 0), "<idle>");
	for (int pid = 3; pid < 5000; pid++) {
		char name[16];

		snprintf(name, sizeof(name), "n%d", pid);
		report_comms_learn(c, pid, name, sizeof(name));
	}
	assert_string_equal(report_comms_get(c, 4999), "n4999");
	assert_null(report_comms_get(c, 5000));
	report_comms_free(c);
}

/* What was learnt while only pid 0 had been asked for stands in front of the saved name. */
static void test_names_learnt_before_the_first_question(void **state)
{
	struct report_comms *c = make("165 wl-ping\n166 wl-pong\n");

	(void)state;
	assert_string_equal(report_comms_get(c, 0), "<idle>");
	report_comms_learn(c, 166, "wl", 2);
	report_comms_learn(c, 166, "wl", 2);
	assert_string_equal(report_comms_get(c, 165), "wl-ping");
	/* sorted: 165 wl-ping, 166 wl, 166 wl, 166 wl-pong: the search begins in the middle */
	assert_string_equal(report_comms_get(c, 166), "wl");
	report_comms_learn(c, 200, "late", 4);
	report_comms_learn(c, 100, "early", 5);
	assert_string_equal(report_comms_get(c, 200), "late");
	assert_string_equal(report_comms_get(c, 100), "early");
	report_comms_free(c);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_saved_names),
		cmocka_unit_test(test_lines_behind_a_bad_one),
		cmocka_unit_test(test_first_name_stays),
		cmocka_unit_test(test_names_learnt_before_the_first_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
