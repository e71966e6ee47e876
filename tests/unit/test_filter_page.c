/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sub-buffers that a filter rules out by the page directory hold no match, and there are such where
 * few tasks match.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

#include "src/match/matches_private.h"
#include "src/trace/trace_streams.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

static unsigned int ruled_out(struct trace *trace, struct filter_run *run)
{
	unsigned int nr = 0;

	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		filter_run_stream(run, i);
		for (uint64_t page = 0; page < page_index_pages(&trace_stream_at(trace, i)->index);
		     page++)
			nr += !match_page_may(trace, i, run, page);
	}
	return nr;
}

/* Return: pages that were ruled out. */
static unsigned int check(struct trace *trace, const char *text, unsigned int *matches)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct filter *filter = new_filter(trace, text);
	struct filter_run *run = filter_run_new(filter);
	unsigned int nr = ruled_out(trace, run);
	struct trace_event event;

	*matches = 0;
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		if (event.kind != TRACE_ROW_EVENT || !filter_run_event(run, &event))
			continue;
		++*matches;
		if (!match_page_may(trace, event.stream, run, trace_ref_page(event.ref)))
			fail_msg("%s: a page with a match is ruled out", text);
	}
	filter_run_free(run);
	filter_free(filter);
	trace_cursor_free(cursor);
	return nr;
}

static void test_processes(void **state)
{
	static const char *const traces[] = { "cpu4", "sched", "stack", "lost-text" };
	unsigned int out = 0, found = 0, unknown = 0, matches;

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct trace *trace = open_data(traces[i], 2);

		for (int tgid = 0; tgid < 300; tgid += tgid < 60 ? 20 : 1) {
			char text[160];

			snprintf(text, sizeof(text), "tgid == %d", tgid);
			out += check(trace, text, &matches);
			found += matches;
			snprintf(text, sizeof(text),
				 "tgid in (%d, %d-%d) && tgid != %d || !(tgid == %d) && tgid == %d",
				 tgid, tgid + 2, tgid + 5, tgid, tgid, tgid + 1);
			check(trace, text, &matches);
			tgid += tgid > 120 ? 7 : 0;
		}
		check(trace, "!(tgid >= 0)", &matches);
		unknown += matches;
		trace_close(trace);
	}
	assert_true(out > 1000);
	assert_true(found > 1000);
	assert_true(unknown > 1000);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
