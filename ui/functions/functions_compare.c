/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_compare - compares the functions of the range with those of the rest of the trace, or
 * of another file, in figures that do not depend on the length.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/diff/diff.h"
#include "ui/functions/view_functions.h"

#define IF_CALLS TABLE_IF_OF(struct function_row, total, calls)
#define TOTAL(member) TABLE_MEMBER_OF(struct function_row, total, member)
#define ROW(member) TABLE_MEMBER(struct function_row, member)
#define RATE	.kind = TABLE_RATE, .number = function_calls
#define TIME	.kind = TABLE_DURATION, IF_CALLS

static const struct table_column columns[] = {
	{ .title = "function", .cells = 23, .help = "name of the function" },
	TABLE_COMPARED("calls/s", "calls in a second", 9, RATE),
	TABLE_COMPARED("avg", "mean time of a call", 9, TIME, ROW(average)),
	TABLE_COMPARED_TIMES("avg", IF_CALLS, ROW(average)),
	TABLE_COMPARED("%self", "share of the self time of all functions", 7,
		       .kind = TABLE_PART, .known = function_has_self, TOTAL(self)),
	TABLE_COMPARED("p99", "99 % of calls were no longer than this", 9, TIME, ROW(p99)),
	TABLE_COMPARED_TIMES("p99", IF_CALLS, ROW(p99)),
	TABLE_COMPARED("max", "longest call", 9, TIME, TOTAL(max)),
	TABLE_COMPARED_TIMES("max", IF_CALLS, TOTAL(max)),
};
#define TIMES_COLUMN	5u

const struct table_columns functions_compare_columns = { TABLE_COLUMNS(columns) };

/* --- the rest is counted ------------------------------------------------------------------- */

void functions_compare_drop(struct view *view)
{
	struct functions_compare *c = &view->compare;

	if (c->table)
		functions_flame_drop(view);
	function_job_free(c->job);
	function_table_free(c->table);
	free(c->rows);
	free(c->by_chance);
	c->job = NULL;
	c->table = NULL;
	c->rows = NULL;
	c->by_chance = NULL;
}

/* Do the calls of a function differ by no more than chance? */
static bool is_by_chance(const struct view *view, const struct function_row *now,
			 const struct function_row *rest)
{
	struct diff diff = { .cpu_time = { view->lines.span[0], view->lines.span[1] } };
	struct call_total *totals[2] = { now->total, rest->total };
	struct diff_row row = { 0 };

	for (unsigned int i = 0; i < 2; i++)
		function_add_to(&row.of[i], totals[i]);
	diff_judge(&diff, &row);
	for (unsigned int i = 0; i < 2; i++)
		duration_set_fini(&row.of[i].durations);
	return row.is_by_chance;
}

/* Once, when both are counted: it takes a while. */
static void find_by_chance(struct view *view)
{
	struct functions_compare *c = &view->compare;

	c->by_chance = mem_array(view->table->nr + 1, sizeof(*c->by_chance));
	for (uint32_t i = 0; i < view->table->nr; i++)
		c->by_chance[i] = c->rows[i] &&
				  is_by_chance(view, &view->table->rows[i], c->rows[i]);
}

void functions_compare_match(struct view *view)
{
	struct functions_compare *c = &view->compare;
	uint32_t *here, *there, at = 0, found = 0;
	uint64_t *whole = view->lines.whole;
	function_order order;

	free(c->rows);
	c->rows = NULL;
	c->alone = 0;
	memset(whole, 0, sizeof(view->lines.whole));
	memset(view->lines.span, 0, sizeof(view->lines.span));
	if (!view->lines.comparing || !view->table || !c->table)
		return;
	/* other files have other addresses */
	order = shared_other(view->shared, view->file) < 0 ? function_by_address : function_by_name;
	view->lines.file = view->file;
	shared_spans(view->shared, view->file, view->lines.span);
	here = function_table_sorted(view->table, order);
	there = function_table_sorted(c->table, order);
	c->rows = mem_array(view->table->nr + 1, sizeof(*c->rows));
	for (uint32_t i = 0; i < view->table->nr; i++) {
		const struct function_row *row = &view->table->rows[here[i]];

		while (at < c->table->nr && order(&c->table->rows[there[at]], row) < 0)
			at++;
		if (at < c->table->nr && !order(&c->table->rows[there[at]], row)) {
			c->rows[here[i]] = &c->table->rows[there[at]];
			found++;
		}
		whole[0] += view->table->rows[i].total->self;
	}
	for (uint32_t i = 0; i < c->table->nr; i++)
		whole[1] += c->table->rows[i].total->self;
	c->alone = c->table->nr - found;
	if (!c->by_chance && view->table->whole && c->table->whole)
		find_by_chance(view);
	free(here);
	free(there);
}

/* Start counting the rest, or the other file, if the comparison is shown. */
void functions_compare_work(struct view *view)
{
	struct functions_compare *c = &view->compare;
	struct trace *trace = view->shared->trace;
	unsigned int file = view->file;
	int other;

	if (!view->lines.comparing || c->job || c->table || !view->has_calls)
		return;
	c->scope = view->scope.of;
	other = shared_other(view->shared, view->file);
	if (other >= 0) {
		file = (unsigned int)other;
		c->scope.has_from = shared_other_has_range(view->shared, file);
		c->scope.has_to = c->scope.has_from;
	} else {
		c->scope.outside = true;
	}
	c->job = function_job_new(trace, file, &c->scope, GROUPING_NONE, NULL,
				  trace_workers(trace));
}

/* Return: true if there are new figures. */
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
		functions_flame_drop(view);
		function_table_free(c->table);
		free(c->by_chance);
		c->by_chance = NULL;
		c->table = table;
		view->groups.rest.stale = true;
		functions_sort(view);
	}
	if (is_done) {
		function_job_free(c->job);
		c->job = NULL;
		if (view->groups.by)
			host_work(view->host);
	}
	return true;
}

void functions_compare(struct view *view)
{
	if (!table_compare(&view->lines))
		return;
	view->order[1].column = TIMES_COLUMN;
	view->order[0].inverted = view->order[1].inverted = false;
	if (!view->lines.comparing)
		functions_compare_drop(view);
	functions_compare_work(view);
	functions_groups_work(view);
	functions_sort(view);
}

/* --- the screen ------------------------------------------------------------------------------- */

void functions_compare_scope(const struct view *view, struct text *out)
{
	const struct functions_compare *c = &view->compare;

	shared_and_rest(view->shared, view->file, out);
	if (c->job)
		text_printf(out, ", %u %% counted", function_job_permille(c->job) / 10);
}
