/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_compare - the functions of the range beside those of the rest of the trace, in the
 * Functions view: what does not depend on how long the two are.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/call_scope.h"
#include "ui/functions/view_functions.h"

enum compare_kind { COMPARE_NAME, COMPARE_RATE, COMPARE_SHARE, COMPARE_TIME, COMPARE_TIMES };

static uint64_t calls_of(const struct function_row *row) { return row->total->calls + row->total->entries; }
static uint64_t self_of(const struct function_row *row) { return row->total->self; }
static uint64_t average_of(const struct function_row *row) { return row->average; }
static uint64_t p99_of(const struct function_row *row) { return row->p99; }
static uint64_t max_of(const struct function_row *row) { return row->total->max; }

/* The column behind each one of the range is that of the rest. */
static const struct compare_column {
	const char	*title;
	int		 cells;		/* with the blank before it */
	enum compare_kind kind;
	bool		 rest;
	uint64_t	(*value)(const struct function_row *row);
} columns[] = {
	{ "function", 0, COMPARE_NAME, false, NULL },
	{ "calls/s", 9, COMPARE_RATE, false, calls_of },
	{ "rest", 9, COMPARE_RATE, true, calls_of },
	{ "avg", 9, COMPARE_TIME, false, average_of },
	{ "rest", 9, COMPARE_TIME, true, average_of },
	{ "times", 8, COMPARE_TIMES, false, average_of },
	{ "%self", 7, COMPARE_SHARE, false, self_of },
	{ "rest", 7, COMPARE_SHARE, true, self_of },
	{ "p99", 9, COMPARE_TIME, false, p99_of },
	{ "rest", 9, COMPARE_TIME, true, p99_of },
	{ "max", 9, COMPARE_TIME, false, max_of },
	{ "rest", 9, COMPARE_TIME, true, max_of },
};
#define NR_COMPARE_COLUMNS (sizeof(columns) / sizeof(columns[0]))
#define TIMES_COLUMN	5u

/* --- the rest is counted ------------------------------------------------------------------- */

void functions_compare_drop(struct view *view)
{
	struct functions_compare *c = &view->compare;

	function_job_free(c->job);
	function_table_free(c->table);
	call_scope_drop(&c->scope);
	free(c->rows);
	c->job = NULL;
	c->table = NULL;
	c->rows = NULL;
}

static int by_address(const void *a, const void *b, void *arg)
{
	const struct function_row *rows = arg, *x = &rows[*(const uint32_t *)a], *y = &rows[*(const uint32_t *)b];

	return x->total->address < y->total->address ? -1 : x->total->address > y->total->address;
}

static uint32_t *sorted_rows(const struct function_table *table)
{
	uint32_t *sorted = mem_array(table->nr + 1, sizeof(*sorted));

	for (uint32_t i = 0; i < table->nr; i++)
		sorted[i] = i;
	if (table->nr)
		qsort_r(sorted, table->nr, sizeof(*sorted), by_address, table->rows);
	return sorted;
}

void functions_compare_match(struct view *view)
{
	struct functions_compare *c = &view->compare;
	uint32_t *here, *there, at = 0, found = 0;

	free(c->rows);
	c->rows = NULL;
	c->alone = 0;
	c->self = c->rest_self = 0;
	if (!c->on || !view->table || !c->table)
		return;
	here = sorted_rows(view->table);
	there = sorted_rows(c->table);
	c->rows = mem_array(view->table->nr + 1, sizeof(*c->rows));
	for (uint32_t i = 0; i < view->table->nr; i++) {
		uint64_t address = view->table->rows[here[i]].total->address;

		while (at < c->table->nr && c->table->rows[there[at]].total->address < address)
			at++;
		if (at < c->table->nr && c->table->rows[there[at]].total->address == address) {
			c->rows[here[i]] = &c->table->rows[there[at]];
			found++;
		}
		c->self += view->table->rows[i].total->self;
	}
	for (uint32_t i = 0; i < c->table->nr; i++)
		c->rest_self += c->table->rows[i].total->self;
	c->alone = c->table->nr - found;
	free(here);
	free(there);
}

/* Counts the rest, if it is to be seen. */
void functions_compare_work(struct view *view)
{
	struct functions_compare *c = &view->compare;
	struct trace *trace = view->shared->trace;

	if (!c->on || c->job || c->table || !view->has_calls)
		return;
	call_scope_take(&c->scope, view->shared, true);
	c->scope.outside = true;
	c->job = function_job_new(trace, view->file, &c->scope, trace_workers(trace));
}

/* True: something of it is new. */
bool functions_compare_progressed(struct view *view)
{
	struct functions_compare *c = &view->compare;
	struct function_table *table;
	bool is_done;

	if (!c->job)
		return false;
	is_done = function_job_permille(c->job) == 1000;
	table = function_job_take(c->job);
	if (table) {
		function_table_free(c->table);
		c->table = table;
		functions_sort(view);
	}
	if (is_done) {
		function_job_free(c->job);
		call_scope_drop(&c->scope);
		c->job = NULL;
	}
	return true;
}

void functions_compare(struct view *view)
{
	int64_t from, to;

	if (!view->compare.on && !shared_range(view->shared, &from, &to)) {
		app_message(view->app, "there is no range to compare with the rest: a, b and r make one");
		return;
	}
	view->compare.on = !view->compare.on;
	view->compare.sort = TIMES_COLUMN;
	view->inverted = false;
	if (!view->compare.on)
		functions_compare_drop(view);
	functions_compare_work(view);
	functions_sort(view);
}

/* --- values ---------------------------------------------------------------------------------- */

/* Of the range, or of the rest. */
static double seconds(const struct view *view, bool rest)
{
	const struct shared *shared = view->shared;
	int64_t from, to, span;

	if (!shared_range(shared, &from, &to))
		return 0;
	from = from > shared->first ? from : shared->first;
	to = to < shared->last ? to : shared->last;
	span = to > from ? to - from : 0;
	return (double)(rest ? shared->last - shared->first - span : span) / 1e9;
}

/* NaN: there is none. */
static double value_of(const struct view *view, uint32_t row, const struct compare_column *column)
{
	const struct functions_compare *c = &view->compare;
	const struct function_row *here = &view->table->rows[row], *there = c->rows ? c->rows[row] : NULL;
	const struct function_row *of = column->rest ? there : here;
	uint64_t all = column->rest ? c->rest_self : c->self;

	if (column->rest && !c->table)
		return NAN;
	switch (column->kind) {
	case COMPARE_RATE:
		return !of ? 0 : seconds(view, column->rest) > 0 ? (double)column->value(of) / seconds(view, column->rest) : NAN;
	case COMPARE_SHARE:
		return !of ? 0 : all ? 100.0 * (double)column->value(of) / (double)all : NAN;
	case COMPARE_TIME:
		return of && of->total->calls ? (double)column->value(of) : NAN;
	case COMPARE_TIMES:
		return there && here->total->calls && there->average ? (double)here->average / (double)there->average : NAN;
	case COMPARE_NAME:
		break;
	}
	return NAN;
}

/* The larger one first; those without one last. */
int functions_compare_order(const struct view *view, uint32_t i, uint32_t j)
{
	const struct compare_column *column = &columns[view->compare.sort];
	double x, y;

	if (column->kind == COMPARE_NAME)
		return strcmp(view->table->rows[i].name, view->table->rows[j].name);
	x = value_of(view, i, column);
	y = value_of(view, j, column);
	if (isnan(x) || isnan(y))
		return isnan(x) - isnan(y);
	return x < y ? 1 : x > y ? -1 : 0;
}

void functions_compare_sort_by(struct view *view, int step)
{
	view->compare.sort = (unsigned int)((int)(view->compare.sort + NR_COMPARE_COLUMNS) + step) % NR_COMPARE_COLUMNS;
	view->inverted = false;
	functions_sort(view);
}

/* --- the screen ------------------------------------------------------------------------------- */

void functions_compare_scope(const struct view *view, struct text *out)
{
	const struct functions_compare *c = &view->compare;

	text_add(out, " and the rest");
	if (c->job)
		text_printf(out, ", %u %% counted", function_job_permille(c->job) / 10);
	else if (c->alone)
		text_printf(out, ", which has %u more functions", c->alone);
}

static void add_value(double value, enum compare_kind kind, struct text *out)
{
	if (isnan(value))
		text_add(out, "–");
	else if (kind == COMPARE_TIME)
		text_duration(out, (uint64_t)value);
	else if (kind == COMPARE_TIMES)
		text_printf(out, value < 10 ? "×%.2f" : value < 1e5 ? "×%.0f" : "×%.0e", value);
	else if (kind == COMPARE_SHARE)
		text_printf(out, "%.1f", value);
	else if (value < 1e4)
		text_printf(out, value < 100 ? "%.1f" : "%.0f", value);
	else
		text_count(out, (uint64_t)value);
}

static int name_cells(const struct view *view)
{
	return functions_name_cells(view) - 1;
}

void functions_compare_headings(const struct view *view, struct canvas *canvas, int y)
{
	int col = 1 + name_cells(view);
	struct text t = { 0 };

	for (unsigned int i = 0; i < NR_COMPARE_COLUMNS; i++) {
		text_clear(&t);
		text_add(&t, columns[i].title);
		if (i == view->compare.sort)
			text_add(&t, view->inverted ? " ▴" : " ▾");
		if (!i)
			canvas_text(canvas, y, 1, name_cells(view), ROLE_HEADING, text_str(&t));
		else if (col + columns[i].cells <= canvas->cols)
			canvas_right(canvas, y, col + 1, columns[i].cells - 1, ROLE_HEADING, text_str(&t));
		col += columns[i].cells;
	}
	text_fini(&t);
}

void functions_compare_draw(struct view *view, struct canvas *canvas, int y, unsigned int i)
{
	uint32_t row = view->order[i];
	int col = 1 + name_cells(view);
	struct text t = { 0 };

	functions_draw_name(view, canvas, y, &view->table->rows[row], name_cells(view));
	for (unsigned int k = 1; k < NR_COMPARE_COLUMNS && col + columns[k].cells <= canvas->cols; k++) {
		text_clear(&t);
		add_value(value_of(view, row, &columns[k]), columns[k].kind, &t);
		canvas_right(canvas, y, col + 1, columns[k].cells - 1, columns[k].rest ? ROLE_DIM : ROLE_TEXT, text_str(&t));
		col += columns[k].cells;
	}
	text_fini(&t);
}

void functions_compare_text(const struct view *view, uint32_t row, struct text *out)
{
	text_printable(out, view->table->rows[row].name, strlen(view->table->rows[row].name));
	for (unsigned int i = 1; i < NR_COMPARE_COLUMNS; i++) {
		struct text t = { 0 };

		add_value(value_of(view, row, &columns[i]), columns[i].kind, &t);
		text_printf(out, "  %s %s", columns[i].title, text_str(&t) + strspn(text_str(&t), " "));
		text_fini(&t);
	}
}
