/* SPDX-License-Identifier: GPL-2.0-or-later */
/* functions_table - the rows of the Functions view: their order, callers and callees, and what keys do. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/screen/list_window.h"
#include "ui/functions/view_functions.h"

#define HOT_PATH_STEPS	64

/* --- order ----------------------------------------------------------------------------- */

uint64_t functions_value(const struct function_row *row, enum function_column column)
{
	const struct call_total *total = row->total;

	switch (column) {
	case FUNCTION_CALLS:
		return total->calls + total->entries;
	case FUNCTION_HISTOGRAM:
		return total->calls;
	case FUNCTION_TOTAL:
		return total->total;
	case FUNCTION_SELF:
		return total->self;
	case FUNCTION_NET:
		return total->net;
	case FUNCTION_AVG:
		return row->average;
	case FUNCTION_P50:
		return row->p50;
	case FUNCTION_P95:
		return row->p95;
	case FUNCTION_P99:
		return row->p99;
	case FUNCTION_DEVIATION:
		return row->deviation;
	case FUNCTION_LEAVES:
		return total->leaf_calls;
	case FUNCTION_MAX:
		return total->max;
	case FUNCTION_OPEN:
		return total->unclosed;
	case FUNCTION_ORPHAN:
		return total->orphans;
	case FUNCTION_NAME:
	case NR_FUNCTION_COLUMNS:
		break;
	}
	return 0;
}

/* Equal ones stay in the order of the table. */
static int in_order(const void *a, const void *b, void *arg)
{
	const struct view *view = arg;
	uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
	const struct function_row *x = &view->table->rows[i], *y = &view->table->rows[j];
	int order;

	if (view->compare.on) {
		order = functions_compare_order(view, i, j);
	} else if (view->sort == FUNCTION_NAME) {
		order = strcmp(x->name, y->name);
	} else {
		uint64_t v = functions_value(x, view->sort), w = functions_value(y, view->sort);

		order = v < w ? 1 : v > w ? -1 : 0;
	}
	if (!order)
		return i < j ? -1 : i > j;
	return view->inverted ? -order : order;
}

void functions_sort(struct view *view)
{
	unsigned int nr = view->table ? view->table->nr : 0;

	for (unsigned int i = 0; i < nr; i++)
		view->order[i] = i;
	functions_compare_match(view);
	if (nr)
		qsort_r(view->order, nr, sizeof(*view->order), in_order, view);
	functions_open_find(view);
	if (view->at >= functions_nr_lines(view))
		view->at = nr ? functions_nr_lines(view) - 1 : 0;
	for (unsigned int i = 0; view->here && i < nr; i++)
		if (view->table->rows[view->order[i]].total->address == view->here)
			view->at = functions_line_of(view, i);
}

static void sort_by(struct view *view, int step)
{
	if (view->compare.on) {
		functions_compare_sort_by(view, step);
		return;
	}
	view->sort = (enum function_column)(((int)view->sort + NR_FUNCTION_COLUMNS + step) % NR_FUNCTION_COLUMNS);
	if (view->sort == FUNCTION_HISTOGRAM)
		view->sort = (enum function_column)((int)view->sort + step);
	view->inverted = false;
	functions_sort(view);
}

/* --- callers and callees --------------------------------------------------------------- */

void functions_drop_relatives(struct view *view)
{
	view->callers.nr = view->callees.nr = 0;
	view->relatives_of = 0;
}

static void add_relative(struct relatives *relatives, uint64_t address, const struct call_path *path)
{
	unsigned int i = 0;

	if (!path->calls)
		return;
	while (i < relatives->nr && relatives->list[i].address != address)
		i++;
	if (i == relatives->nr) {
		mem_grow(&relatives->list, relatives->nr, &relatives->cap);
		relatives->list[relatives->nr++] = (struct relative){ .address = address };
	}
	relatives->list[i].calls += path->calls;
	relatives->list[i].total += path->total;
}

static int by_total(const void *a, const void *b)
{
	const struct relative *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->calls != y->calls && !x->total)
		return x->calls < y->calls ? 1 : -1;
	return x->address < y->address ? -1 : x->address > y->address;
}

void functions_relatives_of(struct view *view, uint64_t function, struct relatives *callers, struct relatives *callees)
{
	const struct call_paths *paths = view->table ? view->table->paths : NULL;

	callers->nr = callees->nr = 0;
	for (uint32_t i = 1; function && paths && i < call_paths_nr(paths); i++) {
		const struct call_path *path = call_paths_at(paths, i), *above = call_paths_at(paths, path->parent);
		uint64_t caller = path->parent == CALL_PATH_ROOT ? 0 : above->address;

		if (path->address == function)
			add_relative(callers, caller, path);
		if (caller == function)
			add_relative(callees, path->address, path);
	}
	if (callers->nr)
		qsort(callers->list, callers->nr, sizeof(callers->list[0]), by_total);
	if (callees->nr)
		qsort(callees->list, callees->nr, sizeof(callees->list[0]), by_total);
}

void functions_relatives(struct view *view)
{
	const struct function_row *row = functions_here(view);

	if (!row || !view->table->paths || view->relatives_of == row->total->address)
		return;
	view->relatives_of = row->total->address;
	functions_relatives_of(view, view->relatives_of, &view->callers, &view->callees);
}

/* --- the cursor ------------------------------------------------------------------------ */

static const struct function_row *row_of(const struct view *view, uint64_t address)
{
	for (unsigned int i = 0; address && i < view->table->nr; i++)
		if (view->table->rows[i].total->address == address)
			return &view->table->rows[i];
	return NULL;
}

const struct function_row *functions_here(const struct view *view)
{
	const struct function_row *row;
	struct functions_line line;

	if (!view->table || view->at >= functions_nr_lines(view))
		return NULL;
	line = functions_line(view, view->at);
	if (line.kind == LINE_FUNCTION)
		return &view->table->rows[view->order[line.index]];
	row = row_of(view, functions_line_function(view, &line));
	return row ? row : row_of(view, view->open);
}

/* --- keys ------------------------------------------------------------------------------ */

void functions_select(struct view *view, int64_t row)
{
	unsigned int nr = functions_nr_lines(view);
	struct functions_line line;

	view->at = list_window_row(row, nr);
	if (!nr)
		return;
	line = functions_line(view, view->at);
	view->here = line.kind == LINE_FUNCTION ? functions_line_function(view, &line) : view->open;
}

static void scroll(struct view *view, int rows)
{
	view->top = list_window_scroll(view->top, rows, view->height, functions_nr_lines(view));
	functions_select(view, (int64_t)view->at + rows);
}

static bool move_request(struct view *view, enum request request)
{
	bool scrolls;
	int rows = request_rows(request, (int)view->height, &scrolls);

	if (rows)
		return scrolls ? scroll(view, rows) : functions_select(view, (int64_t)view->at + rows), true;
	if (request != REQ_FIRST && request != REQ_LAST)
		return false;
	return functions_select(view, request == REQ_FIRST ? 0 : INT64_MAX), true;
}

/* To the row of a caller or callee; false: it has none. */
static bool go_to_function(struct view *view, uint64_t address)
{
	for (unsigned int i = 0; i < view->table->nr; i++) {
		if (!address || view->table->rows[view->order[i]].total->address != address)
			continue;
		functions_select(view, functions_line_of(view, i));
		return true;
	}
	return false;
}

/* By Enter: q leads back. */
static void go_to_relative(struct view *view, uint64_t address)
{
	if (!go_to_function(view, address)) {
		app_message(view->app, "it has no row here");
		return;
	}
	if (view->nr_came == FUNCTIONS_CAME)
		memmove(view->came, view->came + 1, --view->nr_came * sizeof(view->came[0]));
	view->came[view->nr_came++] = view->open;
}

/* To where Enter came from; false: nowhere in this table. */
static bool back(struct view *view)
{
	while (view->nr_came)
		if (go_to_function(view, view->came[--view->nr_came]))
			return true;
	return false;
}

/* The next row with a larger figure, or a smaller one, of what is sorted by. */
static void to_slower(struct view *view, bool slower)
{
	enum function_column by = view->sort == FUNCTION_NAME || view->sort == FUNCTION_HISTOGRAM ? FUNCTION_TOTAL : view->sort;
	uint64_t here = functions_value(functions_here(view), by), best = 0;
	unsigned int found = view->table->nr;

	for (unsigned int i = 0; i < view->table->nr; i++) {
		uint64_t value = functions_value(&view->table->rows[view->order[i]], by);

		if ((slower ? value <= here : value >= here) ||
		    (found < view->table->nr && (slower ? value >= best : value <= best)))
			continue;
		found = i;
		best = value;
	}
	if (found == view->table->nr)
		app_message(view->app, slower ? "no function has more" : "no function has less");
	else
		functions_select(view, functions_line_of(view, found));
}

/* To its longest call, in the Graph view; from lines below an open row to what they tell. */
static void enter(struct view *view, const struct function_row *row)
{
	struct functions_line line = functions_line(view, view->at);
	struct place place;
	uint32_t nr;

	if (line.kind == LINE_INSTANCE) {
		functions_show_instance(view, &functions_instances(view, &nr)[line.index]);
		return;
	}
	if (line.kind == LINE_CALLER || line.kind == LINE_CALLEE) {
		go_to_relative(view, functions_line_function(view, &line));
		return;
	}
	if (!row->total->calls && !row->total->entries) {
		app_message(view->app, "none of its calls has an end here: there is no worst one");
		return;
	}
	place = shared_place(view->shared, row->total->worst);
	if (!place.set)
		return;
	place.ts -= (int64_t)(row->total->max < INT64_MAX / 2 ? row->total->max : 0);
	app_entering(view->app);
	app_show(view->app, VIEW_GRAPH, &place);
}

static void to_relative(struct view *view, bool caller)
{
	const struct relatives *relatives = caller ? &view->callers : &view->callees;

	if (!view->table->paths) {
		app_message(view->app, "callers and callees are known when all is counted");
		return;
	}
	functions_relatives(view);
	for (unsigned int i = 0; i < relatives->nr; i++)
		if (relatives->list[i].address != view->relatives_of && go_to_function(view, relatives->list[i].address))
			return;
	app_message(view->app, caller ? "no other function called it here" : "it called no other function here");
}

/* Down the heaviest callees, until one took most of it by itself or calls go round. */
static void hot_path(struct view *view)
{
	unsigned int from = view->at;

	if (!view->table->paths)
		to_relative(view, false);
	for (int i = 0; i < HOT_PATH_STEPS && view->table->paths; i++) {
		const struct function_row *row = functions_here(view);

		functions_relatives(view);
		if (!view->callees.nr || view->callees.list[0].address == view->relatives_of ||
		    view->callees.list[0].total < row->total->self || !go_to_function(view, view->callees.list[0].address))
			break;
	}
	if (view->table->paths && view->at == from)
		app_message(view->app, "the time went here: no function called took more than its own");
}

static bool copy(struct view *view, const struct function_row *row, char letter)
{
	struct text t = { 0 };

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'y')
		functions_row_text(view, row, &t);
	else
		text_u64(&t, functions_value(row, view->sort));
	app_copy(view->app, letter == 'y' ? "the row" : "the figure it is sorted by", text_str(&t), t.len);
	text_fini(&t);
	return true;
}

static bool table_request(struct view *view, enum request request)
{
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
	case REQ_SORT:
		return sort_by(view, 1), true;
	case REQ_SIDE_LEFT:
		return sort_by(view, -1), true;
	case REQ_SORT_INVERT:
		view->inverted = !view->inverted;
		return functions_sort(view), true;
	case REQ_RIGHT:
		view->left += view->left < NR_FUNCTION_COLUMNS - 2;
		return true;
	case REQ_LEFT:
		view->left -= view->left > 0;
		return true;
	case REQ_RESET:
		view->left = 0;
		return true;
	}
	return false;
}

bool functions_table_request(struct view *view, enum request request, char letter)
{
	const struct function_row *row = functions_here(view);

	if (!row)
		return false;
	if (move_request(view, request) || table_request(view, request))
		return true;
	switch ((int)request) {
	case REQ_ENTER:
		return enter(view, row), true;
	case REQ_BACK:
		return back(view);
	case REQ_MORE:
	case REQ_LESS:
		return functions_unfold(view, request == REQ_MORE), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return to_slower(view, request == REQ_SLOW_NEXT), true;
	case REQ_PARENT:
	case REQ_HEAVIEST:
		return to_relative(view, request == REQ_PARENT), true;
	case REQ_HOT_PATH:
		return hot_path(view), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return functions_filter(view, row->name, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return copy(view, row, letter);
	case REQ_COMPARE:
		return functions_compare(view), true;
	}
	return false;
}

bool functions_table_find(struct view *view, bool forward)
{
	unsigned int nr = view->table->nr, here;
	struct functions_line line = functions_line(view, view->at);
	size_t start, end;

	here = line.kind == LINE_FUNCTION ? line.index : view->open_at;

	for (unsigned int i = 1; i <= nr; i++) {	/* round the end, itself last */
		unsigned int at = forward ? (here + i) % nr : (here + nr - i) % nr;
		const char *name = view->table->rows[view->order[at]].name;

		if (!search_pattern_find(view->shared->pattern, name, strlen(name), 0, &start, &end))
			continue;
		functions_select(view, functions_line_of(view, at));
		return true;
	}
	app_message(view->app, "no function of that name here; 1 looks through all events");
	return true;
}
