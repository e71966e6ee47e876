/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_text - a row of the Events view as a line of text. */
#include "ui/events/view_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define UNCUT		4096		/* cells: wider than any column */
#define NARROW		60		/* cells of the text column */
#define HIDDEN_CELLS	4		/* width of "‹12 " */

static void add_what(const struct columns *columns, const struct row *row, bool open,
		     struct text *out)
{
	if (row->is_stack)
		text_add(out, open ? "▾ " : "▸ ");
	else if (columns_text_has_name(columns) && !row->says_itself)
		text_printf(out, "%s ", row->unknown ? "?" : text_str(&row->name));
	text_add(out, text_str(&row->what));
}

static void add_line(const struct shared *shared, const struct columns *columns,
		     const struct row *row, bool open, struct text *out)
{
	struct row_line_ref line = { .row = row };
	struct column_cell cell = {
		.shared = shared, .line = &line, .width = UNCUT, .cols = columns->cols
	};

	if (!row->is_event) {
		row_sentence(row, shared, shared_decimals(shared, columns->cols), out);
		return;
	}
	for (int id = 0; id < COLUMN_WHAT; id++) {
		if (!columns->width[id] || (id >= COLUMN_DELTA && id <= COLUMN_DELAY) ||
		    id == COLUMN_DURATION)
			continue;
		column_info(id)->text(&cell, out);
		text_char(out, ' ');
	}
	add_what(columns, row, open, out);
}

/*
 * Two blanks a level, one where there is little room.  They take at most a third of the width: "‹12 "
 * says how many levels are left out.
 */
void events_indent(const struct view *view, const struct row *row, struct text *out)
{
	int width = view->columns.width[COLUMN_WHAT], step = width < NARROW ? 1 : 2;
	int levels = width / 3 / step;
	char hidden[16] = "";

	if (row->depth > levels) {
		levels = (width / 3 - HIDDEN_CELLS) / step;
		levels = levels < 0 ? 0 : levels;
		snprintf(hidden, sizeof(hidden), "‹%d ", row->depth - levels);
	} else {
		levels = row->depth;
	}
	text_add(out, hidden);
	text_pad(out, levels > 0 ? (size_t)(levels * step) : 0);
}

void events_what(const struct view *view, const struct row *row, struct text *out)
{
	add_what(&view->columns, row, row->is_stack && rows_is_open(&view->rows, row->ref), out);
}

void events_line_of(const struct view *view, const struct row *row, struct text *out)
{
	add_line(view->shared, &view->columns, row,
		 row->is_stack && rows_is_open(&view->rows, row->ref), out);
}

static void render(struct view *view, const struct trace_event *event, struct row *row)
{
	struct trace_event exit;
	bool leaf = leaf_calls_exit(view->shared->leaves, event, &exit);

	row_clear(row);
	row_render(row, view->shared, event, leaf ? &exit : NULL, &view->rows.room);
}

void events_line(struct view *view, const struct trace_event *event, struct text *out)
{
	render(view, event, &view->scratch);
	events_line_of(view, &view->scratch, out);
}

static void pad_to(struct text *out, size_t line_start, int cells)
{
	int width = canvas_width(out->data + line_start, out->len - line_start);

	text_pad(out, width < cells ? (size_t)(cells - width) : 0);
}

#define ABOVE_ROWS	8		/* lost and damage rows above the first row that is saved */

static bool above_of(struct view *view, trace_ref ref, int64_t *ts)
{
	struct trace_event event;

	row_cursor_seek(view->rows.cursor, ref);
	for (int i = 0; i < ABOVE_ROWS && row_cursor_prev(view->rows.cursor, &event); i++) {
		*ts = event.ts;
		if (trace_is_event(&event))
			return true;
	}
	return false;
}

void events_save_line(struct view *view, const struct trace_event *event, const int64_t *above,
		      struct text *out)
{
	size_t start = out->len;
	struct row row = { 0 };
	struct row_line_ref line = { .row = &row };
	struct column_cell cell = { .shared = view->shared,
				    .line = &line,
				    .cols = view->columns.cols };
	struct text t = { 0 };

	render(view, event, &row);
	if (!row.is_event) {
		row_sentence(&row, view->shared, shared_decimals(view->shared, view->columns.cols),
			     out);
		row_fini(&row);
		return;
	}
	line.has_above = above || above_of(view, event->ref, &line.above_ts);
	line.above_ts = above ? *above : line.above_ts;
	row_gaps_of(&view->rows, &row, line.gaps);
	for (int id = 0; id < NR_COLUMNS; id++) {
		int left = view->columns.left[id] - 1, width = view->columns.width[id];

		if (!width)
			continue;
		cell.width = width;
		text_clear(&t);
		pad_to(out, start, left);
		if (id == COLUMN_WHAT) {
			events_indent(view, &row, &t);
			events_what(view, &row, &t);
		} else {
			column_info(id)->text(&cell, &t);
		}
		if (column_info(id)->right)
			pad_to(out, start, left + width - canvas_width(text_str(&t), t.len));
		text_bytes(out, text_str(&t), t.len);
	}
	text_fini(&t);
	row_fini(&row);
}

/* --- for other threads ----------------------------------------------------- */

struct text_maker {
	struct line_maker base;
	struct shared	 shared;	/* a copy, so that later changes do not affect lines */
	struct columns	 columns;
	struct row_room	 room;
	struct filter	*filter;	/* owned: the filters that hide rows; or NULL */
};

/* The filters as one, for other threads. */
static struct filter *hiding_filter(const struct shared *shared)
{
	struct filter_error err = { 0 };
	struct text text = { 0 };
	struct filter *filter = NULL;

	if (filters_hiding(&shared->chosen.filters)) {
		filters_expression(&shared->chosen.filters, &text);
		filter = filters_parse(&shared->chosen.filters, text_str(&text), &shared->at.places,
				       &err);
		text_fini(&err.message);
		text_fini(&text);
	}
	return filter;
}

struct scratch {			/* what one thread works with */
	struct row	 row;
	struct leaf_calls *leaves;	/* owned; made for the first line */
	struct filter_run *run;		/* owned; runs the maker's filter */
};

static void *scratch_new(void)
{
	return mem_alloc(sizeof(struct scratch));
}

static void scratch_free(void *arg)
{
	struct scratch *scratch = arg;

	row_fini(&scratch->row);
	leaf_calls_free(scratch->leaves);
	filter_run_free(scratch->run);
	free(scratch);
}

/* Exits of leaf calls have no line, as in row_cursor_leaf(). */
static bool make_line(const void *arg, void *thread, const struct trace_event *event,
		      struct text *out)
{
	const struct text_maker *maker = arg;
	struct scratch *scratch = thread;
	struct trace_event other;
	bool leaf;

	if (!scratch->leaves) {
		scratch->leaves = leaf_calls_new(maker->shared.trace);
		scratch->run = maker->filter ? filter_run_new(maker->filter) : NULL;
	}
	if (leaf_calls_entry(scratch->leaves, event, &other) &&
	    (!scratch->run || filter_run_event(scratch->run, &other)))
		return false;
	leaf = leaf_calls_exit(scratch->leaves, event, &other);
	row_clear(&scratch->row);
	row_render(&scratch->row, &maker->shared, event, leaf ? &other : NULL, &maker->room);
	add_line(&maker->shared, &maker->columns, &scratch->row, false, out);
	return true;
}

static void free_maker(struct line_maker *base)
{
	struct text_maker *maker = (struct text_maker *)base;

	filter_free(maker->filter);
	text_fini(&base->key);
	free(maker);
}

struct line_maker *events_line_maker(struct view *view, bool words)
{
	struct text_maker *maker = mem_alloc(sizeof(*maker));
	const struct shared *shared = view->shared;
	const struct place *a = places_get(&shared->at.places, 'a');

	maker->shared = *shared;
	maker->columns = view->columns;
	maker->room = view->rows.room;
	maker->filter = hiding_filter(shared);
	if (words) {
		maker->columns.width[COLUMN_TIME] = 0;
		maker->columns.width[COLUMN_CPU] = 0;
	}
	maker->base = (struct line_maker){
		.lines = { make_line, scratch_new, scratch_free, maker, ROW_ADDS },
		.free = free_maker
	};
	if (maker->columns.width[COLUMN_PROCESS] || maker->columns.width[COLUMN_INSTANCE] ||
	    maker->columns.width[COLUMN_FILE])
		maker->base.lines.adds = NULL;	/* names that are not the event's */
	for (int id = 0; id < NR_COLUMNS; id++)
		text_char(&maker->base.key, maker->columns.width[id] ? 'x' : '-');
	text_printf(&maker->base.key, " %d %d %d %" PRId64 " %" PRId64, shared->look.time_format,
		    shared_text_cells(shared, maker->room.cells),
		    shared_decimals(shared, view->columns.cols),
		    shared->look.time_format == TIME_SINCE_A && a ? a->ts : 0,
		    shared->look.time_format == TIME_RELATIVE ? shared->at.first : 0);
	return &maker->base;
}
