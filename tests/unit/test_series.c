/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Moments and values of events, against a walk over all rows in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/timeline/series.h"
#include "src/trace/trace_marker.h"
#include "tests/lib/gen_sched.h"
#include "tests/lib/open_recorded.h"

struct event {
	int64_t	ts, value;
	int	cpu;
};

struct list {
	struct event	*events;	/* in the order of their streams' time */
	uint32_t	 nr, cap;
};

static struct trace *open_whole(const char *name, unsigned int workers)
{
	struct trace *trace = open_recorded(name, workers);

	trace_wait(trace);
	return trace;
}

/* By cursor, and the field's text. */
static void walk(struct trace *trace, const char *name, const char *field, struct list *list)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		struct trace_field_value *fields;
		unsigned int nr;

		if (event.kind != TRACE_ROW_EVENT || event.buffer ||
		    strcmp(trace_event_name(&event), name) != 0)
			continue;
		mem_grow(&list->events, list->nr, &list->cap);
		list->events[list->nr] = (struct event){ event.key, 0, event.cpu };
		nr = trace_event_fields(trace, &event, &fields);
		for (unsigned int i = 0; field && i < nr; i++)
			if (!strcmp(fields[i].name, field))
				list->events[list->nr].value = strtoll(text_str(&fields[i].raw),
								       NULL, 0);
		trace_fields_free(fields, nr);
		list->nr++;
	}
	trace_cursor_free(cursor);
}

static void check_column(const struct list *list, int64_t from, int64_t to,
			 const struct series_sum *sum, bool values)
{
	const struct event *held = NULL;
	uint64_t events = 0;
	int64_t least = 0, most = 0;
	bool one_of = false;

	for (uint32_t i = 0; i < list->nr; i++) {
		const struct event *e = &list->events[i];

		if (e->ts < from && (!held || e->ts >= held->ts))
			held = e;
		if (e->ts < from || e->ts >= to)
			continue;
		least = !events || e->value < least ? e->value : least;
		most = !events || e->value > most ? e->value : most;
		events++;
	}
	assert_int_equal(sum->events, events);
	assert_int_equal(sum->held, held != NULL);
	/* Of several at one time any is the last. */
	for (uint32_t i = 0; i < list->nr && held; i++)
		one_of |= list->events[i].ts == held->ts && list->events[i].value == sum->value;
	if (!values)
		return;
	assert_true(!held || one_of);
	if (events) {
		assert_int_equal(sum->least, least);
		assert_int_equal(sum->most, most);
	}
}

#define COLUMNS	30u

static void check_windows(struct series *series, const struct list *list, struct gen_random *random,
			  unsigned int windows)
{
	int64_t first = list->nr ? list->events[0].ts : 0,
		last = list->nr ? list->events[list->nr - 1].ts : 0;

	for (unsigned int w = 0; w < windows; w++) {
		int64_t step = 1 + ((last - first) >> gen_random_below(random, 30)),
			edges[COLUMNS + 1];
		struct series_sum sums[COLUMNS];

		edges[0] = first - step * 2 +
			   (int64_t)(gen_random_u64(random) % (uint64_t)(last - first + 3 * step));
		for (unsigned int i = 0; i < COLUMNS; i++)
			edges[i + 1] = edges[i] + step;
		series_columns(series, edges, COLUMNS, sums);
		for (unsigned int i = 0; i < COLUMNS; i++)
			check_column(list, edges[i], edges[i + 1], &sums[i],
				     series_has_values(series));
	}
}

struct counted {
	uint64_t	nr;
	int64_t		latest;
};

static bool count(void *arg, const struct series_event *event)
{
	struct counted *counted = arg;

	assert_true(!counted->nr || event->ts >= counted->latest);
	counted->latest = event->ts;
	counted->nr++;
	return true;
}

static void check_neighbours(struct series *series, const struct list *list,
			     struct gen_random *random)
{
	for (unsigned int i = 0; i < 50 && list->nr; i++) {
		int64_t ts = list->events[gen_random_below(random, list->nr)].ts +
			     (int64_t)gen_random_below(random, 3) - 1;
		int64_t before = INT64_MIN, after = INT64_MAX;
		struct series_event event;

		for (uint32_t k = 0; k < list->nr; k++) {
			before = list->events[k].ts <= ts && list->events[k].ts > before ?
					 list->events[k].ts :
					 before;
			after = list->events[k].ts > ts && list->events[k].ts < after ?
					list->events[k].ts :
					after;
		}
		assert_int_equal(series_before(series, ts, &event), before != INT64_MIN);
		assert_true(before == INT64_MIN || event.ts == before);
		assert_int_equal(series_after(series, ts, &event), after != INT64_MAX);
		assert_true(after == INT64_MAX || event.ts == after);
	}
}

static void check(struct trace *trace, const char *what, const char *name, const char *field,
		  uint64_t seed, unsigned int windows)
{
	struct counted counted = { 0 };
	struct gen_random random;
	struct ft_error err = { 0 };
	struct list list = { 0 };
	struct series *series = series_new(trace, 0, 0, what, 0, &err);

	if (!series)
		fail_msg("%s", err.message);
	gen_random_init(&random, seed);
	walk(trace, name, field, &list);
	series_wait(series);
	assert_true(series_progress(series).done);
	assert_false(series_progress(series).full);
	assert_int_equal(series_progress(series).events, list.nr);
	assert_int_equal(series_has_values(series), field != NULL);
	check_windows(series, &list, &random, windows);
	check_neighbours(series, &list, &random);
	series_each(series, INT64_MIN, INT64_MAX, count, &counted);
	assert_int_equal(counted.nr, list.nr);
	series_free(series);
	free(list.events);
}

static void recorded_traces_are_noted(void **state)
{
	struct trace *trace = open_whole("sched", 2);

	(void)state;
	check(trace, "sched_switch", "sched_switch", NULL, 1, 20);
	check(trace, "sched:sched_switch.next_prio", "sched_switch", "next_prio", 2, 20);
	check(trace, "sched_switch.prev_state", "sched_switch", "prev_state", 3, 20);
	check(trace, "sched_stat_runtime.runtime", "sched_stat_runtime", "runtime", 4, 20);
	trace_close(trace);
	trace = open_whole("cpu4", 3);
	check(trace, "sched_waking.common_pid", "sched_waking", "common_pid", 5, 20);
	trace_close(trace);
}

/* Clocks that go back, damage, both byte orders. */
static void made_up_traces_are_noted(void **state)
{
	(void)state;
	for (uint64_t seed = 0; seed < 16; seed++) {
		struct gen_sched_options options = gen_sched_sample(seed, 4000);
		char path[] = "/tmp/test_series.XXXXXX";
		struct gen_sched *gen;
		struct ft_error err = { 0 };
		struct trace *trace;

		options.no_switch = options.second_buffer = false;
		gen = gen_sched_new(&options);
		close(mkstemp(path));
		if (gen_sched_write(gen, path, &err))
			fail_msg("%s", err.message);
		gen_sched_free(gen);
		trace = open_path(path, 1 + (unsigned int)(seed % 3));
		trace_wait(trace);
		check(trace, "sched_switch.prev_pid", "sched_switch", "prev_pid", seed, 12);
		trace_close(trace);
		unlink(path);
	}
}

static void assert_refused(struct trace *trace, const char *what, const char *words)
{
	struct ft_error err = { 0 };

	assert_null(series_new(trace, 0, 0, what, 0, &err));
	assert_int_equal(err.code, FT_E_USAGE);
	assert_string_equal(err.message, words);
}

static void what_is_not_there_is_said(void **state)
{
	struct trace *trace = open_whole("cpu4", 1);

	(void)state;
	assert_refused(trace, "sched_swich",
		       "this trace has no event sched_swich; did you mean sched_switch?");
	assert_refused(trace, "irq:sched_switch",
		       "this trace has no event sched_switch; did you mean sched_switch?");
	assert_refused(
		trace, "sched_switch.prev_comm",
		"sched_switch has no numeric field prev_comm; it has prev_pid, prev_prio, prev_state, "
		"next_pid, next_prio");
	assert_refused(
		trace, "sched_switch.",
		"sched_switch has no numeric field ; it has prev_pid, prev_prio, prev_state, next_pid, next_prio");
	trace_close(trace);
}

static void memory_is_limited(void **state)
{
	struct trace *trace = open_whole("cpu4", 2);
	struct ft_error err = { 0 };
	struct series *series = series_new(trace, 0, 0, "funcgraph_entry.depth", 1000, &err);

	(void)state;
	series_wait(series);
	assert_true(series_progress(series).done && series_progress(series).full);
	assert_in_range(series_progress(series).events, 1, 64);
	series_free(series);
	trace_close(trace);
}

static void counters_are_rounded(void **state)
{
	static const struct { const char *text; int64_t value; } cases[] = {
		{ "C|7|load|12", 12 },	    { "C|7|load|-12.4", -12 }, { "C|7|load|0.5", 1 },
		{ "C|7|load|-0.500", -1 },  { "C|7|load|3.", 3 },
	};
	static const char *const others[] = { "C|7|load|1.2.3", "C|7|load|.5x", "C|7|load|1e3",
					      "S|7|load|1.5" };
	const struct event_field buf = { .offset = 0 };
	struct trace_marker m;

	(void)state;
	for (unsigned int i = 0; i < 5; i++) {
		assert_true(trace_marker_read(&buf, (const uint8_t *)cases[i].text,
					      (uint32_t)strlen(cases[i].text), &m));
		assert_int_equal(m.value, cases[i].value);
	}
	for (unsigned int i = 0; i < 4; i++)
		assert_false(trace_marker_read(&buf, (const uint8_t *)others[i],
					       (uint32_t)strlen(others[i]), &m));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(recorded_traces_are_noted),
		cmocka_unit_test(made_up_traces_are_noted),
		cmocka_unit_test(what_is_not_there_is_said),
		cmocka_unit_test(memory_is_limited),
		cmocka_unit_test(counters_are_rounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
