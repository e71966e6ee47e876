/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_text - a row of the Events view as a line of text. */
#include "ui/events/view_events.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define UNCUT		4096		/* cells: wider than any column */

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

	if (row->kind != TRACE_ROW_EVENT) {
		row_sentence(row, shared, shared_decimals(shared, columns->cols), out);
		return;
	}
	for (int id = 0; id < COLUMN_WHAT; id++) {
		if (!columns->width[id] || id == COLUMN_DELTA || id == COLUMN_DURATION)
			continue;
		column_info(id)->text(&cell, out);
		text_char(out, ' ');
	}
	add_what(columns, row, open, out);
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

void events_line(struct view *view, const struct trace_event *event, struct text *out)
{
	row_clear(&view->scratch);
	row_render(&view->scratch, view->shared, event);
	events_line_of(view, &view->scratch, out);
}

static void pad_to(struct text *out, size_t line_start, int cells)
{
	int width = canvas_width(out->data + line_start, out->len - line_start);

	text_pad(out, width < cells ? (size_t)(cells - width) : 0);
}

/* The time of the row above, for columns that show the difference. */
static bool above_of(struct view *view, trace_ref ref, int64_t *ts)
{
	struct trace_event event;

	trace_cursor_seek(view->rows.plain, ref);
	if (!trace_cursor_prev(view->rows.plain, &event) || event.kind != TRACE_ROW_EVENT)
		return false;
	*ts = event.ts;
	return true;
}

void events_save_line(struct view *view, const struct trace_event *event, struct text *out)
{
	size_t start = out->len;
	struct row row = { 0 };
	struct row_line_ref line = { .row = &row };
	struct column_cell cell = { .shared = view->shared,
				    .line = &line,
				    .cols = view->columns.cols };
	struct text t = { 0 };

	row_render(&row, view->shared, event);
	if (row.kind != TRACE_ROW_EVENT) {
		row_sentence(&row, view->shared, shared_decimals(view->shared, view->columns.cols),
			     out);
		row_fini(&row);
		return;
	}
	line.has_above = above_of(view, event->ref, &line.above_ts);
	for (int id = 0; id < NR_COLUMNS; id++) {
		int left = view->columns.left[id] - 1, width = view->columns.width[id];

		if (!width)
			continue;
		cell.width = width;
		text_clear(&t);
		pad_to(out, start, left);
		if (id == COLUMN_WHAT)
			events_what(view, &row, &t);
		else
			column_info(id)->text(&cell, &t);
		if (column_info(id)->right)
			pad_to(out, start, left + width - canvas_width(text_str(&t), t.len));
		text_bytes(out, text_str(&t), t.len);
	}
	text_fini(&t);
	row_fini(&row);
}

/* --- for other threads ----------------------------------------------------- */

struct maker {
	struct line_maker base;
	struct shared	 shared;	/* a copy, so that later changes do not affect lines */
	struct columns	 columns;
};

/* A call may have a bracket or not: that depends on the records after it. */
static bool make_line(const void *arg, void *scratch, const struct trace_event *event,
		      unsigned int variant, struct text *out)
{
	const struct maker *maker = arg;
	struct row *row = scratch;
	size_t len = row->what.len;

	if (variant > 1)
		return false;
	if (!variant) {
		row_clear(row);
		row_render_alone(row, &maker->shared, event);
	} else if (row->says_itself && len > 2 && !strcmp(text_str(&row->what) + len - 2, " {")) {
		row->what.len = len - 2;
		text_char(&row->what, ';');
	} else {
		return false;
	}
	add_line(&maker->shared, &maker->columns, row, false, out);
	return true;
}

static void free_maker(struct line_maker *maker)
{
	text_fini(&maker->key);
	free(maker);
}

struct line_maker *events_line_maker(struct view *view, bool words)
{
	struct maker *maker = mem_alloc(sizeof(*maker));
	const struct shared *shared = view->shared;
	const struct place *a = places_get(&shared->places, 'a');

	maker->shared = *shared;
	maker->columns = view->columns;
	if (words) {
		maker->columns.width[COLUMN_TIME] = 0;
		maker->columns.width[COLUMN_CPU] = 0;
	}
	maker->base = (struct line_maker){
		.lines = { make_line, row_scratch_new, row_scratch_free, maker }, .free = free_maker
	};
	for (int id = 0; id < NR_COLUMNS; id++)
		text_char(&maker->base.key, maker->columns.width[id] ? 'x' : '-');
	text_printf(&maker->base.key, " %d %d %d %" PRId64 " %" PRId64, shared->time_format,
		    shared_text_style(shared), shared_decimals(shared, view->columns.cols),
		    shared->time_format == TIME_SINCE_A && a ? a->ts : 0,
		    shared->time_format == TIME_RELATIVE ? shared->first : 0);
	return &maker->base;
}
