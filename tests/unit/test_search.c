/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns on lines made for them; walks through cpu4, where trace-cmd's text has each wake-up's
 * time.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "src/match/other_end.h"
#include "src/match/search.h"
#include "tests/lib/limits.h"
#include "tests/lib/open_recorded.h"

/* --- patterns ---------------------------------------------------------------------- */

#define NOWHERE	SIZE_MAX

static const struct {
	const char	*pattern, *line;
	size_t		 from, start, end;	/* start NOWHERE: it is not there */
} lines[] = {
	/* letters of either case, unless the pattern has a capital one */
	{ "wake", "sched_WAKEup", 0, 6, 10 },
	{ "wake", "sched_Wakeup", 0, 6, 10 },
	{ "Wake", "sched_wakeup Wake", 0, 13, 17 },
	{ "Wake", "sched_wakeup WAKE", 0, NOWHERE, 0 },
	/* the first one at or behind a place, also where they overlap, and at the very end */
	{ "aa", "aaaa", 0, 0, 2 }, { "aa", "aaaa", 1, 1, 3 }, { "aa", "aaaa", 2, 2, 4 },
	{ "aa", "aaaa", 3, NOWHERE, 0 },
	{ "aa", "aaaa", 4, NOWHERE, 0 }, { "aa", "aaaa", 5, NOWHERE, 0 },
	{ "/aa/", "aaaa", 5, NOWHERE, 0 },
	{ "x", "", 0, NOWHERE, 0 }, { "longer", "long", 0, NOWHERE, 0 },
	/* what means something to a regular expression means nothing in a text */
	{ "a.c", "abc a.c", 0, 4, 7 }, { "[0]", "a[0]", 0, 1, 4 }, { "a/b", "a/b", 0, 0, 3 },
	{ "/", "a/b", 0, 1, 2 },
	/* regular expressions */
	{ "/a.c/", "xabc", 0, 1, 4 }, { "/a.c", "xabc", 0, 1, 4 }, { "/a.c/", "xABC", 0, 1, 4 },
	{ "/A.c/", "xabc", 0, NOWHERE, 0 },
	{ "/a\\Sc/", "xABC", 0, 1, 4 }, { "/^b/", "ab", 1, NOWHERE, 0 }, { "/b$/", "bab", 0, 2, 3 },
	{ "/\\d+/", "a12 345", 2, 2, 3 },
	{ "/(?<=a)b/", "bab", 0, 2, 3 }, { "/a/b/", "a/b", 0, 0, 3 },
	/* nothing at all does not count as found */
	{ "/a*/", "bbb", 0, NOWHERE, 0 }, { "/a*/", "bbaab", 0, 2, 4 },
	{ "/^/", "abc", 0, NOWHERE, 0 },
	/* letters that are not ASCII, by bytes */
	{ "µs", "12 µs", 0, 3, 6 }, { "/./", "µs", 0, 0, 2 }, { "/ä/", "xÄ", 0, 1, 3 },
	/* more backtracking than a line is worth */
	{ "/(a+)+$|!/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!b", 0,
	  NOWHERE, 0 },
};

static void test_patterns(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct ft_error err = { 0 };
		struct search_pattern *p = search_pattern_new(lines[i].pattern, &err);
		size_t start = 0, end = 0;
		bool found;

		if (!p)
			fail_msg("%s: %s", lines[i].pattern, err.message);
		assert_string_equal(search_pattern_text(p), lines[i].pattern);
		found = search_pattern_find(p, lines[i].line, strlen(lines[i].line), lines[i].from,
					    &start, &end);
		if (found != (lines[i].start != NOWHERE) ||
		    (found && (start != lines[i].start || end != lines[i].end)))
			fail_msg("%s in %s from %zu: %d %zu %zu", lines[i].pattern, lines[i].line,
				 lines[i].from, found, start, end);
		search_pattern_free(p);
	}
}

/* Bytes behind the line are none of it. */
static void test_length(void **state)
{
	static const char *const patterns[] = { "abc", "/abc/" };
	size_t start, end;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		struct search_pattern *p = search_pattern_new(patterns[i], NULL);

		assert_true(search_pattern_find(p, "abcd", 3, 0, &start, &end));
		assert_false(search_pattern_find(p, "abcd", 2, 0, &start, &end));
		search_pattern_free(p);
	}
	search_pattern_free(NULL);
}

static void test_wrong_patterns(void **state)
{
	static const struct { const char *text; int64_t offset; } wrong[] = {
		{ "", 0 }, { "/x)/", 2 }, { "/*/", 1 }, { "/ab(/", 4 }, { "/ab[/", 4 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		struct ft_error err = { 0 };

		assert_null(search_pattern_new(wrong[i].text, &err));
		assert_int_equal(err.code, FT_E_USAGE);
		if (err.offset != wrong[i].offset)
			fail_msg("%s: byte %lld", wrong[i].text, (long long)err.offset);
		assert_true(err.message[0]);
	}
}

static void test_terms(void **state)
{
	static const struct { const char *pattern, *term; } terms[] = {
		{ "wake", "\"wake\"" }, { "Wake", "\"Wake\"" }, { "a.c /x", "\"a.c /x\"" },
		{ "a\"b", "/a\\\"b/i" }, { "A\\b", "/A\\\\b/" },
		{ "\"(a+b)*\"/", "/\\\"\\(a\\+b\\)\\*\\\"\\//i" },
		{ "/x", "/x/i" }, { "/x/", "/x/i" }, { "/X/", "/X/" }, { "/\\Sx/", "/\\Sx/i" },
		{ "/a/b/", "/a\\/b/i" }, { "/a\\/b/", "/a\\/b/i" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
		struct search_pattern *p = search_pattern_new(terms[i].pattern, NULL);
		struct text t = { 0 };

		search_pattern_term(p, &t);
		assert_string_equal(text_str(&t), terms[i].term);
		text_fini(&t);
		search_pattern_free(p);
	}
}

/* --- walks ---------------------------------------------------------------------------- */

#define FIRST		INT64_C(7332319496)	/* wake-ups of cpu4: the 14th row */
#define SECOND		INT64_C(7334370175)
#define BEFORE_LAST	INT64_C(7676342300)
#define LAST		INT64_C(7690225765)
#define FIRST_OF_CPU_0	INT64_C(7430989477)
/* of any kind, the first one behind the first wake-up */
#define ROW_OF_CPU_3	INT64_C(7333727892)

static bool is_wakeup(void *arg, const struct trace_event *event)
{
	int64_t *ts = arg;

	if (event->kind != TRACE_ROW_EVENT || !event->type ||
	    strcmp(event->type->name, "sched_waking") != 0)
		return false;
	*ts = event->ts;
	return true;
}

static bool is_never(void *arg, const struct trace_event *event)
{
	(void)arg, (void)event;
	return false;
}

static bool is_any(void *arg, const struct trace_event *event)
{
	*(int64_t *)arg = event->ts;
	return true;
}

static bool is_this(void *arg, const struct trace_event *event)
{
	return event->ref == *(trace_ref *)arg;
}

/* To its end, in slices of no time. */
static enum search_state walk(struct search *search)
{
	enum search_state state;

	do
		state = search_slice(search, 0);
	while (state == SEARCH_RUNNING);
	assert_int_equal(search_slice(search, INT64_C(1000000000)), state);
	return state;
}

/* The wake-up that a walk finds must be this one; 0: none. */
static trace_ref expect(struct trace *trace, trace_ref from, bool forward, bool round,
			const bool *streams, int64_t wanted, bool went_round)
{
	int64_t ts = 0;
	struct search *search = search_new(trace, from, forward, round, streams, NULL, is_wakeup,
					   &ts);
	trace_ref found;

	assert_int_equal(walk(search), wanted ? SEARCH_FOUND : SEARCH_NOWHERE);
	assert_int_equal(ts, wanted);
	assert_int_equal(search_went_round(search), went_round);
	found = search_found(search);
	assert_int_equal(found == TRACE_REF_NONE, !wanted);
	search_free(search);
	return found;
}

static void test_walks(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	trace_ref first = expect(trace, TRACE_REF_NONE, true, true, NULL, FIRST, false);
	trace_ref last = expect(trace, TRACE_REF_NONE, false, false, NULL, LAST, false);

	(void)state;
	expect(trace, first, true, true, NULL, SECOND, false);
	expect(trace, last, false, true, NULL, BEFORE_LAST, false);
	expect(trace, first, false, true, NULL, LAST, true);
	expect(trace, last, true, true, NULL, FIRST, true);
	expect(trace, first, false, false, NULL, 0, false);
	expect(trace, last, true, false, NULL, 0, false);
	search_free(NULL);
	trace_close(trace);
}

/* From a row that is not of the streams that are looked at, too. */
static void test_streams(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	trace_ref last = expect(trace, TRACE_REF_NONE, false, false, NULL, LAST, false), first,
		  second;
	unsigned int nr = trace_nr_streams(trace);
	bool *streams = calloc(nr + 1, sizeof(*streams));
	struct search *search;
	int64_t ts = 0;

	(void)state;
	for (unsigned int i = 0; i < nr; i++)
		streams[i] = trace_stream_info(trace, i).cpu == 0;
	expect(trace, TRACE_REF_NONE, true, false, streams, FIRST_OF_CPU_0, false);
	expect(trace, TRACE_REF_NONE, false, false, streams, LAST, false);
	expect(trace, last, true, true, streams, FIRST_OF_CPU_0, true);
	/* of CPU 2 */
	first = expect(trace, TRACE_REF_NONE, true, false, NULL, FIRST, false);
	second = expect(trace, first, true, true, streams, FIRST_OF_CPU_0, false);
	expect(trace, first, false, true, streams, LAST, true);
	assert_int_equal(trace_ref_stream(last), trace_ref_stream(second));
	/* None is passed over behind such a row. */
	for (unsigned int i = 0; i < nr; i++)
		streams[i] = trace_stream_info(trace, i).cpu == 3;
	search = search_new(trace, first, true, false, streams, NULL, is_any, &ts);
	assert_int_equal(walk(search), SEARCH_FOUND);
	assert_int_equal(ts, ROW_OF_CPU_3);
	search_free(search);
	free(streams);
	trace_close(trace);
}

/* The row that a walk begins beside is looked at last, and no row twice. */
static void test_rows(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	trace_ref first = expect(trace, TRACE_REF_NONE, true, false, NULL, FIRST, false);
	uint64_t rows, before = 13;
	struct search *search;

	(void)state;
	trace_wait(trace);
	rows = trace_status(trace).rows;
	for (int forward = 0; forward < 2; forward++) {
		search = search_new(trace, first, forward, true, NULL, NULL, is_this, &first);
		assert_int_equal(walk(search), SEARCH_FOUND);
		assert_true(search_found(search) == first);
		assert_true(search_went_round(search));
		assert_int_equal(search_rows(search), rows);
		search_free(search);
		search = search_new(trace, first, forward, true, NULL, NULL, is_never, NULL);
		assert_int_equal(walk(search), SEARCH_NOWHERE);
		assert_int_equal(search_rows(search), rows);
		search_free(search);
		search = search_new(trace, first, forward, false, NULL, NULL, is_never, NULL);
		assert_int_equal(walk(search), SEARCH_NOWHERE);
		assert_int_equal(search_rows(search), forward ? rows - before - 1 : before);
		search_free(search);
	}
	trace_close(trace);
}

/* A slice ends with its time: so does the first one, long before the last wake-up is found. */
static void test_slices(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);
	struct search *search = search_new(trace, TRACE_REF_NONE, true, false, NULL, NULL, is_never,
					   NULL);

	(void)state;
	assert_int_equal(search_slice(search, 0), SEARCH_RUNNING);
	assert_in_range(search_rows(search), 1, 100);
	assert_true(search_found(search) == TRACE_REF_NONE);
	search_free(search);
	trace_close(trace);
}

/* --- calls -------------------------------------------------------------------------- */

#define MOST_NS	(LIMIT_S * 1000000000ll)

/* How many calls have both ends; the other end of a system call's end is where it began. */
static unsigned int count_ends(struct trace *trace, const char *name, const char *other)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event, end, begin;
	unsigned int nr = 0;
	bool is_begin;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		trace_ref ref = event.ref;

		if (event.kind != TRACE_ROW_EVENT ||
		    strncmp(trace_event_name(&event), name, strlen(name)) != 0 ||
		    !other_end_find(trace, &event, MOST_NS, &end, &is_begin))
			continue;
		nr++;
		assert_memory_equal(trace_event_name(&end), other, strlen(other));
		assert_int_equal(end.pid, event.pid);
		assert_false(is_begin);
		assert_true(end.key >= event.key);
		if (trace_event_duration(&end) >= 0)
			continue;
		assert_true(other_end_find(trace, &end, MOST_NS, &begin, &is_begin));
		assert_true(is_begin);
		assert_true(begin.ref == ref);
	}
	trace_cursor_free(cursor);
	return nr;
}

static void test_other_ends(void **state)
{
	struct trace *trace = open_recorded("cpu4", 1);

	(void)state;
	assert_int_equal(count_ends(trace, "funcgraph_entry", "funcgraph_exit"), 6858);
	assert_int_equal(count_ends(trace, "sys_enter", "sys_exit"), 0);
	trace_close(trace);
	trace = open_recorded("subbuf", 1);
	assert_int_equal(count_ends(trace, "sys_enter", "sys_exit"), 498);
	trace_close(trace);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_length),
		cmocka_unit_test(test_wrong_patterns),
		cmocka_unit_test(test_terms),
		cmocka_unit_test(test_walks),
		cmocka_unit_test(test_streams),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_slices),
		cmocka_unit_test(test_other_ends),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
