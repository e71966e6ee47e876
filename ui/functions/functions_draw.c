/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_draw - the columns of the Functions view, its rows, and who calls whom. */
#include <string.h>

#include "src/base/shorten.h"
#include "ui/screen/list_window.h"
#include "ui/view/no_calls.h"
#include "ui/view/nothing_left.h"
#include "ui/functions/view_functions.h"

#define WIDE		120		/* columns from which on names have more room */
#define NAME_NARROW	23
#define NAME_WIDE	40
#define HEADINGS	2		/* what is counted; the columns */

static const struct column {
	const char	*title;
	int		 cells;		/* with the blank before it */
	bool		 is_time, of_calls;	/* of_calls: unknown where there are none */
	bool		 first_to_go;	/* where there is no room for all */
} columns[NR_FUNCTION_COLUMNS] = {
	[FUNCTION_NAME] = { "function", 0, false, false, false },
	[FUNCTION_CALLS] = { "calls", 9, false, false, false },
	[FUNCTION_TOTAL] = { "total", 9, true, false, false },
	[FUNCTION_SELF] = { "self", 9, true, false, false },
	[FUNCTION_NET] = { "net", 9, true, false, false },
	[FUNCTION_AVG] = { "avg", 9, true, true, true },
	[FUNCTION_P50] = { "p50", 9, true, true, false },
	[FUNCTION_P95] = { "p95", 9, true, true, true },
	[FUNCTION_P99] = { "p99", 9, true, true, false },
	[FUNCTION_MAX] = { "max", 10, true, true, false },
	[FUNCTION_DEVIATION] = { "stddev", 9, true, true, true },
	[FUNCTION_HISTOGRAM] = { "1 µs … 1 s", 13, false, true, false },
	[FUNCTION_LEAVES] = { "leaves", 9, false, false, true },
	[FUNCTION_OPEN] = { "open", 7, false, false, false },
	[FUNCTION_ORPHAN] = { "orphan", 9, false, false, false },
};

struct layout {
	int	name;				/* cells of it */
	int	left[NR_FUNCTION_COLUMNS];	/* of the column; 0: not shown */
	int	cells[NR_FUNCTION_COLUMNS];	/* with the blank before it: what the largest number takes */
};

int functions_name_cells(const struct view *view)
{
	return 1 + (view->shared->cols >= WIDE ? NAME_WIDE : NAME_NARROW);
}

static int width_of(const struct view *view, const struct layout *l, const bool *shown)
{
	int cells = functions_name_cells(view);

	for (int i = FUNCTION_CALLS; i < NR_FUNCTION_COLUMNS; i++)
		cells += shown[i] ? l->cells[i] : 0;
	return cells;
}

/* Times have as many cells as any; numbers may need more. */
static int cells_of(const struct view *view, enum function_column column)
{
	struct text t = { 0 };
	uint64_t most = 0;
	int cells;

	if (columns[column].is_time || column == FUNCTION_HISTOGRAM)
		return columns[column].cells;
	for (unsigned int i = 0; i < view->table->nr; i++) {
		uint64_t value = functions_value(&view->table->rows[i], column);

		most = value > most ? value : most;
	}
	text_count(&t, most);
	cells = 2 + (int)t.len;
	text_fini(&t);
	return cells > columns[column].cells ? cells : columns[column].cells;
}

/* From the right, and never the name and the sorted column. */
static void lay_out(const struct view *view, int cols, struct layout *l)
{
	bool shown[NR_FUNCTION_COLUMNS];
	int col = functions_name_cells(view);

	*l = (struct layout){ .name = col - 1 };
	for (int i = FUNCTION_CALLS; i < NR_FUNCTION_COLUMNS; i++)
		l->cells[i] = cells_of(view, (enum function_column)i);
	for (int i = 0; i < NR_FUNCTION_COLUMNS; i++)
		shown[i] = i == (int)view->sort || i > (int)view->left;
	for (int gone = 0; gone < 2; gone++)
		for (int i = NR_FUNCTION_COLUMNS - 1; i > FUNCTION_NAME && width_of(view, l, shown) > cols; i--)
			if (i != (int)view->sort && (gone || columns[i].first_to_go))
				shown[i] = false;
	for (int i = FUNCTION_CALLS; i < NR_FUNCTION_COLUMNS; i++) {
		if (!shown[i])
			continue;
		l->left[i] = col + 1;
		col += l->cells[i];
	}
}

/* --- cells ------------------------------------------------------------------------------ */

static void add_histogram(const struct function_row *row, struct text *out)
{
	static const char *const glyphs[] = { " ", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	uint64_t most = 1;

	for (unsigned int i = 0; i < FUNCTION_BINS; i++)
		if (row->histogram[i] > most)
			most = row->histogram[i];
	for (unsigned int i = 0; i < FUNCTION_BINS; i++) {
		double share = (double)row->histogram[i] / (double)most;

		text_add(out, glyphs[row->histogram[i] ? 1 + (int)(share * 7) : 0]);
	}
}

static void add_cell(const struct function_row *row, enum function_column i, struct text *out)
{
	uint64_t value = functions_value(row, i);
	char mark = text_duration_mark(value);

	if (i == FUNCTION_NAME)
		text_printable(out, row->name, strlen(row->name));
	else if (!row->total->calls && (columns[i].of_calls || (columns[i].is_time && row->total->entries)))
		text_add(out, "–");
	else if (i == FUNCTION_HISTOGRAM)
		add_histogram(row, out);
	else if (!columns[i].is_time)
		text_count(out, value);
	else {
		if (i == FUNCTION_MAX && mark != ' ')
			text_char(out, mark);
		text_duration(out, value);
	}
}

void functions_row_text(struct view *view, const struct function_row *row, struct text *out)
{
	if (view->compare.on) {
		functions_compare_text(view, (uint32_t)(row - view->table->rows), out);
		return;
	}
	for (int i = 0; i < NR_FUNCTION_COLUMNS; i++) {
		size_t at;

		if (i == FUNCTION_HISTOGRAM)
			continue;
		if (i)
			text_printf(out, "  %s ", columns[i].title);
		at = out->len;
		add_cell(row, (enum function_column)i, out);
		if (i && out->len > at) {		/* without the blanks that align */
			size_t blanks = strspn(out->data + at, " ");

			memmove(out->data + at, out->data + at + blanks, out->len - at - blanks + 1);
			out->len -= blanks;
		}
	}
}

enum role functions_slow_role(uint64_t ns)
{
	switch (text_duration_mark(ns)) {
	case '$':
		return ROLE_SLOW_1S;
	case '@':
		return ROLE_SLOW_100MS;
	case '*':
		return ROLE_SLOW_10MS;
	case '#':
		return ROLE_SLOW_1MS;
	case '!':
		return ROLE_SLOW_100US;
	case '+':
		return ROLE_SLOW_10US;
	}
	return ROLE_TEXT;
}

/* --- rows ------------------------------------------------------------------------------- */

void functions_draw_name(struct view *view, struct canvas *canvas, int y, const struct function_row *row, int cells)
{
	struct text name = { 0 }, cut = { 0 };
	size_t start, end;

	text_printable(&name, row->name, strlen(row->name));
	shorten_function(text_str(&name), cells, &cut);
	canvas_text(canvas, y, 1, cells, ROLE_EVENT_FUNCTION, text_str(&cut));
	if (view->shared->pattern && search_pattern_find(view->shared->pattern, text_str(&cut), cut.len, 0, &start, &end))
		canvas_over(canvas, y, 1 + canvas_width(text_str(&cut), start), canvas_width(text_str(&cut) + start, end - start),
			    ROLE_MATCH);
	text_fini(&name);
	text_fini(&cut);
}

static void draw_function(struct view *view, struct canvas *canvas, int y, unsigned int i, const struct layout *l)
{
	const struct function_row *row = &view->table->rows[view->order[i]];
	struct text t = { 0 };

	functions_draw_name(view, canvas, y, row, l->name);
	for (int c = FUNCTION_CALLS; c < NR_FUNCTION_COLUMNS; c++) {
		enum role role = c == FUNCTION_MAX ? functions_slow_role(row->total->max) : ROLE_TEXT;

		if (!l->left[c])
			continue;
		text_clear(&t);
		add_cell(row, (enum function_column)c, &t);
		canvas_right(canvas, y, l->left[c], l->cells[c] - 1, role, text_str(&t));
	}
	text_fini(&t);
}

static void draw_line(struct view *view, struct canvas *canvas, int y, unsigned int i, const struct layout *l)
{
	struct functions_line line = functions_line(view, i);
	struct text t = { 0 };

	if (line.kind == LINE_FUNCTION && view->compare.on) {
		functions_compare_draw(view, canvas, y, line.index);
	} else if (line.kind == LINE_FUNCTION) {
		draw_function(view, canvas, y, line.index, l);
	} else {
		functions_line_text(view, &line, &t);
		canvas_fit(canvas, y, 1, canvas->cols - 2, line.kind == LINE_LOOKING ? ROLE_DIM : ROLE_TEXT, text_str(&t));
	}
	text_fini(&t);
	if (i != view->at)
		return;
	canvas_over(canvas, y, 0, canvas->cols, ROLE_SELECTED);
	canvas_text(canvas, y, 0, 1, ROLE_TEXT, ">");
	canvas_over(canvas, y, 0, 1, ROLE_SELECTED);
}

/* --- headings ----------------------------------------------------------------------------- */

void functions_scope_text(struct view *view, struct text *out)
{
	const struct shared *shared = view->shared;
	int64_t from, to;

	if (shared_range(shared, &from, &to)) {
		text_add(out, "range ");
		shared_time(shared, from, 6, out);
		text_add(out, "–");
		shared_time(shared, to, 6, out);
		if (view->compare.on)
			functions_compare_scope(view, out);
	} else {
		text_add(out, "range whole");
	}
	text_add(out, "  filter ");
	if (filters_active(&shared->filters))
		filters_text(&shared->filters, out);
	else
		text_add(out, "none");
}

static void draw_scope(struct view *view, struct canvas *canvas, int y)
{
	bool wide = canvas->cols >= 100;
	struct text t = { 0 };

	for (const struct view_list *list = view_ops(VIEW_FUNCTIONS)->lists; list->letter; list++)
		text_printf(&t, list->letter == view->list ? "[%s] " : "%s ", list->name);
	text_char(&t, ' ');
	if (view->job)
		text_printf(&t, "%u %% counted  ", function_job_permille(view->job) / 10);
	if (trace_nr_files(view->shared->trace) > 1) {
		text_add(&t, "of ");
		shared_file_name(view->shared, view->file, &t);
		text_add(&t, "  ");
	}
	functions_scope_text(view, &t);
	if (view->table && view->table->inferred)
		text_add(&t, wide ? "  inferred: counts, no times" : "  inferred: no times");
	else if (view->table && view->table->nr && !view->table->has_away)
		text_add(&t, wide ? "  no sched_switch: self and net hold time off the CPU" : "  self, net hold sleep");
	if (view->table && !view->table->exact)
		text_add(&t, "  percentiles to 3 digits");
	if (view->list == 'f' && view->table && view->table->paths && !call_paths_are_whole(view->table->paths))
		text_add(&t, "  too many stacks: the rarest are cut short");
	canvas_fit(canvas, y, 1, canvas->cols - 2, ROLE_DIM, text_str(&t));
	text_fini(&t);
}

static void draw_headings(const struct view *view, struct canvas *canvas, int y, const struct layout *l)
{
	struct text t = { 0 };

	for (int i = 0; i < NR_FUNCTION_COLUMNS; i++) {
		text_clear(&t);
		text_add(&t, columns[i].title);
		if (i == (int)view->sort)
			text_add(&t, view->inverted ? " ▴" : " ▾");
		if (i == FUNCTION_NAME)
			canvas_text(canvas, y, 1, l->name, ROLE_HEADING, text_str(&t));
		else if (l->left[i])
			canvas_right(canvas, y, l->left[i], l->cells[i] - 1, ROLE_HEADING, text_str(&t));
	}
	text_fini(&t);
}

static void draw_empty(struct view *view, struct canvas *canvas, int top)
{
	struct text t = { 0 };

	if (!view->known || (view->has_calls && !view->table)) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM, "Nothing counted so far …");
		return;
	}
	if (!view->has_calls) {
		no_calls_draw(view->shared, canvas, top + 1);
		return;
	}
	text_add(&t, "No call is in  ");
	functions_scope_text(view, &t);
	nothing_left_draw(view->shared, canvas, top + 1, canvas->rows, text_str(&t),
			  "F all filters off   f edit the filter   r the whole range");
	text_fini(&t);
}

static void draw_flame(struct view *view, const struct view_area *area)
{
	struct text t = { 0 };

	if (functions_flame_refresh(view)) {
		functions_flame_draw(view, area);
		return;
	}
	text_printf(&t, "No %s here to make frames of: > has widths by another figure.", functions_flame_measure(view));
	canvas_fit(area->canvas, area->top + 2, 2, area->canvas->cols - 3, ROLE_DIM, text_str(&t));
	text_fini(&t);
}

void functions_draw(struct view *view, const struct view_area *area)
{
	unsigned int nr = view->table ? view->table->nr : 0;
	struct layout l;

	view->body_top = area->top + HEADINGS;
	view->height = area->rows > HEADINGS ? (unsigned int)(area->rows - HEADINGS) : 1;
	functions_flame_size(view, view->height, (uint32_t)(area->canvas->cols > 2 ? area->canvas->cols - 2 : 1));
	if (!nr) {
		draw_empty(view, area->canvas, area->top);
		return;
	}
	draw_scope(view, area->canvas, area->top);
	if (view->list == 'f') {
		draw_flame(view, area);
		return;
	}
	if (view->list == 'i') {
		functions_instances_draw(view, area);
		return;
	}
	nr = functions_nr_lines(view);
	view->top = list_window_show(view->top, view->at, view->height, nr);
	lay_out(view, area->canvas->cols, &l);
	if (view->compare.on)
		functions_compare_headings(view, area->canvas, area->top + 1);
	else
		draw_headings(view, area->canvas, area->top + 1, &l);
	for (unsigned int i = 0; i < view->height && view->top + i < nr; i++)
		draw_line(view, area->canvas, view->body_top + (int)i, view->top + i, &l);
}

/* --- the function under the cursor ---------------------------------------------------------- */

#define MOST_RELATIVES	20u		/* told; more have no room */

static void add_relatives(const struct view *view, const char *title, const struct relatives *relatives, struct text *out)
{
	struct text name = { 0 };

	text_add(out, title);
	if (!relatives->nr)
		text_add(out, " none");
	for (unsigned int i = 0; i < relatives->nr && i < MOST_RELATIVES; i++) {
		const struct relative *relative = &relatives->list[i];

		text_clear(&name);
		if (relative->address)
			function_name(view->shared->trace, view->file, relative->address, &name);
		else
			text_add(&name, "(outermost)");
		text_add(out, i ? " · " : " ");
		text_printable(out, text_str(&name), name.len);
		text_char(out, ' ');
		text_count(out, relative->calls);
	}
	text_fini(&name);
}

/* What of its time is exact. */
static void add_exactness(const struct call_total *total, struct text *out)
{
	if (total->calls && total->leaf_calls == total->calls) {
		text_add(out, "all leaves: exact");
	} else if (total->calls && !total->leaf_calls) {
		text_add(out, "no leaves: trees hold the tracer's cost");
	} else if (total->calls) {
		text_count(out, total->leaf_calls);
		text_add(out, total->leaf_calls == 1 ? " leaf avg " : " leaves avg ");
		text_duration(out, total->leaf_sum / total->leaf_calls);
		text_add(out, ", exact; ");
		text_count(out, total->calls - total->leaf_calls);
		text_add(out, total->calls - total->leaf_calls == 1 ? " tree avg " : " trees avg ");
		text_duration(out, (total->sum - total->leaf_sum) / (total->calls - total->leaf_calls));
		text_add(out, ", with the tracer's cost");
	} else {
		text_add(out, total->entries ? "counted by the tracer function, which tells no times" : "no call has an end here");
	}
}

void functions_draw_detail(struct view *view, const struct view_area *area, int max_rows)
{
	const struct function_row *row = functions_here(view);
	struct canvas *canvas = area->canvas;
	struct text t = { 0 };

	(void)max_rows;
	if (!row || area->rows < 1)
		return;
	if (view->list == 'f') {
		if (functions_flame_refresh(view))
			functions_flame_draw_detail(view, area);
		return;
	}
	functions_relatives(view);
	canvas_fill(canvas, area->top, 0, canvas->cols, ROLE_DIVIDER, "─");
	text_printable(&t, row->name, strlen(row->name));
	text_add(&t, "  ");
	add_exactness(row->total, &t);
	canvas_fit(canvas, area->top, 2, canvas->cols - 4, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	if (!view->table->paths)
		text_add(&t, "callers and callees are told when all is counted");
	else
		add_relatives(view, "callers:", &view->callers, &t);
	if (area->rows > 1)
		canvas_fit(canvas, area->top + 1, 1, canvas->cols - 2, ROLE_TEXT, text_str(&t));
	text_clear(&t);
	if (view->table->paths)
		add_relatives(view, "callees:", &view->callees, &t);
	if (area->rows > 2)
		canvas_fit(canvas, area->top + 2, 1, canvas->cols - 2, ROLE_TEXT, text_str(&t));
	text_fini(&t);
}
