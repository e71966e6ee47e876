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

void functions_groups_stop(struct view *view)
{
	function_job_free(view->groups.job);
	view->groups.job = NULL;
	view->groups.stale = true;
}

void functions_groups_drop(struct view *view)
{
	struct functions_groups *g = &view->groups;

	functions_groups_stop(view);
	function_table_free(g->table);
	free(g->parents);
	g->table = NULL;
	g->parents = NULL;
}

void functions_group_by(struct view *view, enum grouping by)
{
	if (view->groups.by == by)
		return;
	view->groups.by = by;
	view->groups.all_open = false;
	functions_groups_drop(view);
	folds_fini(&view->groups.folds);
	functions_sort(view);
	host_work(view->host);
}

void functions_groups_work(struct view *view)
{
	struct functions_groups *g = &view->groups;
	struct trace *trace = view->shared->trace;

	if (g->job)
		function_job_hold(g->job, false);
	if (!g->by || !g->stale || g->job || view->job || !view->table || !view->has_calls)
		return;
	g->stale = false;
	g->job = function_job_new(trace, view->file, call_scope_of_calls(&view->scope), g->by,
				  view->past, trace_workers(trace));
}

bool functions_groups_progressed(struct view *view)
{
	struct functions_groups *g = &view->groups;
	struct function_table *table;

	if (!g->job || function_job_permille(g->job) < 1000)
		return g->job;
	table = function_job_take(g->job);
	function_job_free(g->job);
	g->job = NULL;
	function_table_free(g->table);
	g->table = table;
	for (unsigned int i = 0; table && i < table->nr; i++)
		table->rows[i].name = table->rows[i].group;
	functions_sort(view);
	return true;
}

/* The row of its function for each row. */
void functions_groups_match(struct view *view)
{
	struct functions_groups *g = &view->groups;
	uint32_t *functions, *rows, at = 0;

	free(g->parents);
	g->parents = NULL;
	if (!g->table || !view->table)
		return;
	functions = function_table_sorted(view->table, function_by_address);
	rows = function_table_sorted(g->table, function_by_address);
	g->parents = mem_array(g->table->nr + 1, sizeof(*g->parents));
	for (uint32_t i = 0; i < g->table->nr; i++) {
		const struct function_row *row = &g->table->rows[rows[i]];

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
}

/* --- rows ----------------------------------------------------------------------------------- */

bool functions_has_groups(const struct view *view)
{
	return view->groups.parents && !view->lines.comparing;
}

uint32_t functions_nr_rows(const void *owner)
{
	const struct view *view = owner;

	if (!view->table)
		return 0;
	return view->table->nr + (functions_has_groups(view) ? view->groups.table->nr : 0);
}

bool functions_is_group(const struct view *view, uint32_t row)
{
	return row >= view->table->nr;
}

const struct function_row *functions_row(const struct view *view, uint32_t row)
{
	return functions_is_group(view, row) ? &view->groups.table->rows[row - view->table->nr] :
					       &view->table->rows[row];
}

uint64_t functions_key(const void *owner, uint32_t row)
{
	const struct view *view = owner;
	const struct function_row *of = functions_row(view, row);

	if (!functions_is_group(view, row))
		return of->total->address;
	return (uint64_t)index_map_hash_bytes(of->group, strlen(of->group)) << 31 |
	       (index_map_hash(of->total->address) & INT32_MAX);
}

uint32_t functions_parent(const void *owner, uint32_t row)
{
	const struct view *view = owner;

	return functions_is_group(view, row) ? view->groups.parents[row - view->table->nr] :
					       UINT32_MAX;
}

static bool is_open(const struct view *view, uint32_t row)
{
	return folds_is_open(&view->groups.folds, functions_key(view, row), view->groups.all_open);
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
	folds_set(&view->groups.folds, functions_key(view, function), open, view->groups.all_open);
	show_folds(view, row);
}

void functions_fold_all(struct view *view, bool open)
{
	if (!has_groups(view))
		return;
	folds_fini(&view->groups.folds);
	view->groups.all_open = open;
	show_folds(view, cursor_row(view));
}
