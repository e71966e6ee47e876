/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_sets: what they hold is the same whether the directory knows the rows of sub-buffers, so
 * that they are items of matches, or not.  Which records these are is for
 * tests/compare/name_table.py and tests/compare/filter_calls.py to say.
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
#include "src/trace/match_items.h"
#include "src/trace/trace_streams.h"
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

/* Has a model made just what the filter keeps, and the same for another one? */
static bool is_known(struct trace *trace, struct filter *filter, struct filter *other)
{
	struct filter_run *run = filter_run_new(filter), *beside = filter_run_new(other);
	bool known = true;

	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		uint64_t pages = trace_stream_pages(trace, trace_stream_at(trace, i));
		struct match_item *item, *same;
		uint32_t nr;

		filter_run_stream(run, i);
		filter_run_stream(beside, i);
		if (!pages)
			continue;
		nr = (uint32_t)(pages < trace_stream_at(trace, i)->index.slab_pages ?
					pages :
					trace_stream_at(trace, i)->index.slab_pages);
		item = filter_run_item(run, 0, nr);
		same = filter_run_item(beside, 0, nr);
		assert_true(item == same);
		known &= item != NULL;
		match_item_unref(item);
		match_item_unref(same);
	}
	filter_run_free(run);
	filter_run_free(beside);
	return known;
}

static const struct asked {
	const char *trace, *text;
	bool alone;			/* a model makes just what it keeps */
} asked[] = {
	{ "cpu4", "state == sleep", true },
	{ "cpu4", "state != sleep", true },
	{ "cpu4", "wait >= 0", true },
	{ "cpu4", "wait + ran > 10us", true },
	{ "cpu4", "wakelat * 2 > 20us || wakelat * 2 > 20us", true },
	{ "cpu4", "sched_switch && state == sleep", true },
	{ "cpu4", "state == sleep && cpu < 2", true },
	{ "cpu4", "state == sleep && next_prio < 130", true },
	{ "cpu4", "state != sleep && prev_comm ~ \"*a*\" && !(next_pid in (0, 1))", true },
	{ "cpu4", "state == sleep && !(wait > 10us) && ran * 2 > 0", true },
	{ "cpu4", "!(state == sleep)", false },
	{ "cpu4", "!(state == sleep) && next_pid > 0", false },
	{ "cpu4", "sched_switch && !(wait > 10us)", false },
	{ "cpu4", "wait > 10us || ran > 10us", true },
	{ "cpu4", "sched_switch && (wait > 10us || next_pid > 0)", false },
	{ "cpu4", "wait >= 0 && prio > 100", false },
	{ "cpu4", "wait >= 0 && comm != bash", false },
	{ "cpu4", "wait >= 0 && time > +1us", false },
	{ "cpu4", "sched_switch: wait * 3 > ran", true },
	{ "cpu4", "lost || wait > 10us", false },
	{ "cpu4", "under *lock*", true },
	{ "cpu4", "under pick_next_task_fair", true },
	{ "cpu4", "under *lock* && depth > 2", true },
	{ "cpu4", "depth > 2 && under *lock* && !(depth == 4 || cpu == 1)", true },
	{ "cpu4", "under *sched* && depth > 2", true },
	{ "cpu4", "self * 2 > dur && depth > 1", true },
	{ "cpu4", "funcgraph_exit && under *lock* && dur > 1us", true },
	{ "cpu4", "(under *lock* && depth > 2) || under *lock* && depth > 2", true },
	{ "cpu4", "!(under *lock*) && depth > 2", false },
	{ "cpu4", "under *lock* && under *sched*", false },
	{ "fgraph-depth", "under x64_sys_call", true },
	{ "fgraph-depth", "self * 2 > dur", true },
	{ "fgraph-depth", "self + 0 < 3us && net >= 0", true },
	{ "fgraph-depth", "self < 3us && depth == 1", true },
	{ "fgraph-depth", "self < 3us && dur > 0 && !(net > 2us)", true },
};

/* Beside the same filter on the same trace without a directory, row by row. */
static void check(const struct asked *a)
{
	struct trace *trace = open_it(a->trace, true), *bare = open_it(a->trace, false);
	struct matches *m = matches_new(trace, MATCHES_BROWSE);
	struct filter *filter = new_ready_filter(trace, a->text),
		      *again = new_ready_filter(trace, a->text),
		      *other = new_ready_filter(bare, a->text);
	struct match_filter *handle;
	struct filter_run *run = filter_run_new(other), *spot = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(bare), *kept = trace_cursor_new(trace);
	struct trace_event event, hit;
	uint64_t nr = 0, rows = 0;

	if (is_known(trace, filter, again) != a->alone)
		fail_msg("%s: is %s by itself", a->text, a->alone ? "not known" : "known");
	assert_false(is_known(bare, other, other));
	filter_free(again);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
		cmocka_unit_test(test_together),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
