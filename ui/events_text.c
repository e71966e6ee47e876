/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_text - a row of the Events view as a line of text. */
#include "ui/view_events.h"

#define UNCUT		4096		/* cells: no column is as wide */

void events_what(const struct view *view, const struct row *row, struct text *out)
{
	if (row->is_stack)
		text_add(out, rows_is_open(&view->rows, row->ref) ? "▾ " : "▸ ");
	else if (columns_text_has_name(&view->columns) && !row->says_itself)
		text_printf(out, "%s ", row->unknown ? "?" : text_str(&row->name));
	text_add(out, text_str(&row->what));
}

void events_line_of(const struct view *view, const struct row *row, struct text *out)
{
	const struct columns *columns = &view->columns;
	struct row_line_ref line = { .row = row };

	if (row->kind != TRACE_ROW_EVENT) {
		row_sentence(row, view->shared, shared_decimals(view->shared, columns->cols), out);
		return;
	}
	for (int id = 0; id < COLUMN_WHAT; id++) {
		if (!columns->width[id] || id == COLUMN_DELTA || id == COLUMN_DURATION)
			continue;
		column_info(id)->text(view->shared, &line, UNCUT, columns->cols, out);
		text_char(out, ' ');
	}
	events_what(view, row, out);
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

/* The row above, for the columns that show what lies between. */
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
	struct text t = { 0 };

	row_render(&row, view->shared, event);
	if (row.kind != TRACE_ROW_EVENT) {
		row_sentence(&row, view->shared, shared_decimals(view->shared, view->columns.cols), out);
		row_fini(&row);
		return;
	}
	line.has_above = above_of(view, event->ref, &line.above_ts);
	for (int id = 0; id < NR_COLUMNS; id++) {
		int left = view->columns.left[id] - 1, width = view->columns.width[id];

		if (!width)
			continue;
		text_clear(&t);
		pad_to(out, start, left);
		if (id == COLUMN_WHAT)
			events_what(view, &row, &t);
		else
			column_info(id)->text(view->shared, &line, width, view->columns.cols, &t);
		if (column_info(id)->right)
			pad_to(out, start, left + width - canvas_width(text_str(&t), t.len));
		text_bytes(out, text_str(&t), t.len);
	}
	text_fini(&t);
	row_fini(&row);
}
