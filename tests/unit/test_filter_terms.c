/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A filter's text: its terms, and what the keys of "only" and "without" make of it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "ui/rows/filter_terms.h"

static void test_terms(void **state)
{
	static const struct { const char *text, *terms; } cases[] = {
		{ "", "" },
		{ "a", "a" },
		{ " a && b and c ", "a|b|c" },
		{ "a && (b && c)", "a|(b && c)" },
		{ "x == \"a && b\" && c", "x == \"a && b\"|c" },
		{ "comm =~ /a && b/ && irq/x", "comm =~ /a && b/|irq/x" },
		{ "a && b || c", "a && b || c" },
		{ "a or b and c", "a or b and c" },
		{ "sched_switch: a && b", "sched_switch: a && b" },
		{ "(sched_switch: a || b) && c", "(sched_switch: a || b)|c" },
		{ "android && orange", "android|orange" },
		{ "a && \"never closed", "a|\"never closed" },
		{ "a && )) b && c", "a|)) b|c" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter_term terms[FILTER_TERMS_MAX];
		unsigned int nr = filter_terms(cases[i].text, terms);
		struct text t = { 0 };

		for (unsigned int k = 0; k < nr; k++) {
			text_add(&t, k ? "|" : "");
			text_bytes(&t, cases[i].text + terms[k].from, terms[k].to - terms[k].from);
		}
		assert_string_equal(text_str(&t), cases[i].terms);
		text_fini(&t);
	}
}

static void test_adding(void **state)
{
	static const struct { const char *text, *name,
			      *value; bool without; const char *result; } cases[] = {
		{ "", "pid", "5", false, "pid == 5" },
		{ "pid == 5", "pid", "5", false, "pid == 5" },
		{ "pid == 5", "pid", "7", false, "pid in (5, 7)" },
		{ "irq && pid in (5, 7) && x", "pid", "9", false, "irq && pid in (5, 7, 9) && x" },
		{ "pid in (5, 7)", "pid", "7", false, "pid in (5, 7)" },
		{ "pid in (15, 7)", "pid", "5", false, "pid in (15, 7, 5)" },
		{ "next_pid == 5", "pid", "7", false, "next_pid == 5 && pid == 7" },
		{ "comm in (\"a, b\", c)", "comm", "b", false, "comm in (\"a, b\", c, b)" },
		{ "pid == 5", "cpu", "1", false, "pid == 5 && cpu == 1" },
		{ "a || b", "cpu", "1", false, "(a || b) && cpu == 1" },
		{ "sched_switch: a", "cpu", "1", false, "(sched_switch: a) && cpu == 1" },
		{ "pid == 5", "pid", "7", true, "pid == 5 && pid != 7" },
		{ "pid != 5", "pid", "7", true, "pid not in (5, 7)" },
		{ "pid not in (5, 7)", "pid", "8", true, "pid not in (5, 7, 8)" },
		{ "", "func", "f", true, "!(func == f)" },
		{ "!(func == f)", "func", "g", true, "!(func in (f, g))" },
		{ "!(func in (f, g))", "func", "h", true, "!(func in (f, g, h))" },
		{ "", NULL, "sched_switch", false, "sched_switch" },
		{ "sched_switch", NULL, "sched_switch", false, "sched_switch" },
		{ "cpu == 1 && sched_switch", NULL, "sched_waking", false,
		  "cpu == 1 && sched_switch, sched_waking" },
		{ "a, b", NULL, "c", false, "a, b, c" },
		{ "irq", NULL, "sched_switch", false, "irq && sched_switch" },
		{ "a", NULL, "b", true, "a && !b" },
		{ "a", NULL, "(irq || softirq)", false, "a && (irq || softirq)" },
		/* The last word counts: both would leave nothing. */
		{ "pid == 5 && irq", "pid", "5", true, "pid != 5 && irq" },
		{ "a && !(func == f)", "func", "f", false, "a && func == f" },
		{ "sched_switch", NULL, "sched_switch", true, "!sched_switch" },
		{ "!(irq || softirq)", NULL, "(irq || softirq)", false, "(irq || softirq)" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct text t = { 0 };

		filter_terms_add(cases[i].text, cases[i].name, cases[i].value, cases[i].without,
				 NULL, &t);
		assert_string_equal(text_str(&t), cases[i].result);
		text_fini(&t);
	}
}

static void test_less(void **state)
{
	struct filter_term terms[FILTER_TERMS_MAX];
	const char *text = "a == 1 && b and c";
	unsigned int nr = filter_terms(text, terms);
	struct text t = { 0 };

	(void)state;
	assert_int_equal(nr, 3);
	filter_terms_less(text, terms, nr, 1, &t);
	assert_string_equal(text_str(&t), "a == 1 && c");
	text_fini(&t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_adding),
		cmocka_unit_test(test_less),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
