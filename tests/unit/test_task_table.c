/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sums of CPUs against a walk over all switches in order, and against those of the tasks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "src/task_table.h"
#include "tests/lib/recorded.h"

static struct trace *open_trace(const char *name)
{
	struct trace_options options = { .nr_workers = 2, .hold_permille = -1 };
	struct ft_error err = { 0 };
	char path[4096];
	const char *p = path;
	struct trace *trace;

	if (!recorded_path(name, "trace.dat", path, sizeof(path)))
		fail_msg("no recorded trace %s", name);
	trace = trace_open(&p, 1, true, &options, &err);
	if (!trace)
		fail_msg("%s", err.message);
	return trace;
}

static void add_up(struct trace *trace, bool has_range, int64_t from, int64_t to, struct task_figures *f)
{
	struct task_table *table = task_table_new(trace, 0, has_range, from, to);

	task_table_wait(table);
	while (task_table_take(table, f))
		;
	assert_true(f->done);
	assert_false(f->failed);
	assert_int_equal(f->permille, 1000);
	task_table_free(table);
}

/* Records of sched_switch of one CPU in a range. */
static uint64_t count_switches(struct trace *trace, int cpu, int64_t from, int64_t to)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	uint64_t nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		if (event.kind == TRACE_ROW_EVENT && event.cpu == cpu && event.ts >= from && event.ts <= to && event.type &&
		    !strcmp(event.type->name, "sched_switch"))
			nr++;
	trace_cursor_free(cursor);
	return nr;
}

static void check(struct trace *trace, bool has_range, int64_t from, int64_t to, bool whole)
{
	struct task_figures f = { 0 };
	int64_t ran = 0, busy = 0;
	uint64_t switches = 0;

	add_up(trace, has_range, from, to, &f);
	assert_true(f.nr_tasks > 0);
	for (uint32_t i = 0; i < f.nr_tasks; i++) {
		ran += f.tasks[i].run + f.tasks[i].run_cut;
		assert_true(*task_figures_name(&f, i));
	}
	for (unsigned int i = 0; i < f.nr_cpus; i++) {
		assert_int_equal(f.cpus[i].switches, count_switches(trace, f.cpus[i].cpu, from, to));
		busy += f.cpus[i].busy;
		switches += f.cpus[i].switches;
		assert_true(f.cpus[i].busy >= 0 && f.cpus[i].idle >= 0);
		if (has_range)
			assert_true(f.cpus[i].busy + f.cpus[i].idle <= to - from);
	}
	/* Nothing is lost: who ran, ran on a CPU. */
	if (whole)
		assert_int_equal(ran, busy);
	if (!has_range)
		assert_int_equal(switches, f.switches);
	task_figures_fini(&f);
}

static int64_t ts_of(struct trace *trace, trace_ref ref)
{
	struct trace_event event;

	assert_true(trace_event_at(trace, ref, &event));
	return event.ts;
}

static void test_recorded(void **state)
{
	static const struct { const char *name; bool whole; } traces[] = { { "cpu4", false }, { "sched", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct trace *trace = open_trace(traces[i].name);
		int64_t first = ts_of(trace, trace_first(trace)), last = ts_of(trace, trace_last(trace));

		check(trace, false, INT64_MIN, INT64_MAX, traces[i].whole);
		check(trace, true, first + (last - first) / 4, first + (last - first) / 2, traces[i].whole);
		trace_close(trace);
	}
}

/* The worst wake-up of cpu4's on-cpu-1, as trace-cmd's text has its events. */
static void test_worst_wake(void **state)
{
	struct trace *trace = open_trace("cpu4");
	struct task_figures f = { 0 };

	(void)state;
	add_up(trace, true, INT64_C(7574000000), INT64_C(7575000000), &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++)
		if (f.tasks[i].pid == 80) {
			assert_int_equal(f.tasks[i].max_wake_ts, INT64_C(7574227913));
			assert_int_equal(f.tasks[i].max_wakeup, INT64_C(7574321342) - INT64_C(7574227913));
			assert_string_equal(task_figures_name(&f, i), "on-cpu-1");
		}
	task_figures_fini(&f);
	trace_close(trace);
}

static void test_stopped(void **state)
{
	struct trace *trace = open_trace("cpu4");

	(void)state;
	task_table_free(task_table_new(trace, 0, false, 0, 0));
	task_table_free(NULL);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_worst_wake),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
