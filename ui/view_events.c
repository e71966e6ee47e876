/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_events - every record of the trace as a row, in time order, and what the
 * selected one says.
 */
#include <stdlib.h>
#include <string.h>

#include "src/filter_names.h"
#include "src/memory.h"
#include "ui/columns.h"
#include "ui/detail.h"
#include "ui/filter_terms.h"
#include "ui/rows.h"
#include "ui/shorten.h"
#include "ui/view.h"

#define SIDE_STEP	8		/* cells that → moves the text */
#define UNCUT		4096		/* cells: no column is as wide */

struct view {
	struct app	*app;
	struct shared	*shared;	/* borrowed */
	struct rows	 rows;
	struct columns	 columns;
	struct detail	 detail;
	struct text	 line;		/* reused */
	struct row	 scratch;	/* reused by searches */
	int		 side;		/* cells of the text left of the edge */
	int		 body_top;	/* first row of the list on the canvas, for the mouse */
	int		 kept_line;	/* where the cursor stood before the trace was read again; -1: no matter */
	int		 drag_from;	/* line where the button went down; -1: it is up */
};

static struct view *events_open(struct app *app, struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->app = app;
	view->shared = shared;
	view->drag_from = -1;
	view->kept_line = -1;
	rows_init(&view->rows, shared);
	detail_init(&view->detail);
	return view;
}

static void events_close(struct view *view)
{
	if (!view)
		return;
	rows_fini(&view->rows);
	detail_fini(&view->detail);
	text_fini(&view->line);
	row_fini(&view->scratch);
	free(view);
}

/* --- drawing ------------------------------------------------------------- */

static void draw_headings(struct view *view, struct canvas *canvas, int row)
{
	const struct columns *columns = &view->columns;

	for (int id = 0; id < NR_COLUMNS; id++) {
		const char *title = columns_title(columns, view->shared, id);

		if (!columns->width[id])
			continue;
		if (column_info(id)->right)
			canvas_right(canvas, row, columns->left[id], columns->width[id], ROLE_HEADING, title);
		else
			canvas_fit(canvas, row, columns->left[id], columns->width[id], ROLE_HEADING, title);
	}
	if (view->side && !trace_is_text(view->shared->trace))
		canvas_text(canvas, row, columns->left[COLUMN_WHAT] - 1, 1, ROLE_FOLD, "‹");
}

static enum role selected_role(const struct view *view)
{
	return view->detail.focused ? ROLE_SELECTED_INACTIVE : ROLE_SELECTED;
}

/* What a text column says of an event, uncut. */
static void what_text(const struct view *view, const struct row *row, struct text *out)
{
	if (row->is_stack)
		text_add(out, rows_is_open(&view->rows, row->ref) ? "▾ " : "▸ ");
	else if (columns_text_has_name(&view->columns) && !row->says_itself)
		text_printf(out, "%s ", row->unknown ? "?" : text_str(&row->name));
	text_add(out, text_str(&row->what));
}

/* The line as the columns show it, nothing of it cut; what lies between two rows is left out. */
static void line_text(const struct view *view, const struct row *row, struct text *out)
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
	what_text(view, row, out);
}

static void highlight(const struct view *view, struct canvas *canvas, int row, int col, const char *s, int cells,
		      bool current)
{
	size_t len = strlen(s), from = 0, start, end;

	if (!view->shared->pattern)
		return;
	while (search_pattern_find(view->shared->pattern, s, len, from, &start, &end)) {
		int left = canvas_width(s, start), width = canvas_width(s + start, end - start);

		if (left >= cells)
			break;
		canvas_over(canvas, row, col + left, left + width > cells ? cells - left : width,
			    current ? ROLE_MATCH_CURRENT : ROLE_MATCH);
		from = end;
	}
}

static void draw_what(struct view *view, struct canvas *canvas, int y, const struct row_line_ref *line, struct text *t)
{
	const struct columns *columns = &view->columns;
	int left = columns->left[COLUMN_WHAT], width = columns->width[COLUMN_WHAT];
	struct text whole = { 0 };
	enum role role = column_info(COLUMN_WHAT)->role(view->shared, line);

	if (line->frame)
		text_printf(&whole, "    %s", text_str(&line->row->frames[line->frame - 1]));
	else
		what_text(view, line->row, &whole);
	text_clear(t);
	if (view->side) {
		size_t skip = canvas_prefix(text_str(&whole), whole.len, view->side, NULL);

		shorten_end(text_str(&whole) + skip, width, t);
	} else {
		shorten_event(text_str(&whole), width, t);
	}
	canvas_text(canvas, y, left, width, line->frame ? ROLE_SYMBOL : role, text_str(t));
	text_fini(&whole);
}

static void draw_column(struct view *view, struct canvas *canvas, int y, const struct row_line_ref *line, int id,
			struct text *t)
{
	const struct column_info *info = column_info(id);
	int left = view->columns.left[id], width = view->columns.width[id];
	enum role role = info->role(view->shared, line);

	text_clear(t);
	if (id == COLUMN_WHAT) {
		draw_what(view, canvas, y, line, t);
		return;
	}
	info->text(view->shared, line, width, canvas->cols, t);
	if (info->right)
		canvas_right(canvas, y, left, width, role, text_str(t));
	else
		canvas_fit(canvas, y, left, width, role, text_str(t));
}

static void draw_event(struct view *view, struct canvas *canvas, int y, const struct row_line_ref *line, bool current)
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
			highlight(view, canvas, y, view->columns.left[id], text_str(&shown[id]), view->columns.width[id],
				  current);
		text_fini(&shown[id]);
	}
}

/* Lost events and damage stand across all columns. */
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

static void draw_text_row(struct view *view, struct canvas *canvas, int y, const struct row *row)
{
	size_t skip = canvas_prefix(text_str(&row->what), row->what.len, view->side, NULL);

	canvas_fit(canvas, y, 1, canvas->cols - 1, ROLE_TEXT, text_str(&row->what) + skip);
	highlight(view, canvas, y, 1, text_str(&row->what) + skip, canvas->cols - 1, false);
}

static bool matches(struct view *view, const struct row *row)
{
	size_t start, end;

	if (!view->shared->pattern)
		return false;
	text_clear(&view->line);
	line_text(view, row, &view->line);
	return search_pattern_find(view->shared->pattern, text_str(&view->line), view->line.len, 0, &start, &end);
}

/* Where the selected row has its mark's letter: behind the time, at the sign of lost rows, at the end of text. */
static int mark_col(const struct view *view, const struct canvas *canvas, const struct row *row)
{
	if (row->kind == TRACE_ROW_TEXT)
		return canvas->cols - 1;
	if (row->kind != TRACE_ROW_EVENT)
		return 1;
	return view->columns.width[COLUMN_TIME] ? view->columns.left[COLUMN_TIME] + view->columns.width[COLUMN_TIME] : -1;
}

static void draw_margin(struct view *view, struct canvas *canvas, int y, const struct row_line_ref *line, bool current)
{
	char letter[2] = { places_letter(&view->shared->places, line->row->ref), '\0' };
	enum role role = ROLE_MARK;

	if (line->frame)
		letter[0] = '\0';
	else if (!letter[0] && places_note_at(&view->shared->places, line->row->ref)) {
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
	/* The selected row keeps its sign: a mark's letter then stands behind the time, or what is there instead. */
	if (current && letter[0] && role == ROLE_MARK && mark_col(view, canvas, line->row) >= 0) {
		canvas_text(canvas, y, mark_col(view, canvas, line->row), 1, ROLE_MARK, letter);
		canvas_over(canvas, y, mark_col(view, canvas, line->row), 1, selected_role(view));
	}
}

static void draw_line(struct view *view, struct canvas *canvas, int y, const struct row_line_ref *line, bool current)
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
	case TRACE_ROW_TEXT:
		draw_text_row(view, canvas, y, row);
		break;
	}
	if (current && row->kind != TRACE_ROW_EVENT)
		canvas_over(canvas, y, 0, canvas->cols, selected_role(view));
	draw_margin(view, canvas, y, line, current);
	if (current)
		canvas_over(canvas, y, 0, 1, ROLE_SELECTED);
}

static void publish(struct view *view)
{
	const struct row *row = rows_here(&view->rows);
	struct shared *shared = view->shared;

	shared->here.ref = TRACE_REF_NONE;
	shared->here_cpu = -1;
	if (!row)
		return;
	shared->here = (struct place){ row->ref, row->ts };
	shared->here_cpu = row->cpu;
	shared->here_line = view->rows.at;
	filters_focus(&shared->filters, row->ts);
	shared->window_from = view->rows.lines[0].row->key;
	shared->window_to = view->rows.lines[view->rows.nr_lines - 1].row->key;
	detail_load(&view->detail, shared, row);
}

static void draw_nothing_left(struct view *view, struct canvas *canvas, int top)
{
	struct text t = { 0 };

	text_add(&t, "The filter keeps no row:  ");
	filters_text(&view->shared->filters, &t);
	canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
	text_clear(&t);
	if (filters_blame(&view->shared->filters, &view->shared->places, &t))
		canvas_fit(canvas, top + 2, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
	canvas_text(canvas, top + 4, 2, canvas->cols - 3, ROLE_DIM, "F all filters off   f edit it   z dim instead of hide");
	text_fini(&t);
}

static void draw_empty(struct view *view, struct canvas *canvas, int top)
{
	struct trace_status status = trace_status(view->shared->trace);

	if (view->rows.later) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM, "Looking for rows that the filter keeps …");
		return;
	}
	if (filters_hiding(&view->shared->filters)) {
		draw_nothing_left(view, canvas, top);
		return;
	}
	if (view->shared->list.kind != LIST_ALL) {
		struct text t = { 0 };

		text_add(&t, "No rows of ");
		shared_list_name(view->shared, &t);
		text_add(&t, ".  o a or Tab: all rows");
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		text_fini(&t);
		return;
	}
	if (!status.complete) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM, "Nothing read so far …");
		return;
	}
	if (shared_nr_notes(view->shared)) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT,
			    "The file is damaged, and no events are left in it.  :messages says what is wrong.");
		return;
	}
	canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, "The file is sound and holds no events.");
	canvas_text(canvas, top + 3, 2, canvas->cols - 3, ROLE_DIM,
		    "Tracing was off, a filter let nothing through, or all was overwritten.");
	canvas_text(canvas, top + 4, 2, canvas->cols - 3, ROLE_DIM,
		    "ftop-trace info FILE says what it tells of tracer, events and each CPU.");
	canvas_text(canvas, top + 5, 2, canvas->cols - 3, ROLE_DIM, "R records another one.");
}

static void events_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	bool text = trace_is_text(view->shared->trace);
	int top = area->top;

	view->kept_line = -1;
	view->body_top = text ? top : ++top;
	rows_set_height(&view->rows, area->top + area->rows - top);
	rows_fill(&view->rows);
	columns_fit_times(&view->columns, view->shared, view->rows.lines, view->rows.nr_lines, canvas->cols);
	columns_layout(&view->columns, view->shared, canvas->cols);
	if (!text)
		draw_headings(view, canvas, top - 1);
	publish(view);
	view->shared->later |= view->rows.later;
	if (!view->rows.nr_lines)
		draw_empty(view, canvas, top);
	for (unsigned int i = 0; i < view->rows.nr_lines; i++)
		draw_line(view, canvas, top + (int)i, &view->rows.lines[i], i == view->rows.at);
}

static int events_detail_rows(struct view *view, int normal, int most)
{
	if (!normal && !view->detail.focused)
		return 0;
	if (view->detail.focused) {
		int wanted = (int)view->detail.nr < most - 1 ? (int)view->detail.nr : most - 1;

		if (wanted > normal)
			normal = wanted;
	}
	return 1 + normal;
}

static void events_draw_detail(struct view *view, const struct view_area *area, int max_rows)
{
	const struct row *row = rows_here(&view->rows);

	(void)max_rows;
	if (row)
		detail_draw(&view->detail, view->shared, row, area);
}

/* --- requests ------------------------------------------------------------ */

static void open_stack(struct view *view, bool all_the_same)
{
	const struct row *row = rows_here(&view->rows);
	trace_ref stack = row ? rows_stack_of(&view->rows, row) : TRACE_REF_NONE;

	if (stack != TRACE_REF_NONE && !rows_is_open(&view->rows, stack)) {
		rows_open(&view->rows, stack, true);
		return;
	}
	if (all_the_same)
		app_message(view->app, stack == TRACE_REF_NONE ? "no stack was recorded with this row" :
								 "the stack is open already");
	else
		view->side += SIDE_STEP;
}

static void close_stack(struct view *view, bool all_the_same)
{
	const struct row *row = rows_here(&view->rows);
	trace_ref stack = row ? rows_stack_of(&view->rows, row) : TRACE_REF_NONE;

	if (!all_the_same && view->side) {
		view->side = view->side > SIDE_STEP ? view->side - SIDE_STEP : 0;
		return;
	}
	if (stack != TRACE_REF_NONE && rows_is_open(&view->rows, stack)) {
		trace_ref here = row->ref;

		rows_open(&view->rows, stack, false);
		rows_go(&view->rows, here);
	} else if (all_the_same) {
		app_message(view->app, "no stack is open here");
	}
}

static void find_from_here(struct view *view, enum find_kind kind, bool forward)
{
	const struct row *row = rows_here(&view->rows);
	struct find find = { .kind = kind, .forward = forward };

	if (!row)
		return;
	find.file = row->file;
	find.pid = row->pid;
	find.cpu = row->cpu;
	find.type_id = row->type_id;
	if (kind == FIND_SLOW) {
		find.what = "slow place";
	} else if (row->kind == TRACE_ROW_TEXT && (kind == FIND_NAME || row->pid < 0)) {
		app_message(view->app, kind == FIND_NAME ? "lines of latency text are of no event type: / searches them"
							 : "this line tells no task");
		return;
	} else if (row->kind != TRACE_ROW_EVENT && row->kind != TRACE_ROW_TEXT) {
		app_message(view->app, "this row is no event: it has no task and no name");
		return;
	} else {
		find.what = kind == FIND_TASK ? "event of this task" : "event of this name";
	}
	app_find(view->app, &find);
}

/* Enter on a field: a pid, an address or a time leads somewhere. */
static void enter_field(struct view *view)
{
	const struct words_field *f = detail_field(&view->detail);
	const struct row *row = rows_here(&view->rows);
	const char *name;
	long long value;
	char *end;
	size_t len;

	if (!f || !row)
		return;
	name = text_str(&f->name);
	len = strlen(name);
	value = strtoll(text_str(&f->raw), &end, 0);
	app_entering(view->app);
	if (len >= 3 && !strcmp(name + len - 3, "pid") && !*end) {
		struct find find = { .kind = FIND_PID, .forward = true, .file = row->file, .pid = (int)value,
				     .cpu = -1, .what = "event of this pid" };

		app_find(view->app, &find);
		return;
	}
	if (view->shared->has_span && !*end && value >= view->shared->first && value <= view->shared->last &&
	    value > 1000000) {
		app_jump_time(view->app, value, -1);
		return;
	}
	if (f->printed.len && !strncmp(text_str(&f->raw), "0x", 2)) {
		struct text symbol = { 0 };

		text_bytes(&symbol, f->printed.data, strcspn(f->printed.data, "+ ("));
		app_search_for(view->app, text_str(&symbol), true);
		text_fini(&symbol);
		return;
	}
	app_message(view->app, "%s is no pid, address or time of this trace: it leads nowhere", name);
}

static bool fields_request(struct view *view, enum request request)
{
	switch ((int)request) {
	case REQ_DOWN:
		detail_move(&view->detail, 1);
		return true;
	case REQ_UP:
		detail_move(&view->detail, -1);
		return true;
	case REQ_PAGE_DOWN:
	case REQ_HALF_DOWN:
		detail_move(&view->detail, 8);
		return true;
	case REQ_PAGE_UP:
	case REQ_HALF_UP:
		detail_move(&view->detail, -8);
		return true;
	case REQ_FIRST:
		detail_move(&view->detail, -(int)view->detail.nr);
		return true;
	case REQ_LAST:
		detail_move(&view->detail, (int)view->detail.nr);
		return true;
	case REQ_ENTER:
		enter_field(view);
		return true;
	case REQ_BACK:
	case REQ_CANCEL:
	case REQ_INTERRUPT:
	case REQ_LEFT:
		view->detail.focused = false;
		return true;
	case REQ_RIGHT:
		return true;
	default:
		return false;
	}
}

static void focus_fields(struct view *view)
{
	const struct row *row = rows_here(&view->rows);

	if (!row || row->kind != TRACE_ROW_EVENT) {
		app_message(view->app, "this row has no fields");
		return;
	}
	detail_load(&view->detail, view->shared, row);
	if (view->detail.nr)
		view->detail.focused = true;
	else
		app_message(view->app, "the fields of this event are not known");
}

static void copy_stack(struct view *view, const struct row *row)
{
	trace_ref ref = rows_stack_of(&view->rows, row);
	struct trace_event event;
	struct text *lines, all = { 0 };
	unsigned int nr;

	if (ref == TRACE_REF_NONE || !trace_event_at(view->shared->trace, ref, &event)) {
		app_message(view->app, "no stack was recorded with this row");
		return;
	}
	nr = trace_event_stack(view->shared->trace, &event, &lines);
	for (unsigned int i = 0; i < nr; i++) {
		text_printable(&all, text_str(&lines[i]), lines[i].len);
		text_char(&all, '\n');
	}
	trace_stack_free(lines, nr);
	app_copy(view->app, "stack", text_str(&all), all.len);
	text_fini(&all);
}

static bool copy(struct view *view, char letter)
{
	const struct row *row = rows_here(&view->rows);
	const struct words_field *f;

	if (!row)
		return true;
	switch (letter) {
	case 'y':
		text_clear(&view->line);
		line_text(view, row, &view->line);
		app_copy(view->app, "row", text_str(&view->line), view->line.len);
		return true;
	case 's':
		copy_stack(view, row);
		return true;
	case 'v':
		f = view->detail.focused ? detail_field(&view->detail) : NULL;
		if (f && f->printed.len)
			app_copy(view->app, "value", text_str(&f->printed), f->printed.len);
		else if (f)
			app_copy(view->app, "value", text_str(&f->raw), f->raw.len);
		else
			app_message(view->app, "a value is copied from among the fields: Enter, then y v");
		return true;
	}
	return false;
}

/* --- filters from the row under the cursor -------------------------------- */

/* The function of "schedule() {", of an exit with its name in a comment, of "schedule <-parent". */
static bool function_of(const struct row *row, struct text *out)
{
	const char *s = text_str(&row->what);

	if (!row->says_itself || row->is_stack)
		return false;
	s += strspn(s, "} /*");
	text_bytes(out, s, strcspn(s, " (;<"));
	return out->len > 0;
}

/* A field that has the name of something every event has is that of this event alone. */
static void filter_by_value(struct view *view, const struct row *row, bool without)
{
	const struct words_field *f = view->detail.focused ? detail_field(&view->detail) : NULL;
	struct text value = { 0 }, term = { 0 };

	if (!f) {
		app_message(view->app, "a value is chosen among the fields: Enter, then i v or x v");
		return;
	}
	filter_terms_quote(text_str(&f->raw), &value);
	if (filter_name_find(text_str(&f->name), NULL)) {
		text_printf(&term, "(%s: %s == %s)", text_str(&row->name), text_str(&f->name), text_str(&value));
		app_filter_by(view->app, NULL, text_str(&term), without);
	} else {
		app_filter_by(view->app, text_str(&f->name), text_str(&value), without);
	}
	text_fini(&value);
	text_fini(&term);
}

static void filter_from_here(struct view *view, char letter, bool without)
{
	const struct row *row = rows_here(&view->rows);
	struct text t = { 0 }, value = { 0 };

	if (!row || row->kind != TRACE_ROW_EVENT) {
		app_message(view->app, "this row is no event: it has no task and no name");
		return;
	}
	if (letter == 'i' || letter == 'x')
		letter = row->says_itself && !row->is_stack ? 'f' : 'e';
	switch (letter) {
	case 't':
		text_printf(&t, "%d", row->pid);
		app_filter_by(view->app, "pid", text_str(&t), without);
		break;
	case 'p':
		filter_terms_quote(text_str(&row->comm), &value);
		app_filter_by(view->app, "comm", text_str(&value), without);
		break;
	case 'e':
		app_filter_by(view->app, NULL, text_str(&row->name), without);
		break;
	case 'c':
		text_printf(&t, "%d", row->cpu);
		app_filter_by(view->app, "cpu", text_str(&t), without);
		break;
	case 'f':
		if (function_of(row, &t)) {
			filter_terms_quote(text_str(&t), &value);
			app_filter_by(view->app, "func", text_str(&value), without);
		} else {
			app_message(view->app, "this row tells no function: i e takes its event");
		}
		break;
	case 'h':
		app_filter_by(view->app, NULL, "(irq || softirq)", without);
		break;
	case 'v':
		filter_by_value(view, row, without);
		break;
	}
	text_fini(&t);
	text_fini(&value);
}

static bool events_request(struct view *view, enum request request, char letter)
{
	struct rows *rows = &view->rows;
	int page = rows->height > 1 ? (int)rows->height - 1 : 1;

	if (view->detail.focused && fields_request(view, request))
		return true;
	switch ((int)request) {
	case REQ_DOWN:
		return rows_move(rows, 1), true;
	case REQ_UP:
		return rows_move(rows, -1), true;
	case REQ_PAGE_DOWN:
		if (!rows_scroll(rows, page))
			rows_move(rows, page);
		return true;
	case REQ_PAGE_UP:
		if (!rows_scroll(rows, -page))
			rows_move(rows, -page);
		return true;
	case REQ_HALF_DOWN:
		if (!rows_scroll(rows, (page + 1) / 2))
			rows_move(rows, (page + 1) / 2);
		return true;
	case REQ_HALF_UP:
		if (!rows_scroll(rows, -(page + 1) / 2))
			rows_move(rows, -(page + 1) / 2);
		return true;
	case REQ_RIGHT:
		return open_stack(view, false), true;
	case REQ_LEFT:
		return close_stack(view, false), true;
	case REQ_FOLD_OPEN:
		return open_stack(view, true), true;
	case REQ_FOLD_CLOSE:
		return close_stack(view, true), true;
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
		rows_open_all(rows, request == REQ_OPEN_ALL);
		app_message(view->app, request == REQ_OPEN_ALL ? "all stacks are open" : "all stacks are closed");
		return true;
	case REQ_SIDE_RIGHT:
		view->side += view->columns.width[COLUMN_WHAT] / 2;
		return true;
	case REQ_SIDE_LEFT:
		view->side -= view->columns.width[COLUMN_WHAT] / 2;
		view->side = view->side < 0 ? 0 : view->side;
		return true;
	case REQ_RESET:
		view->side = 0;
		return rows_open_all(rows, false), true;
	case REQ_ENTER:
		return focus_fields(view), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return find_from_here(view, FIND_SLOW, request == REQ_SLOW_NEXT), true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return find_from_here(view, FIND_TASK, request == REQ_TRACK_NEXT), true;
	case REQ_SAME_NEXT:
	case REQ_SAME_PREV:
		return find_from_here(view, FIND_NAME, request == REQ_SAME_NEXT), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(view, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return copy(view, letter);
	}
	return false;
}

static void mark_dragged(struct view *view, int to)
{
	const struct row *a = view->rows.lines[view->drag_from].row, *b = view->rows.lines[to].row;

	view->shared->places.marks[0] = (struct place){ a->ref, a->ts };
	view->shared->places.marks[1] = (struct place){ b->ref, b->ts };
}

static void events_mouse(struct view *view, const struct ui_mouse *mouse)
{
	int line = mouse->row - view->body_top, last = (int)view->rows.nr_lines - 1;
	bool inside = line >= 0 && line <= last;

	switch (mouse->kind) {
	case UI_MOUSE_WHEEL_UP:
		rows_scroll(&view->rows, -3);
		return;
	case UI_MOUSE_WHEEL_DOWN:
		rows_scroll(&view->rows, 3);
		return;
	case UI_MOUSE_PRESS:
		view->drag_from = inside ? line : -1;
		if (inside) {
			view->detail.focused = false;
			rows_choose(&view->rows, line);
		}
		return;
	case UI_MOUSE_DRAG:
	case UI_MOUSE_RELEASE:
		if (view->drag_from >= 0 && view->drag_from <= last && inside && line != view->drag_from) {
			rows_choose(&view->rows, line);
			mark_dragged(view, line);
			detail_forget(&view->detail);
		}
		if (mouse->kind == UI_MOUSE_RELEASE)
			view->drag_from = -1;
		return;
	case UI_MOUSE_DOUBLE:
		if (inside) {
			rows_choose(&view->rows, line);
			focus_fields(view);
		}
		return;
	}
}

static void events_go(struct view *view, trace_ref ref)
{
	view->detail.focused = false;
	if (view->kept_line >= 0)
		rows_go_to_line(&view->rows, ref, (unsigned int)view->kept_line);
	else
		rows_go(&view->rows, ref);
	view->kept_line = -1;
	publish(view);
}

static void events_changed(struct view *view)
{
	rows_forget(&view->rows);
	detail_forget(&view->detail);
}

/* Columns and what the user chose of them stay. */
static void events_retrace(struct view *view)
{
	unsigned int height = view->rows.height;

	view->kept_line = (int)view->rows.at;
	rows_fini(&view->rows);
	rows_init(&view->rows, view->shared);
	rows_set_height(&view->rows, height);
	detail_fini(&view->detail);
	row_clear(&view->scratch);
	view->side = 0;
	view->drag_from = -1;
}

static unsigned int events_nr_columns(struct view *view)
{
	(void)view;
	return NR_COLUMNS - 1;		/* the text is always there */
}

static const char *events_column(struct view *view, unsigned int i, bool *shown, const char **help)
{
	*shown = view->columns.width[i] > 0;
	*help = column_info(i)->help;
	return column_info(i)->name;
}

static void events_toggle_column(struct view *view, unsigned int i)
{
	columns_toggle(&view->columns, i);
	columns_layout(&view->columns, view->shared, view->columns.cols);
}

static void events_line(struct view *view, const struct trace_event *event, struct text *out)
{
	row_clear(&view->scratch);
	row_render(&view->scratch, view->shared, event);
	line_text(view, &view->scratch, out);
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

/* The columns shown, as wide as they are shown; the text whole. */
static void events_save_line(struct view *view, const struct trace_event *event, struct text *out)
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
			what_text(view, &row, &t);
		else
			column_info(id)->text(view->shared, &line, width, view->columns.cols, &t);
		if (column_info(id)->right)
			pad_to(out, start, left + width - canvas_width(text_str(&t), t.len));
		text_bytes(out, text_str(&t), t.len);
	}
	text_fini(&t);
	row_fini(&row);
}

static const char *events_pending_hint(struct view *view)
{
	return view->detail.focused ? "j k Choose  Enter Go there  i v Only  x v Without  y v Copy value  q Out" : NULL;
}

/* Lines of text have no fields, columns and event types; where there are no rows, nothing can be asked of them. */
static bool events_can(struct view *view, enum request request)
{
	static const enum request of_events[] = {
		REQ_ENTER, REQ_ONLY, REQ_WITHOUT, REQ_SAME_NEXT, REQ_TIME_FORMAT, REQ_COLUMNS,
	};
	static const enum request of_no_row[] = { REQ_HELP, REQ_OPTIONS };

	if (view->shared->here.ref == TRACE_REF_NONE) {
		if (request == REQ_FILTER)	/* a filter may have left nothing; an empty trace needs none */
			return trace_first(view->shared->trace) != TRACE_REF_NONE;
		for (size_t i = 0; i < sizeof(of_no_row) / sizeof(of_no_row[0]); i++)
			if (of_no_row[i] == request)
				return true;
		return false;
	}
	for (size_t i = 0; i < sizeof(of_events) / sizeof(of_events[0]); i++)
		if (of_events[i] == request)
			return !trace_is_text(view->shared->trace);
	return true;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_ONLY, REQ_WITHOUT, REQ_RIGHT, REQ_LEFT, REQ_TRACK_NEXT, REQ_SAME_NEXT, REQ_MARK_A, REQ_MARK_B, REQ_NOTE, REQ_COPY,
	REQ_NONE
};

static const enum request bar[] = {
	REQ_FILTER, REQ_SEARCH, REQ_GO, REQ_SLOW_NEXT, REQ_ONLY, REQ_WITHOUT, REQ_MARK_A, REQ_MARK_B, REQ_HELP,
	REQ_ENTER, REQ_TROUBLE_NEXT, REQ_TRACK_NEXT, REQ_SAME_NEXT, REQ_TIME_FORMAT, REQ_COLUMNS, REQ_DETAIL, REQ_NOTE, REQ_MARK_LIST, REQ_SAVE,
	REQ_OPTIONS, REQ_NONE
};

extern const struct view_ops view_events_ops;
const struct view_ops view_events_ops = {
	.digit = '1',
	.title = "Events",
	.hint = "New here: ? tells all keys",
	.row_requests = row_requests,
	.bar = bar,
	.open = events_open,
	.close = events_close,
	.draw = events_draw,
	.draw_detail = events_draw_detail,
	.detail_rows = events_detail_rows,
	.request = events_request,
	.mouse = events_mouse,
	.go = events_go,
	.retrace = events_retrace,
	.changed = events_changed,
	.nr_columns = events_nr_columns,
	.column = events_column,
	.toggle_column = events_toggle_column,
	.line = events_line,
	.save_line = events_save_line,
	.can = events_can,
	.pending_hint = events_pending_hint,
};
