/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_columns - the cells of the Tasks view's lists; src/sched/task_columns has the columns. */
#include <math.h>

#include "src/sched/task_columns.h"
#include "src/timeline/timeline.h"
#include "ui/rows/row.h"
#include "ui/tasks/view_tasks.h"

#define MOST_NAME_CELLS		28
#define MOST_TYPE_CELLS		48

union made_row {				/* where it has to be put together */
	struct task_row	 task;
	struct task_pair_row pair;
};

/* A row of a list, as its columns read it. */
static const void *row_of(const struct view *v, const struct tasks_counted *c, uint32_t row,
			  union made_row *made)
{
	const struct task_figures *f = &c->figures;
	struct task_row *task = &made->task;

	if (tasks_is_of_pairs(v)) {
		made->pair = tasks_pair_row(v,
					    (struct tasks_pair){ tasks_pair_kind(v->list), row });
		return made;
	}
	if (v->list != TASKS_OF_TASKS)
		return v->list == TASKS_OF_CPUS ? (const void *)&f->cpus[row] : &c->types[row];
	*task = (struct task_row){ .task = &f->tasks[row], .sums = &f->sums[row], .cpu = -1 };
	if (task->task->last_switch_cpu >= 0)
		task->cpu = f->cpus[task->task->last_switch_cpu].cpu;
	if (tasks_is_unitless(v))
		task->clock = trace_clock(v->shared->trace);
	return task;
}

static double value_in(const struct view *v, const struct tasks_counted *c, uint32_t row,
		       const struct table_column *column)
{
	union made_row made;
	const void *of = row_of(v, c, row, &made);
	double value = column->known && !column->known(of) ? NAN :
							     (double)table_out_number(column, of);

	return column->kind == TABLE_TIME && value == 0 ? NAN : value;	/* shown as – */
}

/* For the rest of the trace: the whole trace less the range. */
static double number(const void *owner, uint32_t row, const struct table_column *column)
{
	const struct view *v = owner;
	double here = value_in(v, &v->now, row, column), whole = 0;

	if (!column->rest)
		return here;
	if (v->of_whole && v->of_whole[row] != UINT32_MAX)
		whole = value_in(v, &v->whole, v->of_whole[row], column);
	return whole > here ? whole - here : 0;
}

/* --- as text ------------------------------------------------------------------------- */

void tasks_share_text(int64_t time, int64_t span, struct text *out)
{
	double share = span > 0 ? (double)time * 100 / (double)span : 0;

	if (span <= 0)
		text_add(out, TABLE_NONE);
	else if (share > 0 && share < 0.05)
		text_add(out, "<0.1");	/* not none */
	else
		text_printf(out, "%.1f", share);
}

static void add_rate(const struct view *v, double nr, int64_t span, struct text *out)
{
	double rate;

	if (span <= 0 || tasks_is_unitless(v)) {
		text_add(out, TABLE_NONE);
		return;
	}
	rate = nr * 1e9 / (double)span;
	if (rate < 100)
		text_printf(out, rate < 10 ? "%.2f" : "%.1f", rate);
	else
		text_count(out, (uint64_t)(rate + 0.5));
}

static void add_cell(const void *owner, uint32_t row, const struct table_column *column,
		     struct text *out)
{
	const struct view *v = owner;
	int64_t span = column->rest ? v->whole.span - v->now.span : v->now.span;
	union made_row made;

	if (column->rest && !v->of_whole)
		text_add(out, "…");
	else if (column->kind == TABLE_SHARE)
		tasks_share_text((int64_t)number(v, row, column), span, out);
	else if (column->kind == TABLE_PART)
		tasks_share_text((int64_t)number(v, row, column), (int64_t)v->now.all, out);
	else if (column->kind == TABLE_RATE)
		add_rate(v, number(v, row, column), span, out);
	else
		table_out_value(column, row_of(v, &v->now, row, &made), tasks_is_unitless(v), true,
				out);
}

/* --- the table ------------------------------------------------------------------------ */

static uint32_t nr_rows(const void *owner)
{
	const struct view *v = owner;

	return tasks_nr_rows(&v->now, v->list);
}

/* Types without events are rows of a comparison only. */
static bool is_shown(const void *owner, uint32_t row)
{
	const struct view *v = owner;
	bool hiding = filters_hiding(&v->shared->filters) ||
		      (v->list == TASKS_OF_TYPES && !v->comparing);

	return !hiding || tasks_is_kept(v, row);
}

static uint64_t key(const void *owner, uint32_t row)
{
	return tasks_key(owner, row);
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	tasks_name(owner, row, out);
}

static bool has_column(const void *owner, const struct table_column *column)
{
	const struct task_figures *f = &((const struct view *)owner)->now.figures;

	if (column->needs & TASK_NEEDS_SCHED && !f->sched_records)
		return false;
	return (!(column->needs & TASK_NEEDS_CALLS) || f->has_calls) &&
	       (!(column->needs & TASK_NEEDS_IRQS) || f->has_irqs);
}

/* The name that tells a row's colour. */
static const char *name_of(const struct view *v, uint32_t row)
{
	return tasks_is_of_pairs(v) ?
		       tasks_pair_row(v, (struct tasks_pair){ tasks_pair_kind(v->list), row })
			       .comm :
		       tasks_comm(v, row);
}

static enum role role(const void *owner, uint32_t row, const struct table_column *column)
{
	const struct view *v = owner;

	if (column && column->kind == TABLE_STRING && tasks_is_of_pairs(v))
		return row_hash_role(
			tasks_pair_row(v, (struct tasks_pair){ tasks_pair_kind(v->list), row }).by);
	return ROLE_NUMBER;
}

static void draw_name(const void *owner, struct canvas *c, int line, uint32_t row, int cells)
{
	const struct view *v = owner;
	struct text name = { 0 }, fitted = { 0 };
	bool is_task = v->list == TASKS_OF_TASKS || tasks_is_of_pairs(v);
	enum role colour = is_task ? row_hash_role(name_of(v, row)) : ROLE_TEXT;
	size_t start, end;

	tasks_name(v, row, &name);
	timeline_fit_name(text_str(&name), is_task, cells, &fitted);
	canvas_text(c, line, 1, cells, colour, text_str(&fitted));
	if (v->shared->pattern &&
	    search_pattern_find(v->shared->pattern, text_str(&name), name.len, 0, &start, &end))
		canvas_over(c, line, 1, cells, ROLE_MATCH);
	text_fini(&name);
	text_fini(&fitted);
}

static bool is_dim(const void *owner, uint32_t row)
{
	return !tasks_is_kept(owner, row);
}

static const struct table_ops table_ops = {
	.nr_rows = nr_rows,
	.is_shown = is_shown,
	.key = key,
	.name = add_name,
	.has_column = has_column,
	.number = number,
	.cell = add_cell,
	.role = role,
	.draw_name = draw_name,
	.is_dim = is_dim,
	.nr_below = tasks_nr_below,
	.below = tasks_below,
	.enter = tasks_enter,
	.figure = add_name,
	.row_word = "row",
	.figure_word = "name",
};

void tasks_table_init(struct view *v)
{
	v->table = (struct table){ .ops = &table_ops, .owner = v, .host = v->host, .margin = 1,
				   .name_least = 14,
				   .name_pad = MOST_NAME_CELLS };
	for (unsigned int comparing = 0; comparing < 2; comparing++) {
		v->order[TASKS_OF_TASKS][comparing].column =
			v->order[TASKS_OF_TYPES][comparing].column = 1;
		v->order[TASKS_OF_PREEMPTED][comparing].column =
			v->order[TASKS_OF_WOKEN][comparing].column = TASK_PAIR_TOTAL;
	}
	tasks_table_choose(v);
}

void tasks_table_choose(struct view *v)
{
	static const struct table_columns *const lists[TASKS_LISTS][2] = {
		[TASKS_OF_TASKS] = { &task_columns, &task_compare_columns },
		[TASKS_OF_CPUS] = { &task_cpu_columns, &task_cpu_compare_columns },
		[TASKS_OF_TYPES] = { &task_type_columns, &task_type_compare_columns },
		[TASKS_OF_PREEMPTED] = { &task_preempted_columns, &task_preempted_columns },
		[TASKS_OF_WOKEN] = { &task_woken_columns, &task_woken_columns },
	};

	v->table.columns = lists[v->list][v->comparing];
	v->table.order = &v->order[v->list][v->comparing];
	v->table.name_most = v->list == TASKS_OF_TYPES ? MOST_TYPE_CELLS : MOST_NAME_CELLS;
}
