/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of each task, against a walk over all rows in order. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "src/task_counts.h"
#include "tests/lib/recorded.h"

static struct trace *open_traces(const char *const *names, unsigned int nr, unsigned int workers)
{
	struct trace_options options = { .nr_workers = workers, .hold_permille = -1 };
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

/* A simple list, searched from its beginning. */
static unsigned int count_slowly(struct trace *trace, struct task_count **tasks)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	unsigned int nr = 0, cap = 0;

	*tasks = NULL;
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		unsigned int i = 0;

		if (event.kind != TRACE_ROW_EVENT && (event.kind != TRACE_ROW_TEXT || event.cpu < 0 || event.pid < 0))
			continue;
		while (i < nr && ((*tasks)[i].pid != event.pid || (*tasks)[i].file != event.file))
			i++;
		if (i == nr) {
			mem_grow(tasks, nr, &cap);
			(*tasks)[nr++] = (struct task_count){ event.file, event.pid, 0 };
		}
		(*tasks)[i].events++;
	}
	trace_cursor_free(cursor);
	return nr;
}

static void compare(struct trace *trace)
{
	struct task_counts *counts = task_counts_new(trace);
	struct task_count *got, *expected;
	unsigned int permille, nr, nr_expected = count_slowly(trace, &expected);

	task_counts_wait(counts);
	nr = task_counts_get(counts, &got, &permille);
	assert_int_equal(permille, 1000);
	assert_int_equal(nr, nr_expected);
	for (unsigned int i = 0; i < nr; i++) {
		unsigned int k = 0;

		if (i)
			assert_true(got[i - 1].events >= got[i].events);
		while (k < nr && (expected[k].pid != got[i].pid || expected[k].file != got[i].file))
			k++;
		assert_true(k < nr);
		assert_int_equal(got[i].events, expected[k].events);
	}
	free(got);
	free(expected);
	task_counts_free(counts);
}

static void test_recorded(void **state)
{
	static const char *const names[] = { "cpu4", "instances", "lost-text", "subbuf", "sched-7.2", "empty-cpu" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		struct trace *trace = open_traces(&names[i], 1, 2);

		compare(trace);
		trace_close(trace);
	}
}

/* A pid of two files is two tasks. */
static void test_several_files(void **state)
{
	static const char *const names[] = { "cpu4", "sched" };
	struct trace *trace = open_traces(names, 2, 1);

	(void)state;
	compare(trace);
	trace_close(trace);
}

static void test_stopped(void **state)
{
	static const char *const name = "cpu4";
	struct trace *trace = open_traces(&name, 1, 1);
	struct task_counts *counts = task_counts_new(trace);

	(void)state;
	task_counts_free(counts);
	task_counts_free(NULL);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_several_files),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
