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
#include <zlib.h>

#include "src/base/memory.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/open_recorded.h"
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
	places_init(&shared->at.places);
	shared->at.here = shared_place(shared, trace_first(trace));
	shared->at.has_span = trace_span(trace, &shared->at.first, &shared->at.last);
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
		assert_int_equal(columns.width[COLUMN_EVENT] > 0, cols >= 120);
		assert_int_equal(columns_text_has_name(&columns), cols < 120);
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
	columns_toggle(&columns, COLUMN_DELAY);
	columns_toggle(&columns, COLUMN_WHAT);			/* always there */
	columns_layout(&columns, &shared, 80);
	assert_int_equal(columns.width[COLUMN_FLAGS], 5);
	assert_int_equal(columns.width[COLUMN_DELTA], 0);
	assert_int_equal(columns_gaps(&columns), 1 << ROW_GAP_NEXT);
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

	shared->look.time_format = format;
	column_info(COLUMN_TIME)->text(&cell, &t);
	assert_string_equal(text_str(&t), expected);
	text_fini(&t);
}

static void test_times(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 2);

	(void)state;
	shared.at.first = 7328262112;
	expect_time(&shared, TIME_ABSOLUTE, 7574321342, "7.574321");
	expect_time(&shared, TIME_RELATIVE, 7574321342, "0.246059");
	expect_time(&shared, TIME_DELTA, 7574321342, "+0.000001");
	expect_time(&shared, TIME_SINCE_A, 7574321342, "7.574321");	/* without A */
	places_mark(&shared.at.places, 'a',
		    (struct place){ .set = true, .ref = 1, .ts = 7574227913 });
	expect_time(&shared, TIME_SINCE_A, 7574321342, "+0.000093");
	expect_time(&shared, TIME_SINCE_A, 7574227813, "−0.000000");
	shared.look.decimals = 9;
	expect_time(&shared, TIME_SINCE_A, 7574321342, "+0.000093429");
	trace_close(trace);
}

/* A damaged time neither widens the column of sound ones, nor loses the unit of its distance. */
static void test_absurd_times(void **state)
{
	struct shared shared;
	struct trace *trace = open_trace(&shared, 2);
	struct row rows[4] = {
		{ .kind = TRACE_ROW_EVENT, .is_event = true, .ts = 9000000000000000000 },
		{ .kind = TRACE_ROW_EVENT, .is_event = true, .ts = 43582165000 },
		{ .kind = TRACE_ROW_EVENT, .is_event = true, .ts = 43588155000 },
		{ .kind = TRACE_ROW_EVENT, .is_event = true, .ts = 43588285000 },
	};
	struct row_line_ref lines[4];
	struct column_cell cell = { .shared = &shared, .width = 9, .cols = 80 };
	struct columns columns = { 0 };
	struct text t = { 0 };

	(void)state;
	for (int i = 0; i < 4; i++)
		lines[i] = (struct row_line_ref){ .row = &rows[i], .has_above = i > 0,
						  .above_ts = i ? rows[i - 1].ts : 0 };
	shared.at.first = 43582165000;
	shared.at.last = 9000000000000000000;
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
	shared.at.last = 43588285000;
	columns_fit_times(&columns, &shared, lines + 1, 3, 80);
	assert_int_equal(columns.time_cells, 0);
	text_fini(&t);
	trace_close(trace);
}

/* --- the distance to other rows --------------------------------------------------------------- */

/* The text of a column of a line, "" without the row. */
static const char *cell_text(struct rows *rows, unsigned int line, enum column_id id)
{
	struct column_cell cell = { .shared = rows->shared, .line = &rows->lines[line], .width = 9,
				    .cols = 80 };
	static char buf[64];
	struct text t = { 0 };

	column_info(id)->text(&cell, &t);
	snprintf(buf, sizeof(buf), "%s", text_str(&t));
	text_fini(&t);
	return buf;
}

static void share(struct shared *shared, struct trace *trace)
{
	memset(shared, 0, sizeof(*shared));
	shared->trace = trace;
	trace_wait(trace);
	places_init(&shared->at.places);
	shared->at.has_span = trace_span(trace, &shared->at.first, &shared->at.last);
}

static const enum column_id gap_columns[] = { COLUMN_DELTA_CPU, COLUMN_DELTA_TASK, COLUMN_DELAY };

/* Reads the next mark of the kernel's text, the character after "us" of the time. */
static bool next_mark(gzFile file, char *mark)
{
	char line[4096];

	while (gzgets(file, line, sizeof(line))) {
		const char *us = strstr(line, "us");

		if (line[0] == '#')
			continue;
		while (us && !(us > line && us[-1] >= '0' && us[-1] <= '9' && us[2] &&
			       us[3] == ':' && us[4] == ' '))
			us = strstr(us + 1, "us");
		if (us) {
			*mark = us[2];
			return true;
		}
	}
	return false;
}

/* Each line of the kernel's text in latency format has the mark that the delay column has. */
static void check_marks(const char *folder, const char *text_name, unsigned int min)
{
	unsigned int n = 0, wants = 0;
	char name[256], mark;
	struct shared shared;
	struct trace *trace;
	struct rows rows;
	gzFile file;

	snprintf(name, sizeof(name), "%s/trace.dat", folder);
	trace = open_path(name, 1);
	snprintf(name, sizeof(name), "%s/%s.gz", folder, text_name);
	if (access(name, R_OK))
		snprintf(name, sizeof(name), "%s/%s", folder, text_name);
	file = gzopen(name, "rb");
	assert_non_null(file);
	share(&shared, trace);
	rows_init(&rows, &shared);
	rows_set_height(&rows, 37);
	rows_set_gaps(&rows, 1u << ROW_GAP_NEXT);
	rows_fill(&rows);
	while (next_mark(file, &mark)) {
		const struct row *row = rows_here(&rows);
		const char *text;

		while (!row->is_event && rows_move(&rows, 1))
			row = rows_here(&rows);
		text = cell_text(&rows, rows.at, COLUMN_DELAY);
		n++;
		wants += mark != ' ';
		if (strcmp(text, "–") ? text[0] != mark : mark != ' ')
			fail_msg("%s: line %u has the mark '%c', the column '%s'", folder, n, mark,
				 text);
		if (!rows_move(&rows, 1))
			break;
	}
	assert_false(next_mark(file, &mark));
	if (n < min || !wants)
		fail_msg("%s: %u lines, %u of them with a mark", folder, n, wants);
	gzclose(file);
	rows_fini(&rows);
	places_fini(&shared.at.places);
	trace_close(trace);
}

/*
 * Not latency-format-probes-7.2: its kernel discarded records, and its text then leaves time out
 * (sub_buffer_discarded()).  The column shows the times as recorded.
 */
static void test_delay_is_the_kernels(void **state)
{
	static const char *const texts[] = { "irqsoff-7.2", "preemptoff", "preemptirqsoff", "wakeup",
					     "wakeup-rt", "wakeup-rt-7.2", "tc34-irqsoff" };
	const char *data = getenv("FTOP_TEST_DATA"), *shared = getenv("FTOP_SHARED");
	char folder[200];

	(void)state;
	snprintf(folder, sizeof(folder), "%s/good/latency-format-rt", data ? data : "tests/data");
	check_marks(folder, "kernel-trace.txt", 1000);
	snprintf(folder, sizeof(folder), "%s/good/wakeup-rt-max", data ? data : "tests/data");
	check_marks(folder, "kernel-trace.txt", 100);
	/* latency text, which report prints as it is in the file */
	snprintf(folder, sizeof(folder), "%s/good/irqsoff", data ? data : "tests/data");
	check_marks(folder, "report.txt", 26);
	if (!shared || !*shared)
		return;
	snprintf(folder, sizeof(folder), "%s/fixtures/latency-format", shared);
	check_marks(folder, "kernel-trace.txt", 1000);
	snprintf(folder, sizeof(folder), "%s/fixtures/latency-format-function", shared);
	check_marks(folder, "kernel-trace.txt", 7000);
	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		snprintf(folder, sizeof(folder), "%s/fixtures/%s", shared, texts[i]);
		check_marks(folder, "report.txt", 8);
	}
}

/* A plain search among all rows of the trace. */
static bool plain_gap(const struct row *rows, size_t nr, size_t at, enum row_gap_kind kind,
		      int64_t *ts)
{
	const struct row *row = &rows[at];

	if (kind == ROW_GAP_NEXT) {
		while (++at < nr && rows[at].kind != TRACE_ROW_EVENT)
			;
		*ts = at < nr ? rows[at].ts : 0;
		return at < nr;
	}
	while (at--) {
		bool cpu = rows[at].cpu == row->cpu, pid = rows[at].pid == row->pid;

		if (rows[at].kind != TRACE_ROW_EVENT)
			continue;
		if (kind == ROW_GAP_CPU ? cpu : pid && (row->pid || cpu)) {
			*ts = rows[at].ts;
			return true;
		}
	}
	return false;
}

static size_t read_rows(struct trace *trace, struct row **out)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	size_t nr = 0, cap = 0;

	*out = NULL;
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		mem_grow(out, nr, &cap);
		(*out)[nr++] = (struct row){ .ref = event.ref, .kind = event.kind, .ts = event.ts,
					     .cpu = event.cpu, .pid = event.pid };
	}
	trace_cursor_free(cursor);
	return nr;
}

/* In every window, and for a saved line, which only knows its own row. */
static void test_gaps_of_all_rows(void **state)
{
	struct trace *trace = open_data("sched", 1);
	struct row_gap saved[NR_ROW_GAPS];
	struct shared shared;
	struct rows rows;
	struct row *all;
	size_t nr, at = 0;
	int64_t ts;

	(void)state;
	share(&shared, trace);
	nr = read_rows(trace, &all);
	rows_init(&rows, &shared);
	rows_set_height(&rows, 9);
	rows_set_gaps(&rows, 7);
	rows_fill(&rows);
	for (bool more = true; more; more = at + 9 < nr && rows_scroll(&rows, 5)) {
		while (all[at].ref != rows.lines[0].row->ref)
			at++;
		for (unsigned int i = 0; i < rows.nr_lines; i++) {
			struct row_line_ref *line = &rows.lines[i];

			if (line->row->kind != TRACE_ROW_EVENT)
				continue;
			for (int kind = 0; kind < NR_ROW_GAPS; kind++) {
				bool has = plain_gap(all, nr, at + i, kind, &ts);

				if (line->gaps[kind].far) {
					assert_string_equal(cell_text(&rows, i, gap_columns[kind]),
							    "…");
					continue;
				}
				assert_int_equal(line->gaps[kind].has, has);
				if (has)
					assert_int_equal(line->gaps[kind].ts, ts);
			}
			row_gaps_of(&rows, line->row, saved);
			if (!line->gaps[ROW_GAP_TASK].far)
				assert_memory_equal(saved, line->gaps, sizeof(saved));
		}
	}
	assert_true(at + 9 >= nr - 9);
	free(all);
	rows_fini(&rows);
	places_fini(&shared.at.places);
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
	shared.at.places.range.set = true;
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
		cmocka_unit_test(test_delay_is_the_kernels),
		cmocka_unit_test(test_gaps_of_all_rows),
		cmocka_unit_test(test_header_keeps_what_counts),
	};

	return cmocka_run_group_tests(tests, make_dir, remove_dir);
}
