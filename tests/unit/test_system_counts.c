/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Events of each system, against a walk over all rows. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "src/trace/system_counts.h"
#include "tests/lib/open_recorded.h"

static uint64_t walk(struct trace *trace, const char *system)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	uint64_t nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		nr += event.kind == TRACE_ROW_EVENT &&
		      (!system || !strcmp(trace_event_system(&event), system));
	trace_cursor_free(cursor);
	return nr;
}

static void check(const char *name, const char *most)
{
	struct trace *trace = open_recorded(name, 0);
	struct system_count *list;
	unsigned int nr;
	uint64_t sum = 0;

	trace_wait(trace);
	nr = system_counts_get(trace, &list);
	assert_true(nr > 0);
	assert_string_equal(list[0].system, most);
	for (unsigned int i = 0; i < nr; i++) {
		assert_int_equal(list[i].events, walk(trace, list[i].system));
		assert_true(!i || list[i - 1].events >= list[i].events);
		sum += list[i].events;
	}
	assert_int_equal(sum, walk(trace, NULL));
	free(list);
	trace_close(trace);
}

static void of_recorded_traces(void **state)
{
	(void)state;
	check("cpu4", "ftrace");
	check("sched", "sched");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(of_recorded_traces),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
