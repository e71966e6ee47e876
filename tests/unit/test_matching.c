/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tasks and CPUs that filters keep an event of, against a walk over all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <string.h>

#include "tests/lib/open_recorded.h"
#include "ui/rows/matching.h"

#define NR_PIDS	200
#define NR_CPUS	8

static void open_demo(struct shared *shared)
{
	memset(shared, 0, sizeof(*shared));
	shared->trace = open_recorded("cpu4", 1);
	places_init(&shared->at.places);
	filters_init(&shared->chosen.filters, shared->trace);
}

static void close_demo(struct shared *shared, struct matching *m)
{
	matching_fini(m);
	filters_fini(&shared->chosen.filters);
	trace_close(shared->trace);
}

static void set_filter(struct shared *shared, const char *text)
{
	struct filter_error err = { 0 };

	if (filters_set(&shared->chosen.filters, 0, text, &shared->at.places, &err))
		fail_msg("%s: %s", text, text_str(&err.message));
	text_fini(&err.message);
}

static void wait_for(struct matching *m, const struct shared *shared)
{
	trace_wait(shared->trace);
	for (unsigned int i = 0; i < shared->chosen.filters.nr; i++)
		filter_wait(match_filter_of(shared->chosen.filters.stack[i].handle));
	matching_update(m, shared, 0, 0);
	/* Its own copies are of the same models. */
	assert_non_null(m->kept.counts);
	event_counts_wait(m->kept.counts);
	matching_update(m, shared, 0, 0);
	assert_true(matching_is_done(m));
}

static void compare(struct shared *shared, struct matching *m)
{
	struct trace_cursor *cursor = trace_cursor_new(shared->trace);
	bool pids[NR_PIDS] = { false }, cpus[NR_CPUS] = { false };
	struct trace_event event;
	bool all = true;

	trace_cursor_seek(cursor, trace_first(shared->trace));
	while (trace_cursor_next(cursor, &event)) {
		if (event.kind != TRACE_ROW_EVENT || !filters_keep(&shared->chosen.filters, &event))
			continue;
		assert_in_range(event.pid, 0, NR_PIDS - 1);
		pids[event.pid] = cpus[event.cpu] = true;
	}
	trace_cursor_free(cursor);
	for (int i = 0; i < NR_PIDS; i++) {
		assert_int_equal(matching_has(m, EVENT_COUNTS_TASK, i), pids[i]);
		all &= pids[i];
	}
	for (int i = 0; i < NR_CPUS; i++)
		assert_int_equal(matching_has(m, EVENT_COUNTS_CPU, i), cpus[i]);
	assert_false(all);
}

static void test_kept(void **state)
{
	static const char *const texts[] = { "comm =~ /^on/", "cpu == 2 && sched_switch",
					     "ran > 1ms", "pid == 12345" };
	struct matching m = { 0 };
	struct shared shared;

	(void)state;
	open_demo(&shared);
	matching_update(&m, &shared, 0, 0);
	assert_false(matching_is_active(&m));
	assert_true(matching_is_done(&m));
	assert_true(matching_has(&m, EVENT_COUNTS_TASK, 4711));
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		set_filter(&shared, texts[i]);
		assert_true(matching_update(&m, &shared, 0, 0));
		assert_true(matching_is_active(&m));
		wait_for(&m, &shared);
		assert_false(matching_update(&m, &shared, 0, 0));
		compare(&shared, &m);
	}
	filters_switch(&shared.chosen.filters, false);
	assert_true(matching_update(&m, &shared, 0, 0));
	assert_false(matching_is_active(&m));
	close_demo(&shared, &m);
}

/* What is let go while it counts is as if it had not begun. */
static void test_stopped(void **state)
{
	struct matching m = { 0 };
	struct shared shared;

	(void)state;
	open_demo(&shared);
	set_filter(&shared, "cpu == 1");
	for (unsigned int i = 0; i < 20; i++) {
		assert_true(matching_update(&m, &shared, 0, 0));
		matching_fini(&m);
		assert_false(matching_is_active(&m));
		assert_null(m.kept.counts);
	}
	set_filter(&shared, "cpu == 2");
	matching_update(&m, &shared, 0, 0);
	wait_for(&m, &shared);
	compare(&shared, &m);
	close_demo(&shared, &m);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_kept),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
