/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A worker's sweep beside the main thread, which reads the same rows; events outside a range. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "src/match/event_sweep.h"
#include "tests/lib/open_recorded.h"

struct seen {
	uint64_t	rows, inside;
};

static void see(void *arg, struct event_sweep *sweep, const struct trace_event *event)
{
	struct seen *seen = arg;

	seen->rows += event && event->kind == TRACE_ROW_EVENT;
	seen->inside += event && event_sweep_wants(sweep, event);
}

static uint64_t count_rows(struct trace *trace, const struct time_range *range)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event, again;
	uint64_t nr = 0;

	trace_cursor_seek_time(cursor, INT64_MIN);
	while (trace_cursor_next(cursor, &event)) {
		nr += event.kind == TRACE_ROW_EVENT && time_range_has(range, event.ts);
		assert_true(trace_event_at(trace, event.ref, &again));
	}
	trace_cursor_free(cursor);
	return nr;
}

static void sweep_beside(const char *name)
{
	struct trace *trace = open_recorded(name, 2);
	struct event_sweep_options options = { .file = 0 };
	struct seen all = { 0 }, part = { 0 };
	struct event_sweep *sweeps[2];
	struct time_range range = { .set = true };
	int64_t last;

	trace_wait(trace);
	assert_true(trace_span(trace, &range.from, &last));
	range.to = range.from + (last - range.from) / 3;
	sweeps[0] = event_sweep_new(trace, &options, see, &all);
	options.range = range;
	options.outside = true;
	sweeps[1] = event_sweep_new(trace, &options, see, &part);
	for (unsigned int i = 0; i < 5; i++)
		count_rows(trace, &range);
	for (unsigned int i = 0; i < 2; i++)
		event_sweep_wait(sweeps[i]);
	assert_int_equal(all.rows, count_rows(trace, &(struct time_range){ 0 }));
	assert_int_equal(all.inside, all.rows);
	assert_int_equal(part.rows, all.rows);
	assert_int_equal(part.inside, all.rows - count_rows(trace, &range));
	assert_in_range(part.inside, 1, all.rows - 1);
	for (unsigned int i = 0; i < 2; i++)
		event_sweep_free(sweeps[i]);
	trace_close(trace);
}

static void test_beside_the_main_thread(void **state)
{
	(void)state;
	sweep_beside("cpu4");
	sweep_beside("stack");
	sweep_beside("lost-text");
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_beside_the_main_thread) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
