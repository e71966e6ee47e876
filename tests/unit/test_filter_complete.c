/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_complete: which words may stand where, of a recorded trace whose events and tasks are
 * known.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/filter/filter.h"
#include "tests/lib/open_recorded.h"

static bool has(const struct filter_word *words, unsigned int nr, const char *text,
		const char *help)
{
	for (unsigned int i = 0; i < nr; i++)
		if (!strcmp(words[i].text, text) &&
		    (!help || (words[i].help && strstr(words[i].help, help))))
			return true;
	return false;
}

/*
 * Behind a text one word is among those offered, with this help, and another is not; they replace
 * it from a byte on.
 */
static void test_places(void **state)
{
	static const struct { const char *text; size_t from; const char *word, *help,
			      *none; } cases[] = {
		{ "", 0, "sched_switch", "events of sched", "\"on-cpu-1\"" },
		{ "irq/so", 0, "irq/softirq_raise", "299 events", "softirq" },
		{ "cpu == 1 && irq/", 12, "irq/softirq_entry", NULL, "sched/sched_switch" },
		{ "file == ", 8, "trace.dat", "cpu4/trace.dat", "sched_switch" },
		{ "instance != ", 12, "top", NULL, "foo" },
		{ "comm == o", 8, "\"on-cpu-1\"", NULL, "init" },
		{ "comm == \"on", 8, "\"on-cpu-1\"", NULL, "on-cpu-1" },
		{ "comm == \"i", 8, "\"init\"", NULL, "init" },
		{ "comm in (\"sh\", \"ksoftirqd/", 15, "\"ksoftirqd/2\"", NULL, "\"sh\"" },
		{ "comm == trace-c", 8, "\"trace-cmd\"", NULL, "cpu" },
		{ "comm == kworker/3:", 8, "\"kworker/3:1\"", NULL, "\"kworker/1:1\"" },
		{ "cpu in 0-", 9, "3", NULL, "cpu" },
		{ "cpu == 1 && \"o", 12, NULL, NULL, "\"on-cpu-1\"" },
		{ "comm =~ /o", 10, NULL, NULL, "\"on-cpu-1\"" },
		{ "comm =~ /on/ ", 13, "&&", NULL, "==" },
		{ "next_comm == ", 13, "\"on-cpu-1\"", NULL, "sched_switch" },
		{ "sched_switch: prev_comm in (", 28, "rcu_preempt", NULL, "prev_comm" },
		{ "pid == ", 7, "80", "on-cpu-1", "cpu" },
		{ "next_pid != 8", 12, "80", "on-cpu-1", "15" },
		{ "prev_state == ", 14, "S", "0x1", "sched_switch" },
		{ "cpu == ", 7, "3", NULL, "4" },
		{ "func == do_nanos", 8, "do_nanosleep", NULL, "schedule" },
		{ "under do_nanos", 6, "do_nanosleep", NULL, "schedule" },
		{ "pid ", 4, "==", NULL, "sched_switch" },
		{ "pid == 80 ", 10, "&&", NULL, "==" },
		{ "pid == 80 && p", 13, "prev_state", "long", "pid ==" },
		{ "sched_switch: n", 14, "next_comm", "char[16]", "sched_waking" },
	};
	struct trace *trace = open_data("cpu4", 1);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter_word *words;
		size_t from;
		unsigned int nr = filter_complete(trace, cases[i].text, strlen(cases[i].text), NULL,
						  &from, &words);

		if (!cases[i].word && nr)
			fail_msg("\"%s\": %u words, the first %s", cases[i].text, nr,
				 words[0].text);
		if (cases[i].word && !has(words, nr, cases[i].word, cases[i].help))
			fail_msg("\"%s\": %s is not among %u words", cases[i].text, cases[i].word,
				 nr);
		if (has(words, nr, cases[i].none, NULL))
			fail_msg("\"%s\": %s", cases[i].text, cases[i].none);
		if (cases[i].word)
			assert_int_equal(from, cases[i].from);
		filter_words_free(words, nr);
	}
	trace_close(trace);
}

/* What a newcomer types, and the first text offered in its place; the result is a filter. */
static void test_offers(void **state)
{
	static const struct { const char *typed, *becomes; unsigned int nr; } cases[] = {
		{ "61", "pid == 61", 1 },
		{ "cpu == 2 && 1", "cpu == 2 && pid == 1", 2 },
		{ "1.5ms", "dur > 1.5ms", 1 },
		{ "7.554", "time > 7.554", 1 },
		{ "payload", "comm == payload", 2 },
		{ "payload-61", "pid == 61", 1 },
		{ "cpu == 2 && !trace-cmd", "cpu == 2 && !comm == \"trace-cmd\"", 1 },
		{ "kworker/1:1", "comm == \"kworker/1:1\"", 1 },
		{ "comm=payload", "comm==payload", 1 },
		{ "vfs_read", "func == vfs_read", 2 },
		{ "(cpu 1 || cpu == 2)", "(cpu == 1 || cpu == 2)", 1 },
		{ "next_comm \"sh\"", "next_comm == \"sh\"", 1 },
		{ "tid == 61", "pid == 61", 1 },
		{ "command == payload", "comm == payload", 1 },
		{ "prev_stat == S", "prev_state == S", 1 },
		{ "no_such_word", "\"no_such_word\"", 1 },
		{ "sched_switch 61", NULL, 0 },
		{ "cpu == 1 2", NULL, 0 },
		{ "mine", NULL, 0 },
	};
	const struct filter_macro mine = { "mine", "prev_stat == S" };
	const struct filter_options options = { .macros = &mine, .nr_macros = 1 };
	struct trace *trace = open_data("cpu4", 1);

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct filter_source source = { .text = cases[i].typed, .file = -1 };
		struct filter_error err = { 0 }, none = { 0 };
		const struct filter_offers *offers = &err.offers;
		struct text becomes = { 0 };
		struct filter *filter = filter_new(trace, &source, 1, &options, &err);

		assert_null(filter);
		if (offers->nr != cases[i].nr)
			fail_msg("\"%s\": %u offers", cases[i].typed, offers->nr);
		if (offers->nr) {
			text_printf(&becomes, "%.*s%s%s", (int)offers->from, cases[i].typed,
				    offers->texts[0], cases[i].typed + offers->to);
			assert_string_equal(text_str(&becomes), cases[i].becomes);
			source.text = text_str(&becomes);
			filter = filter_new(trace, &source, 1, NULL, &none);
			assert_non_null(filter);
		}
		filter_free(filter);
		text_fini(&becomes);
		text_fini(&err.message);
	}
	trace_close(trace);
}

/* A field of events that did not occur, which the table has by another name. */
static void test_empty_offers(void **state)
{
	const struct filter_source source = { .text = "cpu == 1 && duration > 1ms", .file = -1 };
	struct trace *trace = open_data("cpu4", 1);
	struct filter *filter = filter_new(trace, &source, 1, NULL, NULL);
	const struct filter_offers *offers;

	(void)state;
	assert_non_null(strstr(filter_empty_reason(filter), "; did you mean dur?"));
	offers = filter_empty_offers(filter);
	assert_int_equal(offers->nr, 1);
	assert_string_equal(offers->texts[0], "dur");
	assert_int_equal(offers->from, 12);
	assert_int_equal(offers->to, 20);
	filter_free(filter);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_places),
		cmocka_unit_test(test_offers),
		cmocka_unit_test(test_empty_offers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
