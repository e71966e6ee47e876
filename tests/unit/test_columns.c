/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Columns of the Events view and the header above them, at each width. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/derived_names.h"
#include "tests/lib/gen_trace.h"
#include "ui/rows/columns.h"
#include "ui/view/header.h"

static char dir[64], path[128];

static struct trace *open_trace(struct shared *shared, int cpus)
{
	struct gen_options options = {
		.seed = 3, .layout = { .page_size = 4096, .long_size = 8 }, .nr_cpus = cpus,
		.pages = 2,
		.base_ts = 7328262112,
	};
	struct gen_trace *gen = gen_trace_new(&options);
	const struct gen_trace *const_gen = gen;
	struct trace_options trace_options = { .nr_workers = 1,
					       .filter_names = derived_names,
					       .hold_permille = -1 };
	struct gen_file file = { .version = 7 };
	const char *paths[] = { path };
	struct ft_error err = { 0 };
	struct trace *trace;

	if (gen_write(path, &file, &const_gen, NULL, 1, &err))
		fail_msg("%s", err.message);
	gen_trace_free(gen);
	trace = trace_open(paths, 1, false, &trace_options, &err);
	if (!trace)
		fail_msg("%s", err.message);
	trace_wait(trace);
	memset(shared, 0, sizeof(*shared));
	shared->trace = trace;
	places_init(&shared->places);
	shared->here = shared_place(shared, trace_first(trace));
	shared->has_span = trace_span(trace, &shared->first, &shared->last);
	return trace;
}

/* At every width the columns lie side by side within the screen, and the text has room. */
static void test_layout(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 4);

	(void)state;
	for (int cols = 60; cols <= 300; cols++) {
		struct columns columns = { 0 };
		int end = 1;

		columns_layout(&columns, &shared, cols);
		for (int id = 0; id < NR_COLUMNS; id++) {
			if (!columns.width[id])
				continue;
			assert_true(columns.left[id] >= end);
			end = columns.left[id] + columns.width[id];
			assert_true(end <= cols);
		}
		assert_true(columns.width[COLUMN_WHAT] >= 20);
		assert_int_equal(columns.width[COLUMN_DELTA] > 0, cols >= 70);
		assert_int_equal(columns.width[COLUMN_FLAGS] > 0, cols >= 100);
		assert_int_equal(columns.width[COLUMN_EVENT] > 0, cols >= 100);
		assert_int_equal(columns_text_has_name(&columns), cols < 100);
		assert_int_equal(shared_decimals(&shared, cols), cols >= 100 ? 9 : 6);
	}
	trace_close(trace);
}

static void test_wishes(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 1);
	struct columns columns = { 0 };

	(void)state;
	columns_layout(&columns, &shared, 80);
	assert_int_equal(columns.width[COLUMN_CPU], 0);		/* one CPU needs no column */
	assert_int_equal(columns.width[COLUMN_FLAGS], 0);
	columns_toggle(&columns, COLUMN_FLAGS);
	columns_toggle(&columns, COLUMN_DELTA);
	columns_toggle(&columns, COLUMN_WHAT);			/* always there */
	columns_layout(&columns, &shared, 80);
	assert_int_equal(columns.width[COLUMN_FLAGS], 5);
	assert_int_equal(columns.width[COLUMN_DELTA], 0);
	assert_true(columns.width[COLUMN_WHAT] > 0);
	trace_close(trace);
}

static void expect_time(struct shared *shared, enum time_format format, int64_t ts,
			const char *expected)
{
	struct row row = { .kind = TRACE_ROW_EVENT, .ts = ts };
	struct row_line_ref line = { .row = &row, .has_above = true, .above_ts = ts - 1268 };
	struct column_cell cell = { .shared = shared, .line = &line, .width = 20, .cols = 80 };
	struct text t = { 0 };

	shared->time_format = format;
	column_info(COLUMN_TIME)->text(&cell, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void test_times(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 2);

	(void)state;
	shared.first = 7328262112;
	expect_time(&shared, TIME_ABSOLUTE, 7574321342, "7.574321");
	expect_time(&shared, TIME_RELATIVE, 7574321342, "0.246059");
	expect_time(&shared, TIME_DELTA, 7574321342, "+0.000001");
	expect_time(&shared, TIME_SINCE_A, 7574321342, "7.574321");	/* without A */
	places_mark(&shared.places, 'a', (struct place){ .set = true, .ref = 1, .ts = 7574227913 });
	expect_time(&shared, TIME_SINCE_A, 7574321342, "+0.000093");
	expect_time(&shared, TIME_SINCE_A, 7574227813, "−0.000000");
	shared.decimals = 9;
	expect_time(&shared, TIME_SINCE_A, 7574321342, "+0.000093429");
	trace_close(trace);
}

/* A damaged time neither widens the column of sound ones, nor loses the unit of its distance. */
static void test_absurd_times(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 2);
	struct row rows[4] = {
		{ .kind = TRACE_ROW_EVENT, .ts = 9000000000000000000 },
		{ .kind = TRACE_ROW_EVENT, .ts = 43582165000 },
		{ .kind = TRACE_ROW_EVENT, .ts = 43588155000 },
		{ .kind = TRACE_ROW_EVENT, .ts = 43588285000 },
	};
	struct row_line_ref lines[4];
	struct column_cell cell = { .shared = &shared, .width = 9, .cols = 80 };
	struct columns columns = { 0 };
	struct text t = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		lines[i] = (struct row_line_ref){ .row = &rows[i], .has_above = i > 0,
						  .above_ts = i ? rows[i - 1].ts : 0 };
	shared.first = 43582165000;
	shared.last = 9000000000000000000;
	columns_fit_times(&columns, &shared, lines, 4, 80);
	columns_layout(&columns, &shared, 80);
	assert_int_equal(columns.width[COLUMN_TIME], strlen("43.582165"));
	cell.line = &lines[1];
	column_info(COLUMN_DELTA)->text(&cell, &t);
	assert_string_equal(text_str(&t), " −899… s ");
	text_clear(&t);
	cell.line = &lines[2];
	column_info(COLUMN_DELTA)->text(&cell, &t);
	assert_string_equal(text_str(&t), "#5.990 ms");
	shared.last = 43588285000;
	columns_fit_times(&columns, &shared, lines + 1, 3, 80);
	assert_int_equal(columns.time_cells, 0);
	text_fini(&t);
	trace_close(trace);
}

/* What a user must not miss is never dropped, however narrow and long the name. */
static void test_header_keeps_what_counts(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 4);
	uint64_t events = trace_status(trace).events;
	struct text count = { 0 };

	(void)state;
	text_count(&count, events);
	text_add(&count, " events");
	shared.places.range.set = true;
	for (int cols = 60; cols <= 200; cols++) {
		struct canvas canvas;
		struct text t = { 0 };

		canvas_init(&canvas, 1, cols);
		header_draw(&canvas, 0, &shared, NULL);
		canvas_print(&canvas, &t);
		assert_non_null(strstr(text_str(&t), text_str(&count)));
		assert_non_null(strstr(text_str(&t), "range"));
		assert_non_null(strstr(text_str(&t), "row 1"));
		if (strstr(text_str(&t), "clock"))	/* goes before the CPUs do */
			assert_non_null(strstr(text_str(&t), "4 CPUs"));
		text_fini(&t);
		canvas_fini(&canvas);
	}
	text_fini(&count);
	trace_close(trace);
}

static int make_dir(void **state)
{
	(void)state;
	snprintf(dir, sizeof(dir), "/tmp/ftop-columns-XXXXXX");
	if (!mkdtemp(dir))
		return -1;
	snprintf(path, sizeof(path), "%s/a-rather-long-name-of-a-trace.dat", dir);
	return 0;
}

static int remove_dir(void **state)
{
	(void)state;
	unlink(path);
	return rmdir(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_layout),
		cmocka_unit_test(test_wishes),
		cmocka_unit_test(test_times),
		cmocka_unit_test(test_absurd_times),
		cmocka_unit_test(test_header_keeps_what_counts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
