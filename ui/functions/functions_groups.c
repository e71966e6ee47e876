/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_groups - the calls of a function by groups of tasks: rows below its row, which are
 * counted by themselves once the functions are.  They come behind the rows of functions.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/functions/view_functions.h"

static const struct {
	char		 letter;	/* of functions_all_lists */
	enum grouping	 by;
} letters[] = {
	{ 'r', GROUPING_PROCESS }, { 'g', GROUPING_CGROUP }, { 'u', GROUPING_USER },
	{ 'm', GROUPING_NAME },
};

enum grouping functions_grouping(char letter)
{
	for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].letter == letter)
			return letters[i].by;
	return GROUPING_NONE;
}

char functions_letter(const struct view *view)
{
	for (size_t i = 0; view->list == 't' && i < sizeof(letters) / sizeof(letters[0]); i++)
		if (letters[i].by == view->groups.by)
			return letters[i].letter;
	return view->list;
}

/* --- counting ------------------------------------------------------------------------------- */

static void stop(struct functions_grouped *of)
{
	function_job_free(of->job);
	of->job = NULL;
	of->stale = true;
}

static void drop(struct functions_grouped *of)
{
	stop(of);
	function_table_free(of->table);
	of->table = NULL;
}

static void drop_matches(struct functions_groups *g)
{
	free(g->parents);
	free(g->of_rest);
	g->parents = NULL;
	g->of_rest = NULL;
}

void functions_groups_stop(struct view *view)
{
	stop(&view->groups.now);
	stop(&view->groups.rest);
}

void functions_groups_hold(struct view *view)
{
	if (view->groups.now.job)
		function_job_hold(view->groups.now.job, true);
	if (view->groups.rest.job)
		function_job_hold(view->groups.rest.job, true);
}

void functions_groups_drop(struct view *view)
{
	drop(&view->groups.now);
	drop(&view->groups.rest);
	drop_matches(&view->groups);
}

void functions_group_by(struct view *view, enum grouping by)
{
	if (view->groups.by == by)
		return;
	view->groups.by = by;
	functions_groups_drop(view);
	folds_fini(&view->groups.folds);
	functions_sort(view);
	host_work(view->host);
}

/* Begins to count, when the functions are counted. */
static void count(struct view *view, struct functions_grouped *of, unsigned int file,
		  const struct graph_scope *scope, struct call_past *past)
{
	struct trace *trace = view->shared->trace;

	if (of->job)
		function_job_hold(of->job, false);
	if (!of->stale || of->job)
		return;
	of->stale = false;
	of->job = function_job_new(trace, file, scope, view->groups.counted, past,
				   trace_workers(trace));
}

void functions_groups_work(struct view *view)
{
	struct functions_groups *g = &view->groups;
	int other = view->lines.comparing ? shared_other(view->shared, view->file) : -1;
	/* processes have other pids in another file */
	enum grouping by = other >= 0 && g->by == GROUPING_PROCESS ? GROUPING_NAME : g->by;

	if (!view->lines.comparing)
		drop(&g->rest);
	if (by != g->counted)
		functions_groups_drop(view);
	g->counted = by;
	if (!by || !view->has_calls)
		return;
	if (view->table && !view->job)
		count(view, &g->now, view->file, call_scope_of_calls(&view->scope), view->past);
	if (view->compare.table && !view->compare.job)
		count(view, &g->rest, other >= 0 ? (unsigned int)other : view->file,
		      &view->compare.scope, NULL);
}

/* False: there is nothing new. */
static bool take(struct view *view, struct functions_grouped *of)
{
	struct function_table *table;

	if (!of->job || function_job_permille(of->job) < 1000)
		return of->job;
	table = function_job_take(of->job);
	function_job_free(of->job);
	of->job = NULL;
	function_table_free(of->table);
	of->table = table;
	for (unsigned int i = 0; table && i < table->nr; i++)
		table->rows[i].name = table->rows[i].group;
	functions_sort(view);
	functions_leave_gone(view);
	return true;
}

bool functions_groups_progressed(struct view *view)
{
	bool now = take(view, &view->groups.now), rest = take(view, &view->groups.rest);

	return now || rest;
}

static uint64_t key_of(const struct function_row *row, uint64_t address)
{
	return (uint64_t)index_map_hash_bytes(row->group, strlen(row->group)) << 31 |
	       (index_map_hash(address) & INT32_MAX);
}

/* The row of the same function and group of what is compared, for each row. */
static void match_rest(struct view *view)
{
	struct functions_groups *g = &view->groups;
	const struct function_table *rest = g->rest.table;
	struct index_map map = { 0 };

	for (uint32_t i = 0; i < rest->nr; i++)
		index_map_add(&map,
			      index_map_hash(key_of(&rest->rows[i], rest->rows[i].total->address)),
			      i);
	g->of_rest = mem_array(g->now.table->nr + 1, sizeof(*g->of_rest));
	for (uint32_t i = 0; i < g->now.table->nr; i++) {
		const struct function_row *row = &g->now.table->rows[i],
					  *function = g->parents[i] == UINT32_MAX ?
							      NULL :
							      view->compare.rows[g->parents[i]];
		uint64_t address = function ? function->total->address : 0;

		if (!function)
			continue;
		index_map_each (&map, index_map_hash(key_of(row, address)), k)
			if (rest->rows[k].total->address == address &&
			    !strcmp(rest->rows[k].group, row->group))
				g->of_rest[i] = &rest->rows[k];
	}
	index_map_fini(&map);
}

/* The row of its function for each row. */
void functions_groups_match(struct view *view)
{
	struct functions_groups *g = &view->groups;
	const struct function_table *now = g->now.table;
	uint32_t *functions, *rows, at = 0;

	drop_matches(g);
	if (!now || !view->table)
		return;
	functions = function_table_sorted(view->table, function_by_address);
	rows = function_table_sorted(now, function_by_address);
	g->parents = mem_array(now->nr + 1, sizeof(*g->parents));
	for (uint32_t i = 0; i < now->nr; i++) {
		const struct function_row *row = &now->rows[rows[i]];

		while (at < view->table->nr &&
		       function_by_address(&view->table->rows[functions[at]], row) < 0)
			at++;
		g->parents[rows[i]] =
			at < view->table->nr &&
					!function_by_address(&view->table->rows[functions[at]],
							     row) ?
				functions[at] :
				UINT32_MAX;
	}
	free(functions);
	free(rows);
	if (view->compare.rows && g->rest.table)
		match_rest(view);
}

/* --- rows ----------------------------------------------------------------------------------- */

bool functions_has_groups(const struct view *view)
{
	return view->groups.parents;
}

uint32_t functions_nr_rows(const void *owner)
{
	const struct view *view = owner;

	if (!view->table)
		return 0;
	return view->table->nr + (functions_has_groups(view) ? view->groups.now.table->nr : 0);
}

bool functions_is_group(const struct view *view, uint32_t row)
{
	return row >= view->table->nr;
}

const struct function_row *functions_row(const struct view *view, uint32_t row)
{
	return functions_is_group(view, row) ?
		       &view->groups.now.table->rows[row - view->table->nr] :
		       &view->table->rows[row];
}

const struct function_row *functions_row_of_rest(const struct view *view, uint32_t row)
{
	if (functions_is_group(view, row))
		return view->groups.of_rest ? view->groups.of_rest[row - view->table->nr] : NULL;
	return view->compare.rows ? view->compare.rows[row] : NULL;
}

uint64_t functions_key(const void *owner, uint32_t row)
{
	const struct view *view = owner;
	const struct function_row *of = functions_row(view, row);

	if (!functions_is_group(view, row))
		return of->total->address;
	return key_of(of, of->total->address);
}

uint32_t functions_parent(const void *owner, uint32_t row)
{
	const struct view *view = owner;

	return functions_is_group(view, row) ? view->groups.parents[row - view->table->nr] :
					       UINT32_MAX;
}

static bool is_open(const struct view *view, uint32_t row)
{
	return folds_is_open(&view->groups.folds, functions_key(view, row), false);
}

bool functions_is_row_shown(const void *owner, uint32_t row)
{
	uint32_t up = functions_parent(owner, row);

	return !functions_is_group(owner, row) || (up != UINT32_MAX && is_open(owner, up));
}

void functions_lead(const void *owner, uint32_t row, struct text *out)
{
	const struct view *view = owner;

	if (functions_has_groups(view))
		text_add(out, functions_is_group(view, row) ? "    " :
			      is_open(view, row)            ? "▾ " :
							      "▸ ");
}

/* --- keys ----------------------------------------------------------------------------------- */

static bool has_groups(struct view *view)
{
	if (functions_has_groups(view))
		return true;
	host_message(view->host, view->groups.by ?
					 "groups are known when all is counted" :
					 "there are no groups: o r has each function by process");
	return false;
}

/* The function's row at the cursor; on a line of a group, the row of the function above it. */
static uint32_t cursor_row(const struct view *view)
{
	uint32_t i;

	return table_is_below(&view->lines, view->lines.window.at, &i) ?
		       view->open_row :
		       view->lines.rows[table_place(&view->lines, view->lines.window.at)];
}

/* The cursor goes to the function if it is on one of its groups, which may be closed now. */
static void show_folds(struct view *view, uint32_t row)
{
	if (functions_is_group(view, row) && !functions_is_row_shown(view, row))
		row = functions_parent(view, row);
	table_select_key(&view->lines, functions_key(view, row));
	functions_sort(view);
}

bool functions_is_open(struct view *view)
{
	return view->lines.nr && functions_has_groups(view) &&
	       (functions_is_group(view, cursor_row(view)) || is_open(view, cursor_row(view)));
}

void functions_fold(struct view *view, bool open)
{
	uint32_t row = cursor_row(view), function = row;

	if (!has_groups(view))
		return;
	if (functions_is_group(view, row) && open) {
		host_message(view->host, "this is one group of its function's calls");
		return;
	}
	if (functions_is_group(view, row))
		function = functions_parent(view, row);
	folds_set(&view->groups.folds, functions_key(view, function), open, false);
	show_folds(view, row);
}

void functions_fold_all(struct view *view, bool open)
{
	if (!has_groups(view))
		return;
	folds_set_all(&view->groups.folds, open);
	show_folds(view, cursor_row(view));
}
