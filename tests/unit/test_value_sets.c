/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * value_sets: what they hold is the same whether the directory knows the rows of sub-buffers, so that they are items of
 * matches, or not.  Which records these are is for tests/sched_names.py and tests/filter_calls.py to say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "src/filter.h"
#include "src/match_items.h"
#include "src/matches.h"
#include "src/trace_private.h"

static struct trace *open_it(const char *name, bool index)
{
	const struct trace_options options = { .nr_workers = 2, .hold_permille = -1, .no_index = !index };
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

static struct filter *bind(struct trace *trace, const char *text)
{
	struct filter_source source = { .text = text, .file = -1 };
	struct filter_error err = { 0 };
	struct filter *filter = filter_new(trace, &source, 1, NULL, &err);

	if (!filter)
		fail_msg("%s: %s", text, text_str(&err.message));
	filter_wait(filter);
	assert_true(filter_ready(filter));
	return filter;
}

/* Has a model made just what the filter keeps? */
static bool is_known(struct trace *trace, struct filter *filter)
{
	struct filter_run *run = filter_run_new(filter);
	bool known = true;

	for (unsigned int i = 0; i < trace->nr_streams; i++) {
		uint64_t pages = trace_stream_pages(trace, &trace->streams[i]);
		struct match_item *item;

		filter_run_stream(run, i);
		if (!pages)
			continue;
		item = filter_run_item(run, 0, (uint32_t)(pages < trace->streams[i].index.slab_pages ? pages :
							  trace->streams[i].index.slab_pages));
		known &= item != NULL;
		match_item_unref(item);
	}
	filter_run_free(run);
	return known;
}

static const struct asked {
	const char *trace, *text;
	bool alone;			/* it asks nothing but one thing of a model */
} asked[] = {
	{ "cpu4", "state == sleep", true },
	{ "cpu4", "state != sleep", true },
	{ "cpu4", "wait >= 0", true },
	{ "cpu4", "wait + ran > 10us", true },
	{ "cpu4", "wakelat * 2 > 20us || wakelat * 2 > 20us", false },
	{ "cpu4", "sched_switch && state == sleep", false },
	{ "cpu4", "state == sleep && cpu < 2", false },
	{ "cpu4", "!(state == sleep)", false },
	{ "cpu4", "wait > 10us || ran > 10us", false },
	{ "cpu4", "sched_switch: wait * 3 > ran", true },
	{ "cpu4", "lost || wait > 10us", false },
	{ "cpu4", "under *lock*", true },
	{ "cpu4", "under pick_next_task_fair", true },
	{ "cpu4", "under *lock* && depth > 2", false },
	{ "fgraph-depth", "under x64_sys_call", true },
	{ "fgraph-depth", "self * 2 > dur", true },
	{ "fgraph-depth", "self + 0 < 3us && net - self > 0", false },
	{ "fgraph-depth", "self < 3us && depth == 1", false },
};

/* Beside the same filter on the same trace without a directory, row by row. */
static void check(const struct asked *a)
{
	struct trace *trace = open_it(a->trace, true), *bare = open_it(a->trace, false);
	struct matches *m = matches_new(trace, MATCHES_BROWSE);
	struct filter *filter = bind(trace, a->text), *other = bind(bare, a->text);
	struct match_filter *handle;
	struct filter_run *run = filter_run_new(other), *spot = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(bare), *kept = trace_cursor_new(trace);
	struct trace_event event, hit;
	uint64_t nr = 0, rows = 0;

	if (is_known(trace, filter) != a->alone)
		fail_msg("%s: is %s by itself", a->text, a->alone ? "not known" : "known");
	assert_false(is_known(bare, other));
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
	assert_in_range(nr, 1, rows - 1);
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
