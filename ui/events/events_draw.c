/* SPDX-License-Identifier: GPL-2.0-or-later */
/* events_draw - the rows of the Events view on the canvas, and the text shown if there are none. */
#include "ui/events/view_events.h"

#include <string.h>

#include "src/base/shorten.h"
#include "ui/view/latency_panel.h"
#include "ui/view/nothing_left.h"

static void draw_headings(struct view *view, struct canvas *canvas, int row)
{
	const struct columns *columns = &view->columns;

	for (int id = 0; id < NR_COLUMNS; id++) {
		const char *title = columns_title(columns, view->shared, id);

		if (!columns->width[id])
			continue;
		if (column_info(id)->right)
			canvas_right(canvas, row, columns->left[id], columns->width[id],
				     ROLE_HEADING, title);
		else
			canvas_fit(canvas, row, columns->left[id], columns->width[id], ROLE_HEADING,
				   title);
	}
	if (view->side)
		canvas_text(canvas, row, columns->left[COLUMN_WHAT] - 1, 1, ROLE_FOLD, "‹");
}

static enum role selected_role(const struct view *view)
{
	return view->detail.focused ? ROLE_SELECTED_INACTIVE : ROLE_SELECTED;
}

static void highlight(const struct view *view, struct canvas *canvas, int row, int col,
		      const char *s, int cells, bool current)
{
	size_t len = strlen(s), from = 0, start, end;

	if (!view->shared->chosen.pattern)
		return;
	while (search_pattern_find(view->shared->chosen.pattern, s, len, from, &start, &end)) {
		int left = canvas_width(s, start), width = canvas_width(s + start, end - start);

		if (left >= cells)
			break;
		canvas_over(canvas, row, col + left, left + width > cells ? cells - left : width,
			    current ? ROLE_MATCH_CURRENT : ROLE_MATCH);
		from = end;
	}
}

static void draw_what(struct view *view, struct canvas *canvas, int y,
		      const struct row_line_ref *line, enum role role, struct text *t)
{
	const struct columns *columns = &view->columns;
	int left = columns->left[COLUMN_WHAT], width = columns->width[COLUMN_WHAT];
	struct text whole = { 0 };
	size_t indent = 0;

	if (line->frame) {
		text_printf(&whole, "    %s", text_str(&line->row->frames[line->frame - 1]));
	} else {
		events_indent(view, line->row, &whole);
		indent = whole.len;
		events_what(view, line->row, &whole);
	}
	text_clear(t);
	if (view->side) {
		size_t skip = canvas_prefix(text_str(&whole), whole.len, view->side, NULL);

		shorten_end(text_str(&whole) + skip, width, t);
	} else {
		text_bytes(t, text_str(&whole), indent);
		shorten_event(text_str(&whole) + indent, width - canvas_width(t->data, indent), t);
	}
	canvas_text(canvas, y, left, width, line->frame ? ROLE_SYMBOL : role, text_str(t));
	text_fini(&whole);
}

static void draw_column(struct view *view, struct canvas *canvas, int y,
			const struct row_line_ref *line, int id, struct text *t)
{
	const struct column_info *info = column_info(id);
	int left = view->columns.left[id], width = view->columns.width[id];
	struct column_cell cell = {
		.shared = view->shared, .line = line, .width = width, .cols = canvas->cols
	};
	enum role role = info->role ? info->role(&cell) : info->plain;

	text_clear(t);
	if (id == COLUMN_WHAT) {
		draw_what(view, canvas, y, line, role, t);
		return;
	}
	info->text(&cell, t);
	if (info->right)
		canvas_right(canvas, y, left, width, role, text_str(t));
	else
		canvas_fit(canvas, y, left, width, role, text_str(t));
}

static void draw_event(struct view *view, struct canvas *canvas, int y,
		       const struct row_line_ref *line, bool current)
{
	struct text shown[NR_COLUMNS] = { 0 };

	for (int id = 0; id < NR_COLUMNS; id++)
		if (view->columns.width[id] && (!line->frame || id == COLUMN_WHAT))
			draw_column(view, canvas, y, line, id, &shown[id]);
	if (line->row->filtered)
		canvas_over(canvas, y, 0, canvas->cols, ROLE_FILTERED);
	if (current)
		canvas_over(canvas, y, 0, canvas->cols, selected_role(view));
	for (int id = 0; id < NR_COLUMNS; id++) {
		if (shown[id].len && !column_info(id)->right)
			highlight(view, canvas, y, view->columns.left[id], text_str(&shown[id]),
				  view->columns.width[id], current);
		text_fini(&shown[id]);
	}
}

/* Lost events and damage span all columns. */
static void draw_gap(struct view *view, struct canvas *canvas, int y, const struct row *row)
{
	struct text t = { 0 };
	int used;

	text_add(&t, row->kind == TRACE_ROW_LOST ? "░ " : "! ");
	row_sentence(row, view->shared, shared_decimals(view->shared, canvas->cols), &t);
	if (canvas->cols >= 100 && row->kind == TRACE_ROW_LOST && row->lost_known)
		text_add(&t, "; the count is the kernel's");
	text_char(&t, ' ');
	used = canvas_fit(canvas, y, 1, canvas->cols - 1, row_role(row), text_str(&t));
	if (row->kind == TRACE_ROW_LOST)
		canvas_fill(canvas, y, 1 + used, canvas->cols - 1 - used, row_role(row), "░");
	text_fini(&t);
}

static bool matches(struct view *view, const struct row *row)
{
	size_t start, end;

	if (!view->shared->chosen.pattern)
		return false;
	text_clear(&view->line);
	events_line_of(view, row, &view->line);
	return search_pattern_find(view->shared->chosen.pattern, text_str(&view->line),
				   view->line.len, 0, &start, &end);
}

/* The column of the selected row's mark letter: after the time, or at the sign of lost rows. */
static int mark_col(const struct view *view, const struct row *row)
{
	if (!row->is_event)
		return 1;
	return view->columns.width[COLUMN_TIME] ?
		       view->columns.left[COLUMN_TIME] + view->columns.width[COLUMN_TIME] :
		       -1;
}

static void draw_margin(struct view *view, struct canvas *canvas, int y,
			const struct row_line_ref *line, bool current)
{
	const struct places *places = &view->shared->at.places;
	char letter[2] = { places_letter(places, line->row->ref), '\0' };
	enum role role = ROLE_MARK;

	if (!letter[0] && line->row->leaf_exit != TRACE_REF_NONE)
		letter[0] = places_letter(places, line->row->leaf_exit);
	if (line->frame)
		letter[0] = '\0';
	else if (!letter[0] && places_note_at(places, line->row->ref)) {
		letter[0] = '"';
		role = ROLE_NOTE;
	} else if (!letter[0] && matches(view, line->row)) {
		letter[0] = '/';
		role = ROLE_MATCH;
	}
	if (current)
		canvas_text(canvas, y, 0, 1, ROLE_TEXT, ">");
	else if (letter[0])
		canvas_text(canvas, y, 0, 1, role, letter);
	else if (trace_follows_dropped(view->shared->trace, line->row->ref) && !line->frame)
		canvas_text(canvas, y, 0, 1, ROLE_LOST, "░");
	/* The selected row keeps its sign, so a mark's letter goes to mark_col(). */
	if (current && letter[0] && role == ROLE_MARK && mark_col(view, line->row) >= 0) {
		canvas_text(canvas, y, mark_col(view, line->row), 1, ROLE_MARK, letter);
		canvas_over(canvas, y, mark_col(view, line->row), 1, selected_role(view));
	}
}

static void draw_line(struct view *view, struct canvas *canvas, int y,
		      const struct row_line_ref *line, bool current)
{
	const struct row *row = line->row;

	switch (row->kind) {
	case TRACE_ROW_EVENT:
		draw_event(view, canvas, y, line, current);
		break;
	case TRACE_ROW_LOST:
	case TRACE_ROW_DAMAGE:
		draw_gap(view, canvas, y, row);
		break;
	}
	if (current && !row->is_event)
		canvas_over(canvas, y, 0, canvas->cols, selected_role(view));
	draw_margin(view, canvas, y, line, current);
	if (current)
		canvas_over(canvas, y, 0, 1, ROLE_SELECTED);
}

static void draw_nothing_left(struct view *view, struct canvas *canvas, int top)
{
	struct text t = { 0 };

	text_add(&t, "No row matches the filter:  ");
	filters_text(&view->shared->chosen.filters, &t);
	nothing_left_draw(view->shared, canvas, top + 1, canvas->rows, text_str(&t),
			  "F all filters off   f edit it   z dim instead of hide");
	text_fini(&t);
}

static void draw_empty(struct view *view, struct canvas *canvas, int top)
{
	struct trace_status status = trace_status(view->shared->trace);

	if (view->rows.later) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM,
			    "Looking for rows that match the filter …");
		return;
	}
	if (filters_hiding(&view->shared->chosen.filters)) {
		draw_nothing_left(view, canvas, top);
		return;
	}
	if (view->shared->chosen.list.kind != LIST_ALL) {
		struct text t = { 0 };

		text_add(&t, "No rows of ");
		shared_list_name(view->shared, &t);
		text_add(&t, ".  o a or Tab: all rows");
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		text_fini(&t);
		return;
	}
	if (!status.complete) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM,
			    "Nothing has been read yet …");
		return;
	}
	if (shared_has_no_events(view->shared)) {
		nothing_draw(canvas, top + 1, "Histograms have no events: 8 shows their tables.");
		return;
	}
	if (shared_is_damaged(view->shared)) {
		nothing_draw(canvas, top + 1,
			     "The file is damaged, and no events are left in it.  :messages shows "
			     "what is wrong.");
		return;
	}
	if (trace_pipe(view->shared->trace) != TRACE_PIPE_NONE) {
		nothing_draw(canvas, top + 1, "Waiting for the first events from the pipe …");
		return;
	}
	if (trace_grows(view->shared->trace)) {
		nothing_draw(canvas, top + 1, "Waiting for the first events of this recording …");
		return;
	}
	nothing_draw(canvas, top + 1,
		     "The file is intact but has no events.\n"
		     "Tracing was off, a filter let nothing through, or all was overwritten.\n"
		     "ftop-trace info FILE shows its tracer, events and CPUs.\n"
		     "R records another one.");
}

void events_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	int panel = latency_panel_rows(view->shared, area->rows), top = area->top + panel + 1;

	view->kept_line = -1;
	view->body_top = top;
	latency_panel_draw(view->shared, canvas, area->top, panel);
	rows_set_height(&view->rows, area->top + area->rows - top);
	rows_fill(&view->rows);
	columns_fit_times(&view->columns, view->shared, view->rows.lines, view->rows.nr_lines,
			  canvas->cols);
	columns_layout(&view->columns, view->shared, canvas->cols);
	rows_set_room(&view->rows, (struct row_room){ view->columns.width[COLUMN_WHAT],
						      columns_text_has_name(&view->columns) });
	rows_set_gaps(&view->rows, columns_gaps(&view->columns));
	draw_headings(view, canvas, top - 1);
	view->shared->later |= view->rows.later;
	if (!view->rows.nr_lines)
		draw_empty(view, canvas, top);
	for (unsigned int i = 0; i < view->rows.nr_lines; i++)
		draw_line(view, canvas, top + (int)i, &view->rows.lines[i], i == view->rows.at);
}
