/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/timeline_plot.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/match/matches.h"
#include "src/base/memory.h"
#include "src/base/time_math.h"
#include "src/timeline/series.h"

#define MOST_COUNTED	10000u	/* events to count one by one: that takes about 1 ms */

struct series *timeline_plot_series(const struct timeline *t, const struct timeline_row *row)
{
	return row->index < t->nr_plots ? t->plots[row->index] : NULL;
}

/* The known matches before a time; *next: time of the first one at or after it, or INT64_MAX. */
static uint64_t matches_before(const struct timeline *t, int64_t ts, int64_t *next)
{
	struct trace_event event;
	trace_ref ref;
	bool exact;

	*next = INT64_MAX;
	if (matches_seek_time(t->matches, ts, &ref) != MATCHES_FOUND ||
	    !trace_event_at(sched_trace(t->sched), ref, &event))
		return matches_status(t->matches).rows;
	*next = event.key;
	return matches_rank(t->matches, ref, &exact);
}

/* Count single matches at any column width; cost grows with the columns that have some. */
static void sum_matches(const struct timeline *t, const int64_t *edges, unsigned int nr,
			struct series_sum *sums)
{
	int64_t next;
	uint64_t before = matches_before(t, edges[0], &next);

	for (unsigned int i = 0; i < nr; i++) {
		int64_t end = edges[i + 1];
		uint64_t upto = next < end ? matches_before(t, end, &next) : before;

		sums[i] = (struct series_sum){ .events = upto > before ? upto - before : 0 };
		before = upto;
	}
}

/* The events one by one, of all columns together no more than @most; false: there are more. */
static bool count_events(const struct timeline *t, const int64_t *edges, unsigned int nr,
			 uint64_t most, struct series_sum *sums)
{
	struct trace_cursor *cursor = trace_cursor_new(sched_trace(t->sched));
	struct trace_event event;
	unsigned int i = 0;
	uint64_t counted = 0;

	memset(sums, 0, nr * sizeof(*sums));
	trace_cursor_seek_time(cursor, edges[0]);
	while (trace_cursor_next(cursor, &event) && event.key < edges[nr] && counted <= most) {
		while (event.key >= edges[i + 1])
			i++;
		sums[i].events += event.kind == TRACE_ROW_EVENT;
		counted++;
	}
	trace_cursor_free(cursor);
	return counted <= most;
}

/* Sums of the columns, or of the window as one column. */
static void sum(struct timeline *t, const struct timeline_row *row, const int64_t *edges,
		unsigned int nr, struct series_sum *sums)
{
	struct series *series = timeline_plot_series(t, row);
	struct trace_bin *bins;

	if (series) {
		series_columns(series, edges, nr, sums);
		return;
	}
	if (t->matches) {
		sum_matches(t, edges, nr, sums);
		return;
	}
	/* the density spreads the events of a sub-buffer over its span: too coarse for few */
	if (count_events(t, edges, nr, MOST_COUNTED, sums))
		return;
	bins = mem_array(nr, sizeof(*bins));
	trace_density(sched_trace(t->sched), edges[0], edges[nr], nr, bins);
	for (unsigned int i = 0; i < nr; i++)
		sums[i] = (struct series_sum){ .events = bins[i].events };
	free(bins);
}

static bool has_values(const struct timeline *t, const struct timeline_row *row)
{
	struct series *series = timeline_plot_series(t, row);

	return series && series_has_values(series);
}

/* --- cells ------------------------------------------------------------------------------- */

static void draw_ticks(const struct timeline *t, const struct series_sum *sums,
		       struct timeline_cell *cells)
{
	uint64_t most = 0;

	for (unsigned int i = 0; i < t->columns; i++)
		most = sums[i].events > most ? sums[i].events : most;
	for (unsigned int i = 0; i < t->columns; i++) {
		if (!sums[i].events)
			timeline_put(&cells[i], " ", TIMELINE_TEXT, SCHED_NO_TASK);
		else
			timeline_put_count(t, &cells[i], sums[i].events, most, TIMELINE_VALUE);
	}
}

/* The values that bars stand between: from 0, unless they are all alike. */
static bool scale(const struct series_sum *sums, unsigned int nr, double *low, double *high)
{
	bool any = false;

	for (unsigned int i = 0; i < nr; i++) {
		double least = sums[i].events ? (double)sums[i].least : (double)sums[i].value;
		double most = sums[i].events ? (double)sums[i].most : (double)sums[i].value;

		if (!sums[i].events && !sums[i].held)
			continue;
		*low = !any || least < *low ? least : *low;
		*high = !any || most > *high ? most : *high;
		any = true;
	}
	if (any && *low > 0 && *low < *high / 2)
		*low = 0;
	return any;
}

static void draw_values(const struct timeline *t, const struct series_sum *sums,
			struct timeline_cell *cells)
{
	double low = 0, high = 0;
	bool any = scale(sums, t->columns, &low, &high);

	for (unsigned int i = 0; i < t->columns; i++) {
		double value = sums[i].events ? (double)sums[i].most : (double)sums[i].value;

		if (!any || (!sums[i].events && !sums[i].held))
			timeline_put(&cells[i], " ", TIMELINE_TEXT, SCHED_NO_TASK);
		else
			timeline_put_bar(t, &cells[i],
					 high > low ? (value - low) / (high - low) : 0.5,
					 sums[i].events ? TIMELINE_VALUE : TIMELINE_HELD);
	}
}

void timeline_plot_draw(struct timeline *t, const struct timeline_row *row,
			struct timeline_cell *cells)
{
	struct series_sum *sums = mem_array(t->columns, sizeof(*sums));

	sum(t, row, t->edges, t->columns, sums);
	if (has_values(t, row))
		draw_values(t, sums, cells);
	else
		draw_ticks(t, sums, cells);
	free(sums);
}

/* --- words ------------------------------------------------------------------------------- */

void timeline_plot_short(int64_t v, struct text *out)
{
	static const char units[] = "kMGTPE";
	double size = v < 0 ? -(double)v : (double)v;
	const char *sign = v < 0 ? "-" : "";
	unsigned int unit = 0;

	if (size < (v < 0 ? 1000 : 10000)) {
		text_printf(out, "%" PRId64, v);
		return;
	}
	for (size /= 1000; size >= 999.5; size /= 1000)
		unit++;
	text_printf(out, "%s%.*f%c", sign, size < 9.95 && v > 0 ? 1 : 0, size, units[unit]);
}

void timeline_plot_load(struct timeline *t, const struct timeline_row *row, struct text *out)
{
	const int64_t edges[] = { t->from, timeline_to(t) };
	struct series_sum all;

	sum(t, row, edges, 1, &all);
	if (has_values(t, row) && (all.events || all.held))
		timeline_plot_short(all.events ? all.most : all.value, out);
	else if (all.events)
		timeline_plot_short(all.events > INT64_MAX ? INT64_MAX : (int64_t)all.events, out);
}

static void add_event(const struct timeline *t, const struct series_event *event, bool values,
		      struct text *out)
{
	if (values)
		text_printf(out, "%" PRId64 " ", event->value);
	text_add(out, "at ");
	timeline_time(t, event->ts, 9, out);
	text_printf(out, " on CPU %d", event->cpu);
}

static void add_sum(const struct series_sum *s, bool values, bool about, const char *where,
		    struct text *out)
{
	if (about)
		text_add(out, "About ");
	if (s->events)
		text_count(out, s->events);
	else
		text_add(out, "No");
	text_printf(out, " event%s in the %s", PLURAL(s->events), where);
	if (values && s->events == 1)
		text_printf(out, ": %" PRId64, s->most);
	else if (values && s->events)
		text_printf(out, ", from %" PRId64 " to %" PRId64, s->least, s->most);
	text_char(out, '.');
}

/* The event before, and the next one. */
static void add_neighbours(const struct timeline *t, struct series *series, int64_t ts,
			   struct text *out)
{
	struct series_progress progress = series_progress(series);
	bool values = series_has_values(series);
	struct series_event event;

	if (series_before(series, ts, &event)) {
		text_add(out, values ? " Last: " : " Last ");
		add_event(t, &event, values, out);
		text_char(out, '.');
	}
	if (series_after(series, ts, &event)) {
		text_add(out, values ? " Next: " : " Next ");
		add_event(t, &event, values, out);
		text_char(out, '.');
	}
	if (progress.full)
		text_add(out, " Memory is full: there are more events.");
	else if (!progress.done)
		text_add(out, " ~ still counting.");
}

void timeline_plot_story(struct timeline *t, const struct timeline_row *row, int64_t ts,
			 struct text *out)
{
	int64_t column = ts < t->from ? -1 : (ts - t->from) / t->step;
	struct series *series = timeline_plot_series(t, row);
	const int64_t window[] = { t->from, timeline_to(t) };
	bool values = has_values(t, row);
	struct series_sum s;

	if (column >= 0 && column < (int64_t)t->columns) {
		sum(t, row, t->edges + column, 1, &s);
		add_sum(&s, values, !series && !t->matches && s.events, "column", out);
		text_char(out, ' ');
	}
	sum(t, row, window, 1, &s);
	add_sum(&s, values, !series && !t->matches && s.events, "window", out);
	if (t->matches && !matches_status(t->matches).exact)
		text_add(out, " ~ still counting.");
	if (series)
		add_neighbours(t, series, ts, out);
}
