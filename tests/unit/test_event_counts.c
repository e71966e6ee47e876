/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events of each task, CPU and type, of all and of those that filters and a range keep, against a
 * walk over all rows in order.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/field.h"
#include "src/base/memory.h"
#include "src/commands/derived_names.h"
#include "src/sched/event_counts.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/recorded.h"

static struct trace *open_traces(const char *const *names, unsigned int nr, unsigned int workers)
{
	struct trace_options options = { .nr_workers = workers,
					 .filter_names = derived_names,
					 .hold_permille = -1 };
	struct ft_error err = { 0 };
	char paths[4][4096];
	const char *p[4];
	struct trace *trace;

	for (unsigned int i = 0; i < nr; i++) {
		if (!recorded_path(names[i], "trace.dat", paths[i], sizeof(paths[i])))
			fail_msg("no recorded trace %s", names[i]);
		p[i] = paths[i];
	}
	trace = trace_open(p, nr, true, &options, &err);
	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

/* Of a wait the task that waited: a switch leads to it. */
static int key_of(const struct trace_event *event, enum event_counts_by by, bool of_next)
{
	if (of_next && by == EVENT_COUNTS_TASK)
		return (int)field_u64(event_type_field(event->type, "next_pid"), event->data,
				      event->size, event->swap);
	return by == EVENT_COUNTS_TASK ? event->pid :
	       by == EVENT_COUNTS_CPU  ? event->cpu :
					 event->type_id;
}

static bool is_kept(const struct trace_event *event, const struct event_counts_options *o,
		    struct filter_run **runs)
{
	if (event->kind != TRACE_ROW_EVENT)
		return false;
	if (o->range.set && (event->ts < o->range.from || event->ts > o->range.to))
		return false;
	for (unsigned int i = 0; i < o->nr_filters; i++)
		if (!filter_run_event(runs[i], event))
			return false;
	return true;
}

/* A simple list, searched from its beginning. */
static unsigned int count_slowly(struct trace *trace, const struct event_counts_options *o,
				 enum event_counts_by by, struct event_count **list)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct filter_run *runs[4];
	struct trace_event event;
	unsigned int nr = 0, cap = 0;
	bool of_next = o->nr_filters && filter_is_of_other(o->filters[0]);

	for (unsigned int i = 0; i < o->nr_filters; i++)
		runs[i] = filter_run_new(o->filters[i]);
	*list = NULL;
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		unsigned int i = 0;

		if (!is_kept(&event, o, runs))
			continue;
		while (i < nr && ((*list)[i].key != key_of(&event, by, of_next) ||
				  (*list)[i].file != event.file))
			i++;
		if (i == nr) {
			mem_grow(list, nr, &cap);
			(*list)[nr++] = (struct event_count){ event.file,
							      key_of(&event, by, of_next), 0 };
		}
		(*list)[i].events++;
	}
	trace_cursor_free(cursor);
	for (unsigned int i = 0; i < o->nr_filters; i++)
		filter_run_free(runs[i]);
	return nr;
}

static void compare_by(struct trace *trace, struct event_counts *counts,
		       const struct event_counts_options *o, enum event_counts_by by)
{
	struct event_count *got, *expected;
	unsigned int permille, nr, nr_expected = count_slowly(trace, o, by, &expected);

	nr = event_counts_get(counts, by, &got, &permille);
	assert_int_equal(permille, 1000);
	assert_true(nr_expected > 0);
	assert_int_equal(nr, nr_expected);
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int k = 0;

		if (i)
			assert_true(got[i - 1].events >= got[i].events);
		while (k < nr && (expected[k].key != got[i].key || expected[k].file != got[i].file))
			k++;
		assert_true(k < nr);
		assert_int_equal(got[i].events, expected[k].events);
	}
	free(got);
	free(expected);
}

static void compare(struct trace *trace, const struct event_counts_options *o)
{
	struct event_counts *counts = event_counts_new(trace, o);

	event_counts_wait(counts);
	compare_by(trace, counts, o, EVENT_COUNTS_TASK);
	if (!o->tasks_only) {
		compare_by(trace, counts, o, EVENT_COUNTS_CPU);
		compare_by(trace, counts, o, EVENT_COUNTS_TYPE);
	}
	event_counts_free(counts);
}

/* The time of the row that has this part of all rows before it. */
static int64_t time_of(struct trace *trace, unsigned int thirds)
{
	struct trace_event event;

	assert_true(trace_event_at(trace,
				   trace_select(trace, trace_status(trace).rows * thirds / 3),
				   &event));
	return event.ts;
}

static void compare_kept(struct trace *trace)
{
	struct filter *filters[2] = { new_ready_filter(trace, "cpu < 3"),
				      new_ready_filter(trace, "pid != 0") };
	const struct filter *const both[2] = { filters[0], filters[1] };
	struct event_counts_options o = { .range.set = true };

	trace_wait(trace);
	o.range.from = time_of(trace, 1);
	o.range.to = time_of(trace, 2);
	compare(trace, &o);
	o.filters = both;
	o.nr_filters = 2;
	compare(trace, &o);
	o.range.set = false;
	compare(trace, &o);
	filter_free(filters[0]);
	filter_free(filters[1]);
}

static void test_waits(void **state)
{
	static const char *const name = "cpu4";
	struct trace *trace = open_traces(&name, 1, 2);
	struct filter *filter = new_ready_filter(trace, "wait > 1ms");
	const struct filter *const filters[1] = { filter };
	struct event_counts_options o = { .filters = filters, .nr_filters = 1 };

	(void)state;
	assert_true(filter_is_of_other(filter));
	compare(trace, &o);
	filter_free(filter);
	trace_close(trace);
}

static void test_recorded(void **state)
{
	static const char *const names[] = { "cpu4",   "instances", "lost-text",
					     "subbuf", "sched-7.2", "empty-cpu" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace *trace = open_traces(&names[i], 1, 2);

		compare(trace, &(struct event_counts_options){ .tasks_only = true });
		compare(trace, &(struct event_counts_options){ 0 });
		compare_kept(trace);
		trace_close(trace);
	}
}

/* A pid of two files is two tasks. */
static void test_several_files(void **state)
{
	static const char *const names[] = { "cpu4", "sched" };
	struct trace *trace = open_traces(names, 2, 1);

	(void)state;
	compare(trace, &(struct event_counts_options){ 0 });
	compare_kept(trace);
	trace_close(trace);
}

/*
 * At any moment no number is above the one of the whole; and what is stopped leaves the trace to
 * who counts next.
 */
static void test_stopped(void **state)
{
	static const char *const name = "cpu4";
	struct trace *trace = open_traces(&name, 1, 2);
	const struct event_counts_options all = { 0 };
	struct event_count *got, *whole;
	unsigned int permille, nr, nr_whole = count_slowly(trace, &all, EVENT_COUNTS_TASK, &whole);

	(void)state;
	for (unsigned int again = 0; again < 20; again++) {
		struct event_counts *counts = event_counts_new(trace, &all);

		usleep(again * 50);
		nr = event_counts_get(counts, EVENT_COUNTS_TASK, &got, &permille);
		assert_in_range(permille, 0, 1000);
		assert_in_range(nr, permille == 1000 ? nr_whole : 0, nr_whole);
		for (unsigned int i = 0; i < nr; i++) {
			unsigned int k = 0;

			while (k < nr_whole && whole[k].key != got[i].key)
				k++;
			assert_true(k < nr_whole);
			assert_in_range(got[i].events, 1, whole[k].events);
		}
		free(got);
		event_counts_free(counts);
	}
	event_counts_free(NULL);
	compare(trace, &all);
	free(whole);
	trace_close(trace);
}

static void test_type_names(void **state)
{
	static const char *const name = "cpu4";
	struct trace *trace = open_traces(&name, 1, 1);
	struct event_counts *counts = event_counts_new(trace, &(struct event_counts_options){ 0 });
	struct event_count *list, unknown = { .key = 65535 };
	unsigned int permille, nr, nr_switches = 0;
	struct text t = { 0 };

	(void)state;
	event_counts_wait(counts);
	nr = event_counts_get(counts, EVENT_COUNTS_TYPE, &list, &permille);
	for (unsigned int i = 0; i < nr; i++) {
		text_clear(&t);
		event_counts_type_name(trace, &list[i], &t);
		nr_switches += !strcmp(text_str(&t), "sched/sched_switch");
	}
	assert_int_equal(nr_switches, 1);
	text_clear(&t);
	event_counts_type_name(trace, &unknown, &t);
	assert_string_equal(text_str(&t), "type 65535, unknown");
	text_fini(&t);
	free(list);
	event_counts_free(counts);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_waits),
		cmocka_unit_test(test_stopped),
		cmocka_unit_test(test_type_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
