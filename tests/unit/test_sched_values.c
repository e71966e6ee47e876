/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values of single records, as trace-cmd's text of cpu4 has their times; all others are
 * tests/compare/sched_names.py's to compare.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "src/sched/sched_values.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

/* The time of the only record that a filter keeps. */
static int64_t only(struct trace *trace, const char *text)
{
	struct filter *filter = new_ready_filter(trace, text);
	struct filter_run *run = filter_run_new(filter);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	int64_t ts = 0;
	int nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		if (filter_run_event(run, &event)) {
			ts = event.ts;
			nr++;
		}
	assert_int_equal(nr, 1);
	assert_null(filter_trouble(filter));
	trace_cursor_free(cursor);
	filter_run_free(run);
	filter_free(filter);
	return ts;
}

/* on-cpu-1 is woken at 7.574227913 and runs at 7.574321342. */
static void test_wake(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	assert_int_equal(only(trace, "sched_waking && wakelat == 93429"), INT64_C(7574227913));
	assert_int_equal(only(trace, "sched_switch && wakelat == 93429"), INT64_C(7574321342));
	assert_int_equal(only(trace, "wait == 93.429us && pid == 0"), INT64_C(7574321342));
	assert_int_equal(only(trace, "state == sleep && wakelat == 93429 && prio < 121"),
			 INT64_C(7574227913));
	trace_close(trace);
}

/* An offset moves all records, and their values with them. */
static void test_offset(void **state)
{
	struct trace_offset offset = { 1000, TRACE_UNIT_NS };
	struct trace_options options = { .nr_workers = 1,
					 .filter_names = derived_names,
					 .hold_permille = -1,
					 .offsets = &offset };
	struct ft_error err = { 0 };
	struct trace *trace;
	char path[4096];
	const char *paths[] = { path };

	(void)state;
	assert_true(recorded_path("cpu4", "trace.dat", path, sizeof(path)));
	trace = trace_open(paths, 1, true, &options, &err);
	assert_non_null(trace);
	assert_int_equal(only(trace, "sched_waking && wakelat == 93429"), INT64_C(7574228913));
	trace_close(trace);
}

/* How many records a filter keeps of a trace, which is closed. */
static unsigned int count_of(struct trace *trace, const char *text)
{
	struct filter *filter = new_ready_filter(trace, text);
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	struct filter_run *run;
	unsigned int nr = 0;

	trace_hold(trace, -1);		/* names and processes are known at the end */
	trace_wait(trace);
	run = filter_run_new(filter);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		nr += filter_run_event(run, &event);
	trace_cursor_free(cursor);
	filter_run_free(run);
	filter_free(filter);
	trace_close(trace);
	return nr;
}

/* The same of one that was just opened. */
static unsigned int count(const char *text, unsigned int nr_workers)
{
	return count_of(open_recorded("cpu4", nr_workers), text);
}

/* Values of a pass beside what others find out: processes, priorities. */
static void test_with_others(void **state)
{
	unsigned int of_process = count("wait >= 0 && tgid > 0", 1),
		     of_prio = count("wait >= 0 && prio > 100", 1);

	(void)state;
	assert_in_range(of_process, 50, 300);
	assert_in_range(of_prio, 50, 300);
	for (unsigned int i = 0; i < 6; i++) {
		assert_int_equal(count("wait - wait + tgid > 0", 1 + i % 3), of_process);
		assert_int_equal(count("wait - wait + prio > 100", 1 + i % 3), of_prio);
		assert_int_equal(count("wait - wait + prio - prio + tgid > 0", 1 + i % 3),
				 of_process);
	}
}

/*
 * A trace whose directory is finished just before this thread asks trace_status() for the (turn +
 * 1)th time.
 */
static _Thread_local struct trace *finishes;
static _Thread_local unsigned int turn, nr_asked;

struct trace_status __real_trace_status(const struct trace *trace);
struct trace_status __wrap_trace_status(const struct trace *trace);

struct trace_status __wrap_trace_status(const struct trace *trace)
{
	if (trace == finishes && nr_asked++ == turn) {
		trace_hold(finishes, -1);
		trace_wait(finishes);
	}
	return __real_trace_status(trace);
}

/*
 * Records that tell of processes are seen while a filter is made that asks for these: it is the
 * same at any moment.
 */
static void test_told_meanwhile(void **state)
{
	unsigned int of_process = count("wait >= 0 && tgid > 0", 1);

	(void)state;
	assert_in_range(of_process, 50, 300);
	for (turn = 0;; turn++) {
		nr_asked = 0;
		finishes = open_recorded_held("cpu4", 1, 0);
		assert_int_equal(count_of(finishes, "wait - wait + tgid > 0"), of_process);
		if (nr_asked <= turn)
			break;
	}
	assert_true(turn > 0);
	finishes = NULL;
}

static void test_words(void **state)
{
	static const struct { const char *text, *message; } wrong[] = {
		{ "state == asleep", "state must be one of: preempted sleep blocked gone R S D X" },
		{ "sched_switch: state in (sleep, awake)",
		  "state must be one of: preempted sleep blocked gone R S D X" },
	};
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct filter_source source = { .text = wrong[i].text, .file = -1 };
		struct filter_error err = { 0 };

		assert_null(filter_new(trace, &source, 1, NULL, &err));
		assert_string_equal(text_str(&err.message), wrong[i].message);
		text_fini(&err.message);
	}
	trace_close(trace);
}

/* Not asked for, or closed while they are made. */
static void test_life(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	assert_false(sched_values_ready(trace, 0));
	assert_false(sched_values_full(trace, 0));
	sched_values_wait(trace, 0);
	sched_values_begin(trace, 0);
	sched_values_begin(trace, 0);
	trace_close(trace);
	trace = open_recorded("irqsoff", 1);
	sched_values_begin(trace, 0);
	sched_values_wait(trace, 0);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_wake),
		cmocka_unit_test(test_offset),
		cmocka_unit_test(test_with_others),
		cmocka_unit_test(test_told_meanwhile),
		cmocka_unit_test(test_words),
		cmocka_unit_test(test_life),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
