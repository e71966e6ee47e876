/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of events and of fields, beside a walk over all rows of the trace; words of them. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline_labels.h"
#include "src/timeline/timeline_plot.h"
#include "tests/lib/gen_trace.h"
#include "tests/lib/open_recorded.h"

#define COLUMNS	50u

struct subject {
	struct trace	*trace;
	struct sched	*sched;
	struct series	*series;
	struct timeline	 timeline;
	struct event {
		int64_t	ts, value;
	}		*events;
	uint32_t	 nr, cap;
};

/* The slow way: by cursor, and the field's text. */
static void walk(struct subject *s, const char *name, const char *field)
{
	struct trace_cursor *cursor = trace_cursor_new(s->trace);
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(s->trace));
	while (trace_cursor_next(cursor, &event)) {
		struct trace_field_value *fields;
		unsigned int nr;

		if (event.kind != TRACE_ROW_EVENT || strcmp(trace_event_name(&event), name) != 0)
			continue;
		mem_grow(&s->events, s->nr, &s->cap);
		s->events[s->nr] = (struct event){ event.ts, 0 };
		nr = trace_event_fields(s->trace, &event, &fields);
		for (unsigned int i = 0; field && i < nr; i++)
			if (!strcmp(fields[i].name, field))
				s->events[s->nr].value = strtoll(text_str(&fields[i].raw), NULL, 0);
		trace_fields_free(fields, nr);
		s->nr++;
	}
	trace_cursor_free(cursor);
}

static void open_subject(struct subject *s, const char *name, const char *field)
{
	struct ft_error err = { 0 };
	char what[200];

	*s = (struct subject){ .trace = open_recorded("cpu4", 2) };
	trace_wait(s->trace);
	s->sched = sched_new(s->trace, 0, 0);
	sched_wait(s->sched);
	sched_lock(s->sched);
	snprintf(what, sizeof(what), "%s%s%s", name, field ? "." : "", field ? field : "");
	s->series = series_new(s->trace, 0, 0, what, 0, &err);
	assert_non_null(s->series);
	series_wait(s->series);
	s->timeline.plots = &s->series;
	s->timeline.nr_plots = 1;
	walk(s, name, field);
}

static void close_subject(struct subject *s)
{
	timeline_fini(&s->timeline);
	series_free(s->series);
	sched_unlock(s->sched);
	sched_free(s->sched);
	trace_close(s->trace);
	free(s->events);
}

/* 0 to 7: which of the eight bars. */
static int bar_of(const struct timeline_cell *cell)
{
	assert_int_equal((uint8_t)cell->glyph[0], 0xe2);
	assert_int_equal((uint8_t)cell->glyph[1], 0x96);
	return (uint8_t)cell->glyph[2] - 0x81;
}

static uint32_t count(const struct subject *s, int64_t from, int64_t to)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < s->nr; i++)
		nr += s->events[i].ts >= from && s->events[i].ts < to;
	return nr;
}

static void check_ticks(const struct subject *s, const struct timeline_cell *cells)
{
	const int64_t *edges = s->timeline.edges;
	uint32_t most = 0;

	for (unsigned int i = 0; i < COLUMNS; i++)
		most = count(s, edges[i], edges[i + 1]) > most ? count(s, edges[i], edges[i + 1]) :
								 most;
	for (unsigned int i = 0; i < COLUMNS; i++) {
		uint32_t nr = count(s, edges[i], edges[i + 1]);

		if (!nr)
			assert_string_equal(cells[i].glyph, " ");
		else if (most <= 9)
			assert_int_equal(cells[i].glyph[0], '0' + (int)nr);
		else
			assert_int_equal(bar_of(&cells[i]), (int)(7.0 * nr / most + 0.5));
	}
}

static void ticks_are_counted(void **state)
{
	struct timeline_cell cells[COLUMNS];
	struct gen_random random;
	struct subject s;

	(void)state;
	open_subject(&s, "sched_waking", NULL);
	gen_random_init(&random, 3);
	for (unsigned int i = 0; i < 60; i++) {
		int64_t step = INT64_C(8000000) >> gen_random_below(&random, 20);

		timeline_set(&s.timeline, s.sched,
			     7328262000 + (int64_t)gen_random_below(&random, 360000000), step,
			     COLUMNS);
		timeline_draw(&s.timeline, &(struct timeline_row){ TIMELINE_PLOT, 0 }, cells);
		check_ticks(&s, cells);
	}
	close_subject(&s);
}

/*
 * Where there is an event: higher means more, and the most of all is the highest bar; where there
 * is none, what was last.
 */
static void check_values(const struct subject *s, const struct timeline_cell *cells)
{
	int64_t mosts[COLUMNS], most = INT64_MIN;
	bool held[COLUMNS] = { false };

	for (unsigned int i = 0; i < COLUMNS; i++) {
		mosts[i] = INT64_MIN;
		for (uint32_t k = 0; k < s->nr && s->events[k].ts < s->timeline.edges[i + 1]; k++) {
			if (s->events[k].ts >= s->timeline.edges[i] &&
			    (held[i] || s->events[k].value > mosts[i])) {
				mosts[i] = held[i] || s->events[k].value > mosts[i] ?
						   s->events[k].value :
						   mosts[i];
				held[i] = false;
			} else if (s->events[k].ts < s->timeline.edges[i]) {
				mosts[i] = s->events[k].value;
				held[i] = true;
			}
		}
		most = mosts[i] > most ? mosts[i] : most;
	}
	for (unsigned int i = 0; i < COLUMNS; i++) {
		if (mosts[i] == INT64_MIN) {
			assert_string_equal(cells[i].glyph, " ");
			continue;
		}
		assert_int_equal(cells[i].role, held[i] ? TIMELINE_HELD : TIMELINE_VALUE);
		for (unsigned int k = 0; k < i; k++)
			if (mosts[k] != INT64_MIN && mosts[k] > mosts[i])
				assert_true(bar_of(&cells[k]) >= bar_of(&cells[i]));
	}
}

static void values_are_plotted(void **state)
{
	struct timeline_cell cells[COLUMNS];
	struct gen_random random;
	struct subject s;

	(void)state;
	open_subject(&s, "sched_stat_runtime", "runtime");
	gen_random_init(&random, 4);
	for (unsigned int i = 0; i < 60; i++) {
		int64_t step = INT64_C(8000000) >> gen_random_below(&random, 16);

		timeline_set(&s.timeline, s.sched,
			     7328262000 + (int64_t)gen_random_below(&random, 360000000), step,
			     COLUMNS);
		timeline_draw(&s.timeline, &(struct timeline_row){ TIMELINE_PLOT, 0 }, cells);
		check_values(&s, cells);
	}
	close_subject(&s);
}

/* By trace-cmd report -t: 19 events in 7.550 to 7.581; the two around 7.5761. */
static void moments_have_words(void **state)
{
	const struct timeline_row row = { TIMELINE_PLOT, 0 };
	struct text t = { 0 };
	struct subject s;

	(void)state;
	open_subject(&s, "sched_stat_runtime", "runtime");
	timeline_set(&s.timeline, s.sched, 7550000000, 500000, 62);
	timeline_plot_story(&s.timeline, &row, 7576123037, &t);
	assert_string_equal(
		text_str(&t),
		"1 event in the column: 7841561. 19 events in the window, from 134766 to 8041121. Last: 7841561 at "
		"7.576123037 on CPU 2. Next: 134766 at 7.576567906 on CPU 3.");
	text_clear(&t);
	timeline_plot_load(&s.timeline, &row, &t);
	assert_string_equal(text_str(&t), "8.0M");
	text_clear(&t);
	timeline_name(&s.timeline, &row, 0, &t);
	assert_string_equal(text_str(&t), "sched_stat_runtime.runtime");
	text_clear(&t);
	timeline_fit_name("sched_stat_runtime.runtime", false, 11, &t);
	assert_string_equal(text_str(&t), "….runtime  ");
	text_fini(&t);
	close_subject(&s);
}

static void numbers_fit_four_cells(void **state)
{
	static const struct {
		int64_t		v;
		const char	*text;
	} samples[] = {
		{ 0, "0" }, { 9999, "9999" }, { 10000, "10k" }, { 99949, "100k" },
		{ 999499, "999k" }, { 999500, "1.0M" },
		{ 1440000, "1.4M" }, { 9940000, "9.9M" }, { 9960000, "10M" },
		{ 3200000000, "3.2G" }, { INT64_MAX, "9.2E" },
		{ -999, "-999" }, { -1000, "-1k" }, { -3200000000, "-3G" }, { INT64_MIN, "-9E" },
	};

	(void)state;
	for (unsigned int i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		struct text t = { 0 };

		timeline_plot_short(samples[i].v, &t);
		assert_string_equal(text_str(&t), samples[i].text);
		assert_true(t.len <= 4);
		text_fini(&t);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(ticks_are_counted),
		cmocka_unit_test(values_are_plotted),
		cmocka_unit_test(moments_have_words),
		cmocka_unit_test(numbers_fit_four_cells),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
