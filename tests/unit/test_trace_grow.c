/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A trace that is opened while it is recorded, and grows in any steps (tests/lib/growing.h), has
 * the rows of the finished file; with a ring, those of the pages that are left.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <unistd.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"
#include "src/match/matches.h"
#include "src/trace/stream_walk.h"
#include "tests/lib/growing.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/recorded.h"

#define BINS	8u

static struct {
	uint64_t	matches, binned;
	uint64_t	given_back;	/* bytes, by the recorders of rings */
} compared;

struct reader {				/* who has the recording open */
	struct trace	*trace;
	int64_t		 to;		/* where the last density ended */
	struct trace_cursor *cursor;	/* goes on where it was */
	size_t		 at;		/* rows of the whole trace that it has passed */
	struct matches	*matches;
	struct match_filter *filter;
};

static size_t settled_rows(const struct growing *g, const struct trace *trace)
{
	size_t nr = 0;

	while (nr < g->nr && (trace_end(trace) == INT64_MAX || g->rows[nr].key < trace_end(trace)))
		nr++;
	return nr;
}

static void assert_same(const struct growing *g, size_t nr, const struct trace_event *event)
{
	const struct growing_row *row = &g->rows[nr];

	if (event->ref != row->ref)
		fail_msg("row %zu is stream %u page %lu item %u, not %u %lu %u", nr,
			 trace_ref_stream(event->ref), (unsigned long)trace_ref_page(event->ref),
			 trace_ref_item(event->ref), trace_ref_stream(row->ref),
			 (unsigned long)trace_ref_page(row->ref), trace_ref_item(row->ref));
	assert_int_equal(event->key, row->key);
	assert_int_equal(event->kind, row->kind);
	assert_int_equal(event->size, row->size);
}

/* Rows are found by number and by time, and the last one is the last. */
static void check_rows(struct growing *g, struct trace *trace, size_t nr)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	bool exact;

	assert_true(trace_last(trace) == (nr ? g->rows[nr - 1].ref : TRACE_REF_NONE));
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (size_t i = 0; i < 5 && i < nr; i++) {
		assert_true(trace_cursor_prev(cursor, &event));
		assert_same(g, nr - 1 - i, &event);
	}
	for (unsigned int i = 0; i < 5 && nr; i++) {
		size_t row = gen_random_below(&g->random, (uint32_t)nr), first = row;

		while (first && g->rows[first - 1].key == g->rows[row].key)
			first--;
		assert_true(trace_select(trace, row) == g->rows[row].ref);
		assert_int_equal(trace_rank(trace, g->rows[row].ref, &exact), row);
		assert_true(exact);
		assert_true(trace_seek_time(trace, g->rows[row].key, -1) == g->rows[first].ref);
		trace_cursor_seek(cursor, g->rows[row].ref);
		for (size_t k = row; k < nr && k < row + 3; k++) {
			assert_true(trace_cursor_next(cursor, &event));
			assert_same(g, k, &event);
		}
	}
	assert_true(nr == g->nr || trace_seek_time(trace, trace_end(trace), -1) == TRACE_REF_NONE);
	trace_cursor_free(cursor);
}

/* The first row of each stream that is left follows what the ring dropped, and no other. */
static void check_beginnings(const struct growing *g, const struct trace *trace, size_t nr)
{
	bool *seen = mem_array(g->nr_streams, sizeof(*seen));

	for (size_t i = 0; i < nr; i++) {
		unsigned int stream = trace_ref_stream(g->rows[i].ref);

		assert_int_equal(trace_follows_dropped(trace, g->rows[i].ref),
				 !seen[stream] && g->dropped[stream]);
		seen[stream] = true;
	}
	free(seen);
}

static void check_status(const struct growing *g, struct trace *trace, size_t nr)
{
	struct trace_status status = trace_status(trace);
	int64_t first, last, least = INT64_MAX, greatest = INT64_MIN;
	uint64_t events = 0, lost = 0, unknown = 0, damaged = 0;

	for (size_t i = 0; i < nr; i++)
		if (g->rows[i].kind == TRACE_ROW_EVENT) {
			events++;
			greatest = g->rows[i].key;
			least = g->rows[i].key < least ? g->rows[i].key : least;
		}
	for (size_t i = 0; i < g->nr; i++) {	/* these are told before they are settled */
		const struct growing_row *row = &g->rows[i];
		bool there = trace_ref_page(row->ref) < g->written[trace_ref_stream(row->ref)];

		lost += there && row->kind == TRACE_ROW_LOST && row->lost_known ? row->lost : 0;
		unknown += there && row->kind == TRACE_ROW_LOST && !row->lost_known;
		damaged += there && row->kind == TRACE_ROW_DAMAGE;
	}
	assert_int_equal(status.lost_events, lost);
	assert_int_equal(status.lost_unknown, unknown);
	assert_int_equal(status.damaged_pages, damaged);
	assert_true(status.complete);
	assert_int_equal(status.rows, nr);
	assert_int_equal(status.events, events);
	assert_int_equal(trace_span(trace, &first, &last), events > 0);
	if (events)
		assert_int_equal(last, greatest);
	if (events)
		assert_int_equal(first, least);
}

/* What a filter keeps that was on from the beginning. */
static void same_matches(struct trace *trace, struct matches *m, const struct filter *filter)
{
	struct trace_cursor *cursor = trace_cursor_new(trace), *all = trace_cursor_new(trace);
	struct filter_run *run = filter_run_new(filter);
	struct trace_event match, event;
	uint64_t nr = 0;

	matches_wait(m);
	trace_cursor_only_matches(cursor, m);
	trace_cursor_seek_time(cursor, INT64_MIN);
	trace_cursor_seek_time(all, INT64_MIN);
	while (trace_cursor_next(all, &event)) {
		filter_run_stream(run, event.stream);
		if (!filter_run_event(run, &event))
			continue;
		assert_true(trace_cursor_next(cursor, &match));
		assert_true(match.ref == event.ref);
		nr++;
	}
	assert_false(trace_cursor_next(cursor, &match));
	assert_true(matches_status(m).exact);
	assert_int_equal(matches_status(m).rows, nr);
	compared.matches += nr;
	filter_run_free(run);
	trace_cursor_free(cursor);
	trace_cursor_free(all);
}

/* A density that was kept is as one that is counted now. */
static void check_density(struct growing *g, struct reader *reader)
{
	struct trace_bin kept[BINS], bins[BINS];
	int64_t first, last, to;

	if (!trace_grows(reader->trace) || !trace_span(reader->trace, &first, &last))
		return;
	to = first + (last + 1 - first) / (1 + gen_random_below(&g->random, 4));
	to = gen_random_one_in(&g->random, 2) && reader->to > first ? reader->to : to;
	reader->to = to;
	trace_density(reader->trace, first, to, BINS, kept);
	for (unsigned int nr = 1; nr < BINS; nr++)	/* takes its place in the cache */
		trace_density(reader->trace, first, to, nr, bins);
	trace_density(reader->trace, first, to, BINS, bins);
	for (unsigned int i = 0; i < BINS; i++) {
		assert_int_equal(kept[i].events, bins[i].events);
		assert_int_equal(kept[i].lost, bins[i].lost);
		assert_int_equal(kept[i].damaged, bins[i].damaged);
		compared.binned += bins[i].events;
	}
}

/* All that is settled is there, and only that; what the cursor had not seen comes next. */
static void check_settled(struct growing *g, struct reader *reader)
{
	size_t nr, at = 0;
	struct trace_event event;

	growing_keep_rows(g);
	nr = settled_rows(g, reader->trace);
	while (at < nr && g->rows[at].nr < reader->at)
		at++;
	for (; trace_cursor_next(reader->cursor, &event); at++) {
		assert_true(at < nr);
		assert_same(g, at, &event);
		reader->at = g->rows[at].nr + 1;
	}
	assert_int_equal(at, nr);
	check_rows(g, reader->trace, nr);
	check_beginnings(g, reader->trace, nr);
	check_status(g, reader->trace, nr);
	same_matches(reader->trace, reader->matches, match_filter_of(reader->filter));
}

static void *open_reader(struct growing *g, struct trace *trace)
{
	struct reader *reader = mem_alloc(sizeof(*reader));

	(void)g;
	reader->trace = trace;
	reader->cursor = trace_cursor_new(trace);
	trace_cursor_seek_time(reader->cursor, INT64_MIN);
	reader->matches = matches_new(trace, MATCHES_BROWSE);
	reader->filter = matches_add(reader->matches,
				     new_ready_filter(trace, "pid > 60 || cpu == 1"));
	matches_use(reader->matches, &reader->filter, 1);
	return reader;
}

static void close_reader(void *arg, struct growing *g)
{
	struct reader *reader = arg;

	compared.given_back += g->given_back;
	matches_drop(reader->matches, reader->filter);
	matches_free(reader->matches);
	trace_cursor_free(reader->cursor);
	free(reader);
}

static void check_growth(void *arg, struct growing *g, struct trace *trace)
{
	(void)trace;
	check_settled(g, arg);
	check_density(g, arg);
}

/* Once the recorder is gone, it is the whole trace. */
static void check_whole(void *arg, struct growing *g, struct trace *trace)
{
	const struct reader *reader = arg;
	int64_t first, last, whole_first;

	assert_true(trace_end(trace) == INT64_MAX);
	check_settled(g, arg);
	assert_int_equal(reader->at, g->nr_all);
	if (!g->is_ring && trace_span(trace, &first, &last)) {
		assert_true(trace_span(g->whole, &whole_first, &last));
		assert_int_equal(first, whole_first);
	}
}

static void check(const struct growing_case *c)
{
	static const struct growing_checks checks = { open_reader, check_growth, check_whole,
						      close_reader };

	growing_check(c, false, &checks);
	growing_check(c, true, &checks);
}

/* --- tests ----------------------------------------------------------------------------- */

static void test_recorded_traces(void **state)
{
	(void)state;
	growing_each_recorded(check);
	assert_true(compared.matches > 1000 && compared.binned > 10000);
	assert_true(compared.given_back > 1 << 20);
}

static void test_made_up_traces(void **state)
{
	(void)state;
	growing_each_made_up(check);
}

/* Each page that is left has the events of the whole trace; the others are damaged, without any. */
static void walk_dropped(const struct growing *g, struct trace *trace, unsigned int stream)
{
	struct stream_walk walk = { 0 };
	struct record rec;
	size_t events = 0;

	stream_walk_begin(&walk, trace, stream, 0, UINT64_MAX);
	for (uint64_t page = 0; stream_walk_page(&walk); page++) {
		assert_int_equal(walk.sb.damage != SUB_BUFFER_SOUND, page < g->dropped[stream]);
		while (stream_walk_next(&walk, &rec, walk.native)) {
			assert_true(page >= g->dropped[stream]);
			events++;
		}
	}
	stream_walk_end(&walk);
	for (size_t i = 0; i < g->nr_all; i++)
		events -= g->all[i].kind == TRACE_ROW_EVENT &&
			  trace_ref_stream(g->all[i].ref) == stream &&
			  trace_ref_page(g->all[i].ref) >= g->dropped[stream];
	assert_int_equal(events, 0);
}

/*
 * The recorder gives pages back while they are read, since the reader was away for long: a pass
 * finds damage there, and nothing else is different.  At the next look they are dropped.
 */
static void test_dropped_while_read(void **state)
{
	struct ft_error err = { 0 };
	struct growing g;
	struct trace *growing;
	struct reader *reader;
	char path[4096];

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	growing_begin(&g, path, 1, true);
	for (unsigned int i = 0; i < g.nr_streams; i++)
		growing_append(&g, i, UINT64_MAX);
	assert_int_equal(output_update(g.o, &err), 0);
	growing = growing_open();
	growing_catch_up(growing);
	for (unsigned int i = 0; i < g.nr_streams; i++) {
		growing_drop(&g, i, g.written[i] / 2);
		growing_give_back(&g, i);
	}
	assert_int_equal(output_update(g.o, &err), 0);
	for (unsigned int i = 0; i < g.nr_streams; i++)
		walk_dropped(&g, growing, i);
	growing_catch_up(growing);
	assert_true(trace_has_dropped(growing));
	reader = open_reader(&g, growing);
	check_settled(&g, reader);
	close_reader(reader, &g);
	trace_close(growing);
	output_abort(g.o, true);
	growing_end(&g);
}

static void tell_tasks(struct growing *g, const char *lines)
{
	struct ft_error err = { 0 };
	struct text t = { 0 };

	text_add(&t, lines);
	output_tasks(g->o, &t);
	text_fini(&t);
	assert_int_equal(output_update(g->o, &err), 0);
}

/* What is known of two tasks that are in no event: their cgroups, and the process of the second. */
static void expect_tasks(struct trace *trace, const char *first, const char *second, int process)
{
	const char *wanted[] = { first, second };

	for (int i = 0; i < 2; i++) {
		int64_t from, to;
		struct who who;

		trace_who(trace, 0, 4000001 + i, 1000, &who, &from, &to);
		assert_int_equal(who.cgroup != NULL, wanted[i] != NULL);
		if (wanted[i])
			assert_string_equal(who.cgroup, wanted[i]);
		assert_int_equal(who.tgid, i ? process : wanted[i] ? 4000001 : 0);
	}
}

/*
 * Who tasks are comes in pieces, and a later one names strings of those before.  It is not in the
 * finished file, which has the recorder's own text; but in one that is recovered.
 */
static void test_tasks_are_told(void **state)
{
	struct ft_error err = { 0 };
	struct output_recovered done;
	struct growing g;
	struct trace *growing;
	struct trace *trace;
	char path[4096], part[128];
	const char *name = part;

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	snprintf(part, sizeof(part), "%s/g.dat.part", growing_dir);
	growing_begin(&g, path, 1, false);
	growing_append(&g, 0, 1);
	assert_int_equal(output_update(g.o, &err), 0);
	growing = growing_open();
	expect_tasks(growing, NULL, NULL, 0);
	tell_tasks(&g, "string 2\n/a\ntask 5 6 4000001 1 -1 -1 0 0 1 0\n");
	growing_catch_up(growing);
	expect_tasks(growing, "/a", NULL, 0);
	tell_tasks(&g, "string 4\n/b/c\nthread 7 8 4000002 4000001 2\n");
	trace = trace_open(&name, 1, false, NULL, &err);
	trace_wait(trace);
	expect_tasks(trace, "/a", "/b/c", 4000001);
	trace_close(trace);
	growing_catch_up(growing);
	expect_tasks(growing, "/a", "/b/c", 4000001);
	trace_close(growing);
	output_abort(g.o, true);
	if (output_recover(part, &done, &err))
		fail_msg("%s", err.message);
	trace = trace_open(&name, 1, false, NULL, &err);
	trace_wait(trace);
	expect_tasks(trace, "/a", "/b/c", 4000001);
	trace_close(trace);
	growing_end(&g);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_tasks_are_told),
		cmocka_unit_test(test_made_up_traces),
		cmocka_unit_test(test_recorded_traces),
		cmocka_unit_test(test_dropped_while_read),
	};

	return cmocka_run_group_tests(tests, growing_set_up, growing_tear_down);
}
