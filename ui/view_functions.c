/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_functions - the calls of the range by function, counted by a worker: what is
 * counted so far is shown, and counting rests while another view is.
 */
#include "ui/view_functions.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "ui/call_scope.h"

#define HOT_PATH_STEPS	64

/* --- what is counted --------------------------------------------------------------- */

static void drop_relatives(struct view *view)
{
	view->callers.nr = view->callees.nr = 0;
	view->relatives_of = 0;
}

static void drop_table(struct view *view)
{
	function_table_free(view->table);
	free(view->order);
	view->table = NULL;
	view->order = NULL;
	drop_relatives(view);
}

static void stop(struct view *view)
{
	function_job_free(view->job);
	view->job = NULL;
	call_scope_drop(&view->scope);
}

static void find_calls(struct view *view)
{
	struct trace *trace = view->shared->trace;
	unsigned int buffer;

	for (unsigned int f = 0; f < trace_nr_files(trace) && !view->has_calls; f++) {
		view->has_calls = graph_has_calls(trace, f, &buffer);
		view->file = f;
	}
	view->known = view->has_calls || trace_status(trace).complete;
}

static void begin(struct view *view)
{
	bool all;

	text_clear(&view->key);
	call_scope_key(view->shared, true, &view->key);
	call_scope_take(&view->scope, view->shared, true);
	all = !view->scope.has_from && !view->scope.nr_filters;
	view->job = function_job_new(view->shared->trace, view->file, all ? NULL : &view->scope, trace_workers(view->shared->trace));
}

/* --- order ----------------------------------------------------------------------------- */

uint64_t functions_value(const struct function_row *row, enum function_column column)
{
	const struct call_total *total = row->total;

	switch (column) {
	case FUNCTION_CALLS:
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
	case FUNCTION_P99:
		return row->p99;
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

	if (view->sort == FUNCTION_NAME) {
		order = strcmp(x->name, y->name);
	} else {
		uint64_t v = functions_value(x, view->sort), w = functions_value(y, view->sort);

		order = v < w ? 1 : v > w ? -1 : 0;
	}
	if (!order)
		return i < j ? -1 : i > j;
	return view->inverted ? -order : order;
}

static void sort_rows(struct view *view)
{
	unsigned int nr = view->table ? view->table->nr : 0;

	for (unsigned int i = 0; i < nr; i++)
		view->order[i] = i;
	if (nr)
		qsort_r(view->order, nr, sizeof(*view->order), in_order, view);
	if (view->at >= nr)
		view->at = nr ? nr - 1 : 0;
	for (unsigned int i = 0; view->here && i < nr; i++)
		if (view->table->rows[view->order[i]].total->address == view->here)
			view->at = i;
}

static void take_table(struct view *view, struct function_table *table)
{
	drop_table(view);
	view->table = table;
	view->order = mem_array(table->nr + 1, sizeof(*view->order));
	sort_rows(view);
}

static void sort_by(struct view *view, int step)
{
	view->sort = (enum function_column)(((int)view->sort + NR_FUNCTION_COLUMNS + step) % NR_FUNCTION_COLUMNS);
	if (view->sort == FUNCTION_HISTOGRAM)
		view->sort = (enum function_column)((int)view->sort + step);
	view->inverted = false;
	sort_rows(view);
}

/* --- callers and callees --------------------------------------------------------------- */

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
	return x->address < y->address ? -1 : x->address > y->address;
}

void functions_relatives(struct view *view)
{
	const struct function_row *row = functions_here(view);
	const struct call_paths *paths = view->table ? view->table->paths : NULL;

	if (!row || !paths || view->relatives_of == row->total->address)
		return;
	drop_relatives(view);
	view->relatives_of = row->total->address;
	for (uint32_t i = 1; i < call_paths_nr(paths); i++) {
		const struct call_path *path = call_paths_at(paths, i), *above = call_paths_at(paths, path->parent);
		uint64_t caller = path->parent == CALL_PATH_ROOT ? 0 : above->address;

		if (path->address == view->relatives_of)
			add_relative(&view->callers, caller, path);
		if (caller == view->relatives_of)
			add_relative(&view->callees, path->address, path);
	}
	if (view->callers.nr)
		qsort(view->callers.list, view->callers.nr, sizeof(view->callers.list[0]), by_total);
	if (view->callees.nr)
		qsort(view->callees.list, view->callees.nr, sizeof(view->callees.list[0]), by_total);
}

/* --- keys ------------------------------------------------------------------------------ */

static void select_row(struct view *view, int64_t row)
{
	int64_t last = view->table && view->table->nr ? (int64_t)view->table->nr - 1 : 0;

	view->at = (unsigned int)(row < 0 ? 0 : row > last ? last : row);
	if (functions_here(view))
		view->here = functions_here(view)->total->address;
}

static void scroll(struct view *view, int rows)
{
	int64_t top = (int64_t)view->top + rows;

	view->top = top < 0 ? 0 : (unsigned int)top;
	select_row(view, (int64_t)view->at + rows);
}

static bool move_request(struct view *view, enum request request)
{
	int page = view->height > 1 ? (int)view->height - 1 : 1;

	switch ((int)request) {
	case REQ_DOWN:
		return select_row(view, (int64_t)view->at + 1), true;
	case REQ_UP:
		return select_row(view, (int64_t)view->at - 1), true;
	case REQ_PAGE_DOWN:
		return scroll(view, page), true;
	case REQ_PAGE_UP:
		return scroll(view, -page), true;
	case REQ_HALF_DOWN:
		return scroll(view, (page + 1) / 2), true;
	case REQ_HALF_UP:
		return scroll(view, -(page + 1) / 2), true;
	case REQ_FIRST:
		return select_row(view, 0), true;
	case REQ_LAST:
		return select_row(view, view->table->nr), true;
	}
	return false;
}

/* To its longest call, in the Graph view. */
static void enter(struct view *view, const struct function_row *row)
{
	struct place place;

	if (!row->total->calls) {
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

/* To the row of a caller or callee; false: it has none. */
static bool go_to_function(struct view *view, uint64_t address)
{
	for (unsigned int i = 0; i < view->table->nr; i++) {
		if (!address || view->table->rows[view->order[i]].total->address != address)
			continue;
		select_row(view, i);
		return true;
	}
	return false;
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
	if (!view->table->paths)
		to_relative(view, false);
	for (int i = 0; i < HOT_PATH_STEPS && view->table->paths; i++) {
		const struct function_row *row = functions_here(view);

		functions_relatives(view);
		if (!view->callees.nr || view->callees.list[0].address == view->relatives_of ||
		    view->callees.list[0].total < row->total->self || !go_to_function(view, view->callees.list[0].address))
			return;
	}
}

static void filter_from_here(struct view *view, const struct function_row *row, char letter, bool without)
{
	struct text value = { 0 };

	if (!strchr("fixe", letter)) {
		app_message(view->app, "here: f the function");
		return;
	}
	text_bytes(&value, row->name, strcspn(row->name, " "));		/* without its module */
	app_filter_by(view->app, "func", text_str(&value), without);
	text_fini(&value);
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
		return sort_rows(view), true;
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

static bool functions_request(struct view *view, enum request request, char letter)
{
	const struct function_row *row = functions_here(view);

	if (!row)
		return false;
	if (move_request(view, request) || table_request(view, request))
		return true;
	switch ((int)request) {
	case REQ_ENTER:
		return enter(view, row), true;
	case REQ_PARENT:
	case REQ_HEAVIEST:
		return to_relative(view, request == REQ_PARENT), true;
	case REQ_HOT_PATH:
		return hot_path(view), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(view, row, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return copy(view, row, letter);
	case REQ_COMPARE:
		app_message(view->app, "tables cannot be compared in this version");
		return true;
	}
	return false;
}

static bool functions_find(struct view *view, const struct find *find)
{
	unsigned int nr = view->table ? view->table->nr : 0;
	size_t start, end;

	if (!nr || find->kind != FIND_PATTERN || !view->shared->pattern)
		return false;
	for (unsigned int i = 1; i <= nr; i++) {	/* round the end, itself last */
		unsigned int at = find->forward ? (view->at + i) % nr : (view->at + nr - i) % nr;
		const char *name = view->table->rows[view->order[at]].name;

		if (!search_pattern_find(view->shared->pattern, name, strlen(name), 0, &start, &end))
			continue;
		select_row(view, at);
		return true;
	}
	app_message(view->app, "no function of that name here; 1 looks through all events");
	return true;
}

/* --- life ------------------------------------------------------------------------------ */

static struct view *functions_open(struct app *app, struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->app = app;
	view->shared = shared;
	view->sort = FUNCTION_TOTAL;
	return view;
}

static void functions_close(struct view *view)
{
	if (!view)
		return;
	stop(view);
	drop_table(view);
	text_fini(&view->key);
	free(view->callers.list);
	free(view->callees.list);
	free(view);
}

static void functions_left(struct view *view)
{
	if (view->job)
		function_job_hold(view->job, true);
}

static bool functions_work(struct view *view, int64_t ns)
{
	(void)ns;
	if (!view->known)
		find_calls(view);
	if (view->has_calls && view->job)
		function_job_hold(view->job, false);
	else if (view->has_calls && !view->table)
		begin(view);
	return false;
}

static bool functions_progressed(struct view *view)
{
	struct function_table *table;
	bool is_done;

	if (!view->known)
		app_work(view->app);
	if (!view->job)
		return !view->known;
	is_done = function_job_permille(view->job) == 1000;
	table = function_job_take(view->job);
	if (table)
		take_table(view, table);
	if (is_done)
		stop(view);
	return true;
}

/* The table is of another range or filter: counted anew once it is looked at. */
static void functions_changed(struct view *view)
{
	struct text key = { 0 };
	bool same;

	call_scope_key(view->shared, true, &key);
	same = !strcmp(text_str(&key), text_str(&view->key));
	text_fini(&key);
	if (same)
		return;
	stop(view);
	drop_table(view);
}

static void functions_retrace(struct view *view)
{
	stop(view);
	drop_table(view);
	view->known = view->has_calls = false;
	view->at = view->top = 0;
	view->here = 0;
}

/* Rows are no moments: the shared cursor stays. */
static void functions_publish(struct view *view)
{
	struct shared *shared = view->shared;

	if (!shared->here.set && functions_here(view))
		shared->here = (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = shared->first, .pid = -1, .cpu = -1 };
}

static bool functions_go(struct view *view, const struct place *place)
{
	(void)view;
	(void)place;
	return false;
}

static void functions_header(struct view *view, struct text *out)
{
	if (view->table && view->table->nr)
		text_printf(out, "function %u of %u", view->at + 1, view->table->nr);
}

static const struct view_list lists[] = { { 'f', "functions" }, { 0, NULL } };

static char functions_list(struct view *view)
{
	(void)view;
	return lists[0].letter;
}

static bool functions_choose_list(struct view *view, char letter)
{
	(void)view;
	return letter == lists[0].letter;
}

static void functions_command(struct view *view, struct text *out)
{
	(void)view;
	text_add(out, "functions");
}

static bool functions_save_row(struct view *view, uint64_t i, struct text *out)
{
	if (!view->table || i >= view->table->nr)
		return false;
	functions_row_text(view, &view->table->rows[view->order[i]], out);
	return true;
}

static int functions_detail_rows(struct view *view, int normal, int most)
{
	(void)most;
	return normal && functions_here(view) ? normal + 1 : 0;
}

static void functions_mouse(struct view *view, const struct ui_mouse *mouse)
{
	int line = mouse->row - view->body_top;

	if (mouse->kind == UI_MOUSE_WHEEL_UP || mouse->kind == UI_MOUSE_WHEEL_DOWN) {
		functions_request(view, mouse->kind == UI_MOUSE_WHEEL_UP ? REQ_UP : REQ_DOWN, 0);
		return;
	}
	if (line < 0 || line >= (int)view->height || !view->table || view->top + (unsigned int)line >= view->table->nr)
		return;
	if (mouse->kind == UI_MOUSE_PRESS || mouse->kind == UI_MOUSE_DOUBLE)
		select_row(view, view->top + line);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		functions_request(view, REQ_ENTER, 0);
}

static bool functions_can(struct view *view, enum request request)
{
	return functions_here(view) || request == REQ_HELP || request == REQ_OPTIONS ||
	       (request == REQ_FILTER && filters_active(&view->shared->filters));
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_PARENT, REQ_HEAVIEST, REQ_HOT_PATH, REQ_ONLY, REQ_WITHOUT, REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_SORT, REQ_ENTER, REQ_PARENT, REQ_HEAVIEST, REQ_SEARCH, REQ_RANGE, REQ_FILTER, REQ_HELP, REQ_HOT_PATH, REQ_ONLY,
	REQ_DETAIL, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "Worst", "its longest call, in Graph; q comes back" },
	{ REQ_SIDE_RIGHT, NULL, "sort by the next column" },
	{ REQ_SIDE_LEFT, NULL, "sort by the column before" },
	{ REQ_SORT, "Sort", "sort by the next column" },
	{ REQ_RIGHT, NULL, "columns further right" },
	{ REQ_LEFT, NULL, "columns back" },
	{ REQ_RESET, NULL, "columns from the first" },
	{ REQ_PARENT, "Caller", "the caller that it took longest for" },
	{ REQ_HEAVIEST, "Callee", "the callee that took longest" },
	{ REQ_HOT_PATH, NULL, "down the heaviest callees to where the time went" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_SEARCH, NULL, "text, or /regex/, in the names of functions" },
	{ REQ_COMPARE, NULL, "not for tables yet" },
	{ REQ_NONE, NULL, NULL },
};

extern const struct view_ops view_functions_ops;
const struct view_ops view_functions_ops = {
	.hint = "New here: > sorts by the next column, Enter shows the longest call",
	.row_requests = row_requests,
	.bar = bar,
	.words = words,
	.lists = lists,
	.open = functions_open,
	.close = functions_close,
	.left = functions_left,
	.draw = functions_draw,
	.publish = functions_publish,
	.detail_rows = functions_detail_rows,
	.draw_detail = functions_draw_detail,
	.header = functions_header,
	.request = functions_request,
	.mouse = functions_mouse,
	.go = functions_go,
	.retrace = functions_retrace,
	.changed = functions_changed,
	.work = functions_work,
	.progressed = functions_progressed,
	.find = functions_find,
	.list = functions_list,
	.choose_list = functions_choose_list,
	.save_row = functions_save_row,
	.command = functions_command,
	.can = functions_can,
};
