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
#include "tests/lib/temp_path.h"

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

/* Return: pages that were ruled out.  @lines: what is searched; NULL: the kernel's lines. */
static unsigned int check_lines(struct trace *trace, const char *text,
				const struct filter_lines *lines, unsigned int *matches)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct filter *filter = new_filter_of(trace, &(struct filter_source){
							     .text = text,
							     .lines = lines,
							     .file = -1 });
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

static unsigned int check(struct trace *trace, const char *text, unsigned int *matches)
{
	return check_lines(trace, text, NULL, matches);
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

/* Lines of some pages of a text; one row, with a stack, reaches over the end of the first page. */
static struct trace *open_lines(void)
{
	FILE *out = fopen(temp_path, "w");
	struct trace *trace;

	assert_non_null(out);
	for (int i = 0; i < 3000; i++) {
		fprintf(out,
			"  task%d-%d [%03d] %d.%06d: sched_stat_runtime: comm=task%d pid=%d runtime=5 [ns]\n",
			i % 3, 100 + i % 3, i % 2, 10 + i / 1000, i % 1000, i % 3, 100 + i % 3);
		if (i % 100 == 0)
			fprintf(out, "  task0-100 [000] %d.%06d: kernel_stack: <stack trace>\n",
				10 + i / 1000, i % 1000);
		for (int k = 0; i % 100 == 0 && k < 40; k++)
			fprintf(out, " => Function%d_%d (ffffffff81000000)\n", i, k);
	}
	fclose(out);
	trace = open_path(temp_path, 0);
	trace_wait(trace);
	return trace;
}

/*
 * Words of lines are looked for in the bytes of the text: of the stacks about the end of the first
 * page in all frames, of others in some; with FTOP_TEST_LONG in all.
 */
static void test_lines(void **state)
{
	bool is_long = getenv("FTOP_TEST_LONG") != NULL;
	unsigned int matches, pages, out;
	struct trace *trace = open_lines();

	(void)state;
	for (unsigned int i = 0; i < 3000; i += 100) {
		bool has_all = is_long || (i >= 500 && i < 900);

		for (unsigned int k = has_all ? 0 : i / 100 % 13; k < 40; k += has_all ? 1 : 13) {
			char text[32];

			snprintf(text, sizeof(text), "\"Function%u_%u \"", i, k);
			out = check(trace, text, &matches);
			assert_int_equal(matches, 1);
			assert_true(out > 0);
		}
	}
	out = check(trace, "\"No such text\"", &matches);
	assert_int_equal(matches, 0);
	pages = check(trace, "cpu == 7", &matches);
	assert_int_equal(out, pages);
	check(trace, "\"task1-101 sched\"", &matches);
	assert_int_equal(matches, 1000);
	check(trace, "/pid=102|FUNCTION7_/i", &matches);
	assert_int_equal(matches, 1000);
	trace_close(trace);
}

/* Lines as a screen has them: "stack" and the frames, or the text. */
static bool add_row(const void *trace, void *scratch, const struct trace_event *event,
		    struct text *out)
{
	struct text *frames;
	unsigned int nr = trace_event_stack((struct trace *)trace, event, &frames);

	(void)scratch;
	text_add(out, trace_event_is_stack(event) ? "stack" : "");
	for (unsigned int i = 0; i < nr; i++)
		text_printf(out, " %s", text_str(&frames[i]));
	trace_stack_free(frames, nr);
	if (!nr)
		trace_event_text((struct trace *)trace, event, NULL, 0, out);
	return true;
}

static void *no_scratch(void)
{
	return NULL;
}

static void drop_no_scratch(void *scratch)
{
	(void)scratch;
}

/* Words that a row may have beside its line rule no page out. */
static void test_rows(void **state)
{
	static const struct {
		const char	*text;
		bool		 rules_out;
		unsigned int	 matches;
	} tests[] = {
		{ "\"no such words\"", true, 0 }, { "\"nosuchword\"", true, 0 },
		{ "\"PID=10\"", true, 0 }, { "\"pid=10\"", false, 0 }, { "\"sta\"", false, 30 },
		{ "\"tack Function7\"", false, 1 }, { "\"unction700_3 \"", false, 1 },
		{ "\"task2-1\"", false, 1000 }, { "\"task1\"", false, 1000 },
		{ "/tas[k]1/", false, 1000 },
	};
	struct trace *trace = open_lines();
	struct filter_lines lines = { add_row, no_scratch, drop_no_scratch, trace, "stack" };
	unsigned int matches, out;

	(void)state;
	for (size_t i = 0; i < sizeof(tests) / sizeof(tests[0]); i++) {
		out = check_lines(trace, tests[i].text, &lines, &matches);
		assert_int_equal(matches, tests[i].matches);
		assert_true(tests[i].rules_out == (out > 0));
	}
	lines.adds = NULL;
	assert_int_equal(check_lines(trace, "\"nosuchword\"", &lines, &matches), 0);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lines),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_processes),
	};

	return cmocka_run_group_tests(tests, temp_path_make, temp_path_remove);
}
