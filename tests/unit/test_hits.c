/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What workers find of a search, against a look at each line as the Events view shows it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "tests/lib/open_recorded.h"
#include "ui/app/app.h"
#include "ui/app/frame.h"
#include "ui/desk/app_options.h"
#include "ui/desk/desk.h"
#include "ui/desk/hits.h"
#include "ui/desk/views.h"
#include "ui/session/reopen.h"
#include "ui/rows/row_cursor.h"

static const struct app_options no_options;

static void begin_with(struct app *app, struct trace *trace, int cols)
{
	app_init(app, &no_options);
	canvas_init(&app->canvas, 40, cols);
	reopen_with(app, trace);
	frame_draw(app);
}

static void begin(struct app *app, const char *name, int cols)
{
	begin_with(app, open_recorded(name, 2), cols);
}

static void search_for(struct app *app, const char *pattern)
{
	struct ft_error err = { 0 };

	hits_drop(app);
	search_pattern_free(app->shared.chosen.pattern);
	app->shared.chosen.pattern = search_pattern_new(pattern, &err);
	if (!app->shared.chosen.pattern)
		fail_msg("%s: %s", pattern, err.message);
}

struct line {
	trace_ref	 ref;
	bool		 is_event;
	bool		 is_shown;
	struct text	 text;
};

static bool is_shown(struct app *app, const struct trace_event *event)
{
	return (!filters_hiding(&app->shared.chosen.filters) ||
		filters_keep(&app->shared.chosen.filters, event)) &&
	       row_cursor_leaf(&app->shared, event) == TRACE_REF_NONE;
}

/* All rows, with the text that they have now; the caller gives them to drop_lines(). */
static struct line *lines_of(struct app *app, size_t *nr)
{
	struct trace *trace = app->shared.trace;
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct line *lines;
	struct trace_event event;

	trace_wait(trace);
	lines = mem_alloc((trace_status(trace).rows + 1) * sizeof(*lines));
	*nr = 0;
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		struct line *line = &lines[(*nr)++];

		assert_true(*nr <= trace_status(trace).rows);
		line->ref = event.ref;
		line->is_event = event.kind == TRACE_ROW_EVENT;
		line->is_shown = is_shown(app, &event);
		views_event_line(app, &event, &line->text);
	}
	trace_cursor_free(cursor);
	return lines;
}

static void drop_lines(struct line *lines, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		text_fini(&lines[i].text);
	free(lines);
}

static bool has_pattern(struct app *app, const struct line *line)
{
	size_t start, end;

	return line->is_shown &&
	       search_pattern_find(app->shared.chosen.pattern, text_str(&line->text),
				   line->text.len, 0, &start, &end);
}

/*
 * All of them, and no others; rows of lost events are no more than candidates.  How many there
 * are.
 */
static unsigned int compare_lines(struct app *app, const char *pattern, const struct line *lines,
				  size_t nr_lines)
{
	struct trace *trace = app->shared.trace;
	struct trace_cursor *sieved = trace_cursor_new(trace);
	unsigned int nr = 0, others = 0, back = 0;
	struct trace_event hit;
	struct matches *hits;
	bool more;

	search_for(app, pattern);
	hits = hits_of_pattern(app);
	assert_non_null(hits);
	assert_ptr_equal(hits_of_pattern(app), hits);	/* the same search goes on */
	trace_wait(trace);
	matches_wait(hits);
	assert_true(matches_status(hits).exact);
	trace_cursor_only_matches(sieved, hits);
	trace_cursor_seek(sieved, trace_first(trace));
	more = trace_cursor_next(sieved, &hit);
	for (const struct line *line = lines; line < lines + nr_lines; line++) {
		bool candidate = more && hit.ref == line->ref;

		if (has_pattern(app, line) && (line->is_event || strstr(pattern, "lost"))) {
			if (!candidate)
				fail_msg("'%s': a row is missed", pattern);
			nr++;
		} else if (candidate) {
			others += line->is_event;
		}
		if (candidate) {
			more = trace_cursor_next(sieved, &hit);
			back++;
		}
	}
	assert_false(more);
	trace_cursor_seek(sieved, TRACE_REF_NONE);
	while (trace_cursor_prev(sieved, &hit))
		back--;
	assert_int_equal(back, 0);
	if (others)
		fail_msg("'%s': %u rows are none", pattern, others);
	trace_cursor_free(sieved);
	return nr;
}

static unsigned int compare(struct app *app, const char *pattern)
{
	size_t nr_lines;
	struct line *lines = lines_of(app, &nr_lines);
	unsigned int nr = compare_lines(app, pattern, lines, nr_lines);

	drop_lines(lines, nr_lines);
	return nr;
}

static const char *const patterns[] = {
	"on-cpu-1", "WL-ping", "/Sched_(waking|switch)/", "7.5742", "3 rcu_preempt",
	"/^7\\.[45]\\d* +2 /", "µs", "schedule()",
	"lost 949", "/vec=9 \\[action=RCU\\]$/", "a\\b", "\"", "/pid=80\\b/", "} /*", "→",
};

/* How many of the patterns are found. */
static unsigned int compare_patterns(struct app *app)
{
	size_t nr_lines;
	struct line *lines = lines_of(app, &nr_lines);
	unsigned int nr = 0;

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		nr += compare_lines(app, patterns[i], lines, nr_lines) > 0;
	drop_lines(lines, nr_lines);
	return nr;
}

static void test_all_lines(void **state)
{
	struct app app;

	(void)state;
	for (int cols = 80; cols <= 160; cols += 80) {
		begin(&app, "cpu4", cols);
		assert_true(compare_patterns(&app) >= 10);
		/* A leaf call is one row. */
		assert_true(compare(&app, "/pick_next_task_idle\\(\\); .[0-9.]+ µs/") > 0);
		assert_int_equal(compare(&app, "/} .* pick_next_task_idle/"), 0);
		assert_true(compare(&app, "/schedule\\(\\) \\{$/") > 0);
		app_fini(&app);
	}
}

static void test_among_filtered(void **state)
{
	struct filter_error err = { 0 };
	struct app app;

	(void)state;
	begin(&app, "cpu4", 100);
	assert_int_equal(filters_set(&app.shared.chosen.filters, 0, "cpu == 1 || sched_switch",
				     &app.shared.at.places, &err),
			 0);
	views_changed(&app);
	compare_patterns(&app);
	/* Exits of leaves have rows if the filter keeps them alone. */
	assert_int_equal(filters_set(&app.shared.chosen.filters, 0, "funcgraph_exit",
				     &app.shared.at.places, &err),
			 0);
	views_changed(&app);
	assert_true(compare(&app, "} /* pick_next_task_idle") > 0);
	assert_int_equal(filters_set(&app.shared.chosen.filters, 0, "cpu == 1 || sched_switch",
				     &app.shared.at.places, &err),
			 0);
	views_changed(&app);
	/* Dimmed, they are shown. */
	assert_int_equal(compare(&app, "sched_wakeup"), compare(&app, "/sched_wakeup/"));
	app.shared.chosen.filters.dim = true;
	assert_true(compare(&app, "sched_wakeup") > 0);
	app_fini(&app);
}

/* Stacks, and lines that change with what is shown of them. */
static void test_other_lines(void **state)
{
	struct app app;
	unsigned int nr;

	(void)state;
	begin(&app, "stack", 120);
	assert_true(compare(&app, "try_to_wake_up") > 0);
	app_fini(&app);
	begin(&app, "cpu4", 120);
	nr = compare(&app, "/^0\\.24/");
	app.shared.look.time_format = TIME_RELATIVE;
	views_changed(&app);
	assert_true(compare(&app, "/^0\\.24/") > nr);
	app.shared.look.text_choice = TEXT_SHORT_STYLE;
	views_changed(&app);
	assert_int_equal(compare(&app, "next_comm="), 0);
	app.shared.look.text_choice = TEXT_KERNEL_STYLE;
	views_changed(&app);
	assert_true(compare(&app, "next_comm=") > 0);
	app_fini(&app);
	begin(&app, "lost-text", 80);
	assert_true(compare(&app, "sched") + compare(&app, "0") > 0);
	app_fini(&app);
}

/* --- texts ------------------------------------------------------------------------ */

#define WORDS	3	/* looked for in each text, with each way to show it */

static uint32_t number;

static uint32_t below(uint32_t limit)
{
	number = number * 1664525 + 1013904223;
	return (number >> 8) % limit;
}

/* A part of some row as it is shown; empty: the row is no event. */
static void some_part(const struct line *lines, size_t nr_lines, struct text *out)
{
	const struct line *line = &lines[below((uint32_t)nr_lines)];
	size_t from, len;

	text_clear(out);
	if (!line->is_event || !line->text.len)
		return;
	from = below((uint32_t)line->text.len);
	len = 1 + below(14);
	text_bytes(out, line->text.data + from,
		   len < line->text.len - from ? len : line->text.len - from);
}

/*
 * Parts of a text whose bytes lack a word are not looked at.  Every second text is shown, one in
 * one way, the next in the next; with FTOP_TEST_LONG all, each in all.
 */
static unsigned int search_text(const char *path, size_t nr)
{
	const int only = getenv("FTOP_TEST_LONG") ? -1 : (int)(nr % NR_TEXT_CHOICES);
	struct text word = { 0 };
	unsigned int found = 0;
	struct app app;

	begin_with(&app, open_path(path, 2), 150);
	trace_wait(app.shared.trace);
	for (int style = 0; style < NR_TEXT_CHOICES && trace_status(app.shared.trace).rows;
	     style++) {
		struct line *lines;
		size_t nr_lines;

		if (only >= 0 && style != only)
			continue;
		app.shared.look.text_choice = style;
		views_changed(&app);
		lines = lines_of(&app, &nr_lines);
		for (int k = 0; k < WORDS; k++) {
			some_part(lines, nr_lines, &word);
			if (word.len && *word.data != '/')	/* that begins an expression */
				found += compare_lines(&app, text_str(&word), lines, nr_lines) > 0;
		}
		assert_int_equal(compare_lines(&app, "no such word_anywhere", lines, nr_lines), 0);
		drop_lines(lines, nr_lines);
	}
	text_fini(&word);
	app_fini(&app);
	return found;
}

static void test_texts(void **state)
{
	static const char *const names[] = { "good/*/report.txt*", "good/*/kernel-trace.txt*",
					     "atrace/*.txt" };
	const char *data = getenv("FTOP_TEST_DATA"), *seed = getenv("FTOP_TEST_SEED");
	bool is_long = getenv("FTOP_TEST_LONG");
	size_t step = is_long ? 1 : 4;
	unsigned int found = 0;
	char pattern[4096];
	glob_t texts;

	(void)state;
	number = seed ? (uint32_t)strtoul(seed, NULL, 10) : 1;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		snprintf(pattern, sizeof(pattern), "%s/%s", data ? data : "tests/data", names[i]);
		assert_int_equal(glob(pattern, i ? GLOB_APPEND : 0, NULL, &texts), 0);
	}
	for (size_t i = 0; i < texts.gl_pathc; i += step)
		found += search_text(texts.gl_pathv[i], i / step);
	/* of each way that a text was shown in, most words */
	assert_true(found > texts.gl_pathc / step * WORDS * (is_long ? 1 : 0.6));
	globfree(&texts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_all_lines),
		cmocka_unit_test(test_among_filtered),
		cmocka_unit_test(test_other_lines),
		cmocka_unit_test(test_texts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
