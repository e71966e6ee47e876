/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Filters in the kernel's own words.  Its grammar: linux Documentation/trace/events.rst, 5. Event
 * filtering.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/filter/filter_kernel.h"

static void test_said(void **state)
{
	static const struct { const char *text, *kernel; } cases[] = {
		{ "", "" },
		{ "prev_prio < 100", "prev_prio < 100" },
		{ "next_comm == bash", "next_comm == \"bash\"" },
		{ "comm ~ \"foo*\" and not cpu == 1", "comm ~ \"foo*\" && !(cpu == 1)" },
		{ "next_comm ~ foo*", "next_comm ~ \"foo*\"" },
		{ "filename contains \"/etc/\"", "filename ~ \"*/etc/*\"" },
		{ "a == 1 || b == 2 && c == 3", "a == 1 || (b == 2 && c == 3)" },
		{ "(a == 1 || b == 2) && c == 3", "(a == 1 || b == 2) && c == 3" },
		{ "a == 1 && b == 2 && c == 3", "a == 1 && b == 2 && c == 3" },
		{ "pid in (1, 5-9)", "(pid == 1 || (pid >= 5 && pid <= 9))" },
		{ "pid not in 0-3,7", "!((pid >= 0 && pid <= 3) || pid == 7)" },
		{ "runtime > 2ms", "runtime > 2000000" },
		{ "bytes >= 4k && len != 0x10", "bytes >= 4000 && len != 16" },
		{ "ret == -ENOENT", "ret == -2" },
		{ "ret < 0", "ret < 0" },
		{ "ret >= -4095", "ret >= -4095" },
		{ "flags & 4", "flags & 4" },
		{ "(flags & 4) == 0 || (flags & 2) != 0", "!(flags & 4) || flags & 2" },
		{ "!(a == 1)", "!(a == 1)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };
		struct filter_error err = { 0 };

		text_add(&out, "=");
		if (!filter_kernel_text(cases[i].text, &out, &err))
			fail_msg("%s: %s", cases[i].text, text_str(&err.message));
		assert_string_equal(text_str(&out) + 1, cases[i].kernel);
		text_fini(&out);
	}
}

/* What it cannot say, and where: nothing is left of the rest. */
static void test_refused(void **state)
{
	static const struct { const char *text; size_t from; const char *what; } cases[] = {
		{ "comm =~ /^ba/", 0, "regular expressions" },
		{ "a == 1 && \"page fault\"", 10, "search in the text" },
		{ "a == 1 && sched_switch: prev_pid == 1", 10, "names of events" },
		{ "a + 1 == 2", 0, "arithmetic" },
		{ "x == 1 && y << 2 > 3", 10, "arithmetic" },
		{ "irq", 0, "this term" },
		{ "args[0] == 1", 0, "elements of arrays" },
		{ "comm == \"a'b\" && c == 'x'", 23, "this kind of value" },
		{ "time > +1ms", 7, "this kind of number" },
		{ "a == ", 5, "" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text out = { 0 };
		struct filter_error err = { 0 };

		text_add(&out, "=");
		assert_false(filter_kernel_text(cases[i].text, &out, &err));
		assert_string_equal(text_str(&out), "=");
		if (!strstr(text_str(&err.message), cases[i].what) ||
		    err.from > cases[i].from + 1 || err.from + 1 < cases[i].from)
			fail_msg("%s: at %zu, %s", cases[i].text, err.from, text_str(&err.message));
		text_fini(&err.message);
		text_fini(&out);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_said),
		cmocka_unit_test(test_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
