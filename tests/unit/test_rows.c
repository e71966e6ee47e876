/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The window on the rows and the search through them, against a plain list of all
 * rows: wherever one scrolls or jumps, the lines are neighbours in that list.
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

#include "src/base/memory.h"
#include "src/commands/derived_names.h"
#include "tests/lib/gen_trace.h"
#include "ui/rows/rows.h"

struct subject {
	struct trace	*trace;
	struct shared	 shared;
	trace_ref	*refs;		/* all rows, [nr] */
	size_t		 nr, cap;
};

static char dir[64];

static void write_trace(const char *path, uint32_t features, int cpus, uint32_t pages)
{
	struct gen_options options = {
		.seed = 7, .layout = { .page_size = 4096, .long_size = 8 }, .features = features,
		.nr_cpus = cpus,
		.pages = pages,
	};
	struct gen_trace *gen = gen_trace_new(&options);
	const struct gen_trace *const_gen = gen;
	struct gen_file file = { .version = 6 };
	struct ft_error err = { 0 };

	if (gen_write(path, &file, &const_gen, NULL, 1, &err))
		fail_msg("%s", err.message);
	gen_trace_free(gen);
}

static void subject_open(struct subject *s, uint32_t features, int cpus, uint32_t pages, int hold)
{
	struct trace_options options = { .nr_workers = 1,
					 .filter_names = derived_names,
					 .hold_permille = hold };
	struct trace_cursor *cursor;
	struct trace_event event;
	struct ft_error err = { 0 };
	char path[96];
	const char *paths[] = { path };

	memset(s, 0, sizeof(*s));
	snprintf(path, sizeof(path), "%s/t.dat", dir);
	write_trace(path, features, cpus, pages);
	s->trace = trace_open(paths, 1, false, &options, &err);
	if (!s->trace)
		fail_msg("%s", err.message);
	trace_wait(s->trace);
	s->shared.trace = s->trace;
	places_init(&s->shared.at.places);
	cursor = trace_cursor_new(s->trace);
	trace_cursor_seek(cursor, trace_first(s->trace));
	while (trace_cursor_next(cursor, &event)) {
		mem_grow(&s->refs, s->nr, &s->cap);
		s->refs[s->nr++] = event.ref;
	}
	trace_cursor_free(cursor);
	assert_true(s->nr > 20);
}

static void subject_close(struct subject *s)
{
	free(s->shared.chosen.streams);
	places_fini(&s->shared.at.places);
	trace_close(s->trace);
	free(s->refs);
}

static size_t index_of(const struct subject *s, trace_ref ref)
{
	for (size_t i = 0; i < s->nr; i++)
		if (s->refs[i] == ref)
			return i;
	fail_msg("a line shows a row that does not exist");
	return 0;
}

/* Lines are neighbours, and as many as fit. */
static size_t check_window(const struct subject *s, struct rows *rows)
{
	size_t top, wanted = s->nr < rows->height ? s->nr : rows->height;

	rows_fill(rows);
	assert_int_equal(rows->nr_lines, wanted);
	assert_in_range(rows->at, 0, rows->nr_lines - 1);
	top = index_of(s, rows->lines[0].row->ref);
	for (unsigned int i = 0; i < rows->nr_lines; i++)
		assert_int_equal(rows->lines[i].row->ref, s->refs[top + i]);
	return top + rows->at;
}

static void test_walk_down_and_up(void **state)
{
	struct subject s;
	struct rows rows;
	size_t at;

	(void)state;
	subject_open(&s, GEN_LOST_MARKS | GEN_TIES, 3, 2, -1);
	rows_init(&rows, &s.shared);
	rows_set_height(&rows, 7);
	assert_int_equal(check_window(&s, &rows), 0);
	assert_false(rows_move(&rows, -1));
	for (at = 1; at < s.nr; at++) {
		assert_true(rows_move(&rows, 1));
		assert_int_equal(check_window(&s, &rows), at);
	}
	assert_false(rows_move(&rows, 1));
	while (at-- > 1) {
		assert_true(rows_move(&rows, -1));
		assert_int_equal(check_window(&s, &rows), at - 1);
	}
	assert_false(rows_move(&rows, -1));
	rows_fini(&rows);
	subject_close(&s);
}

/* The distance to the row above is that of the list, also for the first line of the window. */
static void test_time_of_the_row_above(void **state)
{
	struct subject s;
	struct rows rows;
	struct trace_event event;

	(void)state;
	subject_open(&s, 0, 2, 2, -1);
	rows_init(&rows, &s.shared);
	rows_set_height(&rows, 5);
	assert_false(rows_here(&rows) == NULL);
	assert_false(rows.lines[0].has_above);
	for (int i = 0; i < 9; i++)
		rows_scroll(&rows, 3);
	for (unsigned int i = 0; i < rows.nr_lines; i++) {
		assert_true(rows.lines[i].has_above);
		assert_true(trace_event_at(s.trace, s.refs[27 + i - 1], &event));
		assert_int_equal(rows.lines[i].above_ts, event.ts);
	}
	rows_fini(&rows);
	subject_close(&s);
}

static void random_steps(const struct subject *s, struct rows *rows)
{
	struct gen_random random;

	gen_random_init(&random, 11);
	for (int i = 0; i < 400; i++) {
		size_t to = gen_random_below(&random, s->nr);

		switch (gen_random_below(&random, 6)) {
		case 0:
			rows_go(rows, s->refs[to]);
			assert_int_equal(check_window(s, rows), to);
			break;
		case 1:
			rows_move(rows, (int)gen_random_below(&random, 60) - 30);
			break;
		case 2:
			rows_scroll(rows, (int)gen_random_below(&random, 60) - 30);
			break;
		case 3:
			rows_set_height(rows, 1 + gen_random_below(&random, 40));
			break;
		case 4:
			rows_go(rows, trace_last(s->shared.trace));
			assert_int_equal(check_window(s, rows), s->nr - 1);
			break;
		case 5:
			rows_go(rows, trace_first(s->shared.trace));
			assert_int_equal(check_window(s, rows), 0);
			break;
		}
		check_window(s, rows);
	}
}

static void test_random_steps(void **state)
{
	struct subject s;
	struct rows rows;

	(void)state;
	subject_open(&s, GEN_LOST_MARKS | GEN_TIES | GEN_EMPTY_PAGES | GEN_PLATEAUS, 4, 3, -1);
	rows_init(&rows, &s.shared);
	random_steps(&s, &rows);
	rows_fini(&rows);
	subject_close(&s);
}

/* Without the directory it is the same. */
static void test_random_steps_without_directory(void **state)
{
	struct subject s;
	struct rows rows;

	(void)state;
	subject_open(&s, GEN_LOST_MARKS, 3, 3, 0);
	rows_init(&rows, &s.shared);
	random_steps(&s, &rows);
	rows_fini(&rows);
	subject_close(&s);
}

/* Rendering anew, as the index asks for while it is built, moves nothing. */
static void test_forgetting_moves_nothing(void **state)
{
	struct subject s;
	struct rows rows;

	(void)state;
	subject_open(&s, GEN_LOST_MARKS, 3, 3, -1);
	rows_init(&rows, &s.shared);
	rows_set_height(&rows, 9);
	rows_go(&rows, s.refs[s.nr / 2]);
	for (int i = 0; i < 12; i++) {
		trace_ref top, here;
		unsigned int at;

		rows_move(&rows, i % 2 ? -2 : 3);
		top = rows.top;
		at = rows.at;
		here = rows_here(&rows)->ref;
		rows_forget(&rows);
		assert_int_equal(rows.top, top);
		assert_int_equal(rows.at, at);
		assert_int_equal(rows_here(&rows)->ref, here);
	}
	rows_fini(&rows);
	subject_close(&s);
}

/* A list of one CPU has its rows alone, and a jump to another row goes to the next one listed. */
static void test_rows_of_one_cpu(void **state)
{
	struct subject s;
	struct rows rows;
	size_t listed = 0;

	(void)state;
	subject_open(&s, 0, 3, 2, -1);
	rows_init(&rows, &s.shared);
	rows_set_height(&rows, 6);
	shared_choose_list(&s.shared, (struct list_choice){ .kind = LIST_CPU, .cpu = 1 });
	rows_forget(&rows);
	rows_go(&rows, trace_first(s.shared.trace));
	do {
		assert_int_equal(rows_here(&rows)->cpu, 1);
		listed++;
	} while (rows_move(&rows, 1));
	for (size_t i = 0; i < s.nr; i++)
		if (s.shared.chosen.streams[trace_ref_stream(s.refs[i])])
			listed--;
	assert_int_equal(listed, 0);
	for (size_t i = 0; i < s.nr; i += 17) {
		size_t next = i;

		while (next < s.nr && !s.shared.chosen.streams[trace_ref_stream(s.refs[next])])
			next++;
		rows_go(&rows, s.refs[i]);
		if (next < s.nr)
			assert_int_equal(rows_here(&rows)->ref, s.refs[next]);
	}
	rows_fini(&rows);
	subject_close(&s);
}

/* --- search --------------------------------------------------------------- */

static bool is_wanted(void *arg, const struct trace_event *event)
{
	const trace_ref *wanted = arg;

	return event->ref == *wanted;
}

static trace_ref run(struct search *search, enum search_state expected)
{
	enum search_state state;

	do
		state = search_slice(search, 1000); /* many slices: they must go on
							   where the last one ended */
	while (state == SEARCH_RUNNING);
	assert_int_equal(state, expected);
	return search_found(search);
}

static void test_search_goes_both_ways_and_round(void **state)
{
	struct subject s;
	trace_ref nowhere = TRACE_REF_NONE - 1;

	(void)state;
	subject_open(&s, GEN_LOST_MARKS | GEN_TIES, 3, 3, -1);
	for (int forward = 0; forward < 2; forward++) {
		for (size_t i = 0; i < s.nr; i += s.nr / 7) {
			trace_ref wanted = s.refs[i], from = s.refs[s.nr / 2];
			struct search *search = search_new(s.trace, from, forward, true, NULL, NULL,
							   is_wanted, &wanted);

			assert_int_equal(run(search, SEARCH_FOUND), wanted);
			assert_int_equal(search_went_round(search),
					 forward ? i <= s.nr / 2 : i >= s.nr / 2);
			search_free(search);

			search = search_new(s.trace, from, forward, true, NULL, NULL, is_wanted,
					    &nowhere);
			run(search, SEARCH_NOWHERE);
			assert_int_equal(search_rows(search), s.nr);
			search_free(search);
		}
	}
	subject_close(&s);
}

static void expect_match(const char *pattern, const char *line, int start, int end)
{
	struct ft_error err = { 0 };
	struct search_pattern *p = search_pattern_new(pattern, &err);
	size_t from, to;

	if (!p)
		fail_msg("%s: %s", pattern, err.message);
	if (start < 0) {
		assert_false(search_pattern_find(p, line, strlen(line), 0, &from, &to));
	} else {
		assert_true(search_pattern_find(p, line, strlen(line), 0, &from, &to));
		assert_int_equal(from, start);
		assert_int_equal(to, end);
	}
	search_pattern_free(p);
}

static void test_patterns(void **state)
{
	(void)state;
	expect_match("sched_", "x sched_switch", 2, 8);
	expect_match("SCHED", "x sched_switch", -1, -1);
	expect_match("sched", "x SCHED_switch", 2, 7);
	expect_match("a.c", "abc", -1, -1);
	expect_match("/a.c/", "xabc", 1, 4);
	expect_match("/a.c", "xabc", 1, 4);
	expect_match("/A.c/", "xabc", -1, -1);
	expect_match("/\\Sb/", "xAB", 1, 3);
	expect_match("/x*/", "abc", -1, -1);		/* an empty match is none */
	expect_match("/", "a/b", 1, 2);
	expect_match("/é+/", "caféé", 3, 7);
	/* ends, soon */
	expect_match("/(a+)+$/", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaab", -1, -1);
}

static void test_patterns_that_are_wrong(void **state)
{
	static const struct {
		const char *text;
		int offset;
	} bad[] = { { "", 0 }, { "/a(/", 3 }, { "/[/", 2 } };

	(void)state;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct ft_error err = { 0 };

		assert_null(search_pattern_new(bad[i].text, &err));
		assert_int_equal(err.code, FT_E_USAGE);
		assert_int_equal(err.offset, bad[i].offset);
	}
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/ftop-rows-XXXXXX");
	return mkdtemp(dir) ? 0 : -1;
}

static int remove_dir(void **state)
{
	char path[96];

	(void)state;
	snprintf(path, sizeof(path), "%s/t.dat", dir);
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_walk_down_and_up),
		cmocka_unit_test(test_time_of_the_row_above),
		cmocka_unit_test(test_random_steps),
		cmocka_unit_test(test_random_steps_without_directory),
		cmocka_unit_test(test_forgetting_moves_nothing),
		cmocka_unit_test(test_rows_of_one_cpu),
		cmocka_unit_test(test_search_goes_both_ways_and_round),
		cmocka_unit_test(test_patterns),
		cmocka_unit_test(test_patterns_that_are_wrong),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
