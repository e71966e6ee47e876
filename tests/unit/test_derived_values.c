/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * derived_values: filters that use them keep the same whether they are asked one after the other or
 * together, and of a trace with a directory and without.  Which records these are is for
 * tests/compare/sched_names.py and tests/compare/filter_calls.py to say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>

#include "src/commands/derived_names.h"
#include "src/match/matches.h"
#include "tests/lib/new_filter.h"

static struct trace *open_it(const char *name, bool index)
{
	const struct trace_options options = { .nr_workers = 2,
					       .filter_names = derived_names,
					       .hold_permille = -1,
					       .no_index = !index };
	const char *data = getenv("FTOP_TEST_DATA");
	struct ft_error err = { 0 };
	struct trace *trace;
	char path[512];
	const char *paths[] = { path };

	snprintf(path, sizeof(path), "%s/good/%s/trace.dat", data ? data : "tests/data", name);
	trace = trace_open(paths, 1, false, &options, &err);
	if (!trace)
		fail_msg("%s", err.message);
	if (index)
		trace_wait(trace);
	return trace;
}

static const struct asked {
	const char *trace, *text;
} asked[] = {
	{ "cpu4", "state == sleep" },
	{ "cpu4", "state != sleep" },
	{ "cpu4", "wait >= 0" },
	{ "cpu4", "wait + ran > 10us" },
	{ "cpu4", "wakelat * 2 > 20us || wakelat * 2 > 20us" },
	{ "cpu4", "sched_switch && state == sleep" },
	{ "cpu4", "state == sleep && cpu < 2" },
	{ "cpu4", "state == sleep && next_prio < 130" },
	{ "cpu4", "state != sleep && prev_comm ~ \"*a*\" && !(next_pid in (0, 1))" },
	{ "cpu4", "state == sleep && !(wait > 10us) && ran * 2 > 0" },
	{ "cpu4", "!(state == sleep)" },
	{ "cpu4", "!(state == sleep) && next_pid > 0" },
	{ "cpu4", "sched_switch && !(wait > 10us)" },
	{ "cpu4", "wait > 10us || ran > 10us" },
	{ "cpu4", "sched_switch && (wait > 10us || next_pid > 0)" },
	{ "cpu4", "wait >= 0 && prio > 100" },
	{ "cpu4", "wait >= 0 && comm != bash" },
	{ "cpu4", "wait >= 0 && time > +1us" },
	{ "cpu4", "sched_switch: wait * 3 > ran" },
	{ "cpu4", "lost || wait > 10us" },
	{ "cpu4", "under *lock*" },
	{ "cpu4", "under pick_next_task_fair" },
	{ "cpu4", "under *lock* && depth > 2" },
	{ "cpu4", "depth > 2 && under *lock* && !(depth == 4 || cpu == 1)" },
	{ "cpu4", "under *sched* && depth > 2" },
	{ "cpu4", "self * 2 > dur && depth > 1" },
	{ "cpu4", "funcgraph_exit && under *lock* && dur > 1us" },
	{ "cpu4", "(under *lock* && depth > 2) || under *lock* && depth > 2" },
	{ "cpu4", "!(under *lock*) && depth > 2" },
	{ "cpu4", "under *lock* && under *sched*" },
	{ "fgraph-depth", "under x64_sys_call" },
	{ "fgraph-depth", "self * 2 > dur" },
	{ "cpu4", "self + 0 < 3us && net >= 0" },
	{ "fgraph-depth", "self < 3us && depth == 1" },
	{ "cpu4", "self < 3us && dur > 0 && !(net > 2us)" },
};

/* Beside the same filter on the same trace without a directory, row by row. */
static void check(const struct asked *a)
{
	struct trace *trace = open_it(a->trace, true), *bare = open_it(a->trace, false);
	struct matches *m = matches_new(trace, MATCHES_BROWSE);
	struct filter *filter = new_ready_filter(trace, a->text),
		      *other = new_ready_filter(bare, a->text);
	struct match_filter *handle;
	struct filter_run *run = filter_run_new(other), *spot = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(bare), *kept = trace_cursor_new(trace);
	struct trace_event event, hit;
	uint64_t nr = 0, rows = 0;

	handle = matches_add(m, filter);
	matches_use(m, &handle, 1);
	matches_wait(m);
	assert_true(matches_status(m).exact);
	trace_cursor_only_matches(kept, m);
	trace_cursor_seek(kept, trace_first(trace));
	trace_cursor_seek(cursor, trace_first(bare));
	while (trace_cursor_next(cursor, &event)) {
		rows++;
		if (!filter_run_event(run, &event)) {
			if (filter_run_event(spot, &event))
				fail_msg("%s: a row too many", a->text);
			continue;
		}
		if (!filter_run_event(spot, &event))
			fail_msg("%s: a row is missing", a->text);
		assert_true(trace_cursor_next(kept, &hit));
		assert_true(hit.ref == event.ref);
		nr++;
	}
	assert_false(trace_cursor_next(kept, &hit));
	assert_int_equal(matches_status(m).rows, nr);
	if (!nr || nr == rows)
		fail_msg("%s: %u rows", a->text, (unsigned int)nr);
	trace_cursor_free(cursor);
	trace_cursor_free(kept);
	filter_run_free(run);
	filter_run_free(spot);
	matches_drop(m, handle);
	matches_free(m);
	filter_free(other);
	trace_close(trace);
	trace_close(bare);
}

static void test_same(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(asked) / sizeof(asked[0]); i++)
		check(&asked[i]);
}

#define NR_ASKED (sizeof(asked) / sizeof(asked[0]))

/* Filters of one trace that are asked in the same pass, beside each by itself. */
static void check_together(const char *name)
{
	struct trace *trace = open_it(name, true), *bare = open_it(name, false);
	struct filter *filters[NR_ASKED] = { NULL }, *others[NR_ASKED] = { NULL };
	struct filter_run *runs[NR_ASKED], *beside[NR_ASKED];
	struct trace_cursor *cursor = trace_cursor_new(bare);
	struct trace_event event;

	for (size_t i = 0; i < NR_ASKED; i++)
		if (!strcmp(asked[i].trace, name))
			filters[i] = new_filter(trace, asked[i].text);
	for (size_t i = 0; i < NR_ASKED; i++) {
		if (!filters[i])
			continue;
		filter_wait(filters[i]);
		others[i] = new_ready_filter(bare, asked[i].text);
		runs[i] = filter_run_new(filters[i]);
		beside[i] = filter_run_new(others[i]);
	}
	trace_cursor_seek(cursor, trace_first(bare));
	while (trace_cursor_next(cursor, &event))
		for (size_t i = 0; i < NR_ASKED; i++)
			if (filters[i] && filter_run_event(runs[i], &event) !=
						  filter_run_event(beside[i], &event))
				fail_msg("%s: is another one together", asked[i].text);
	trace_cursor_free(cursor);
	for (size_t i = 0; i < NR_ASKED; i++) {
		if (!filters[i])
			continue;
		filter_run_free(runs[i]);
		filter_run_free(beside[i]);
		filter_free(filters[i]);
		filter_free(others[i]);
	}
	trace_close(trace);
	trace_close(bare);
}

static void test_together(void **state)
{
	(void)state;
	check_together("cpu4");
	check_together("fgraph-depth");
}

static uint64_t memory;			/* of the machine; 0: what it has */

uint64_t __real_mem_installed(void);
uint64_t __wrap_mem_installed(void);

uint64_t __wrap_mem_installed(void)
{
	return memory ? memory : __real_mem_installed();
}

/* Rows that a filter keeps, and what it says of them. */
static unsigned int count(const char *name, const char *text, const char **trouble)
{
	struct trace *trace = open_it(name, true);
	struct filter *filter = new_ready_filter(trace, text);
	struct filter_run *run = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	unsigned int nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		nr += filter_run_event(run, &event);
	*trouble = filter_trouble(filter);
	trace_cursor_free(cursor);
	filter_run_free(run);
	filter_free(filter);
	trace_close(trace);
	return nr;
}

/* On a machine with little memory, later records have no values, and the filter says so. */
static void test_limit(void **state)
{
	static const struct { const char *trace, *text; } cases[] = {
		{ "cpu4", "wait >= 0" }, { "fgraph-depth", "self >= 0" },
		{ "fgraph-depth", "under *" },
	};
	const char *trouble;

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		unsigned int all = count(cases[i].trace, cases[i].text, &trouble);

		assert_null(trouble);
		memory = 8 * 100;
		assert_in_range(count(cases[i].trace, cases[i].text, &trouble), 1, all - 1);
		assert_string_equal(trouble, "too many values to keep in memory: those of later "
					     "records are unknown");
		memory = 0;
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_together),
		cmocka_unit_test(test_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
