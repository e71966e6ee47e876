/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_columns - the cells of the Tasks view's lists; src/sched/task_columns has the columns. */
#include <string.h>

#include "src/diff/diff.h"
#include "src/sched/task_columns.h"
#include "ui/rows/row.h"
#include "ui/tasks/view_tasks.h"

#define MOST_NAME_CELLS		28
#define MOST_TYPE_CELLS		48

/* --- the rest of the trace --------------------------------------------------------------- */

struct made_rest {
	struct task_row	 row;
	struct sched_task task;
	struct task_sums sums;
};

/* Sums of the whole trace become those of the rest.  What cannot be added up has no column. */
#define LESS(member) (rest->member -= now->member < rest->member ? now->member : rest->member)

static void task_less(struct sched_task *rest, const struct sched_task *now)
{
	LESS(run);
	LESS(run_cut);
	LESS(wait);
	LESS(blocked);
	LESS(switches);
	LESS(wakeups);
}

static void sums_less(struct task_sums *rest, const struct task_sums *now)
{
	LESS(waits);
	LESS(waited);
	LESS(calls);
	LESS(irqs);
	for (unsigned int i = 0; i < TASK_BINS; i++) {
		LESS(runs[i]);
		LESS(wait_bins[i]);
	}
}

static void cpu_less(struct cpu_sums *rest, const struct cpu_sums *now)
{
	LESS(busy);
	LESS(irq);
	LESS(softirq);
	LESS(switches);
	LESS(calls);
	LESS(irqs);
	LESS(queue.known);
	LESS(queue.waited);
	LESS(queue.doubtful);
}

static void type_less(struct task_type_row *rest, const struct event_count *now)
{
	LESS(events);
}

static const void *rest_of(const struct view *v, uint32_t row, struct table_made *made)
{
	const struct task_figures *now = &v->now.figures, *whole = &v->whole.figures;
	uint32_t of = v->of_whole ? v->of_whole[row] : UINT32_MAX;
	struct task_type_row *type = (struct task_type_row *)made->room;
	struct made_rest *task = (struct made_rest *)made->room;
	struct cpu_sums *cpu = (struct cpu_sums *)made->room;
	bool is_other = tasks_other(v) >= 0;	/* or less the range */

	_Static_assert(sizeof(*task) <= sizeof(made->room), "it has room");
	if (of == UINT32_MAX)
		return NULL;
	if (v->list == TASKS_OF_TYPES) {
		type->events = v->whole.types[of].events;
		if (!is_other)
			type_less(type, &v->now.types[row]);
		return type;
	}
	if (v->list == TASKS_OF_CPUS) {
		*cpu = whole->cpus[of];
		if (!is_other)
			cpu_less(cpu, &now->cpus[row]);
		return cpu;
	}
	*task = (struct made_rest){ { .task = &task->task, .sums = &task->sums },
				    whole->tasks[of], whole->sums[of] };
	if (is_other)
		return task;
	task_less(&task->task, &now->tasks[row]);
	sums_less(&task->sums, &now->sums[row]);
	return task;
}

/* --- does it differ? ------------------------------------------------------------------------- */

struct judged_side {				/* a side of a row */
	const struct task_row *row;
	bool		exact;		/* by its durations, else by bins: */
	struct task_durations *durations;	/* borrowed; NULL: it has none */
	uint64_t	runs[DIFF_BINS], waits[DIFF_BINS];
};

static void fill(struct diff_side *side, struct judged_side *of)
{
	const struct task_row *row = of->row;
	struct task_durations *d = of->durations;

	_Static_assert(DIFF_BINS == TASK_BINS, "runs and waits are copied");
	side->count = row->task->switches;
	side->total = (uint64_t)time_after(row->task->run, row->task->run_cut);
	if (d)
		duration_set_merge(&side->durations, &d->of[TASK_SLICES]);
	for (unsigned int i = 0; d && i < TASK_SLICES; i++)
		duration_set_merge(&side->waits, &d->of[i]);
	if (of->exact) {
		side->lacks = side->durations.nr ? 0 : DIFF_HAS_DURATIONS;
		return;
	}
	for (unsigned int i = 0; i < DIFF_BINS; i++) {
		of->runs[i] = row->sums->runs[i];
		of->waits[i] = row->sums->wait_bins[i];
	}
	side->histogram = of->runs;
	side->wait_histogram = of->waits;
}

static void fini(struct diff_side *side)
{
	duration_set_fini(&side->durations);
	duration_set_fini(&side->waits);
}

/*
 * Of another file, each duration is compared, as in ftop-trace diff.  The rest of a trace is what
 * all has more than the range, so it has bins.  @rest: NULL: it has no such task
 */
static void judge_tasks(const struct view *v, uint32_t row, const struct task_row *rest,
			struct diff_row *both)
{
	const struct task_figures *now = &v->now.figures, *other = &v->whole.figures;
	const struct task_row here = { .task = &now->tasks[row], .sums = &now->sums[row] };
	bool exact = v->of_other && now->durations && other->durations;
	struct judged_side sides[2] = { { .row = &here, .exact = exact },
				   { .row = rest, .exact = exact } };

	if (exact)
		sides[0].durations = now->durations[row];
	if (exact && rest)
		sides[1].durations = other->durations[v->of_whole[row]];
	for (unsigned int i = 0; i < 2 && sides[i].row; i++)
		fill(&both->of[i], &sides[i]);
	diff_judge(&(struct diff){ .cpu_time = { v->table.span[0], v->table.span[1] } }, both);
	fini(&both->of[0]);
	fini(&both->of[1]);
}

static bool judge(const struct view *v, uint32_t row)
{
	struct diff diff = { .cpu_time = { v->table.span[0], v->table.span[1] } };
	struct diff_row both = { 0 };
	struct table_made made;
	const void *rest = rest_of(v, row, &made);

	if (v->list == TASKS_OF_TYPES) {
		both.of[0].count = v->now.types[row].events;
		both.of[1].count = rest ? ((const struct task_type_row *)rest)->events : 0;
		diff_judge(&diff, &both);
	} else {
		judge_tasks(v, row, rest, &both);
	}
	return both.is_by_chance;
}

bool tasks_is_by_chance(const struct view *v, uint32_t row)
{
	if (!v->table.comparing || !v->of_whole || v->list == TASKS_OF_CPUS)
		return false;
	if (v->verdicts[row] == TASKS_NOT_JUDGED)
		v->verdicts[row] = judge(v, row) ? TASKS_BY_CHANCE : TASKS_DIFFER;
	return v->verdicts[row] == TASKS_BY_CHANCE;
}

/* --- rows ----------------------------------------------------------------------------------- */

static const void *type_row(const struct view *v, uint32_t row, struct table_made *made)
{
	struct task_type_row *type = (struct task_type_row *)made->room;

	*type = (struct task_type_row){ "", v->now.types[row].events };
	if (made->words) {
		tasks_name(v, row, made->words);
		type->name = text_str(made->words);
	}
	return type;
}

static const void *task_row(const struct view *v, uint32_t row, struct table_made *made)
{
	struct task_row *task = (struct task_row *)made->room;

	*task = task_row_of(&v->now.figures, row);
	task->clock = shared_clock(v->shared);
	task->lacks = v->table.lacks;
	if (made->words)
		task->wake_comm = tasks_wake_comm(v, task->task);
	return task;
}

static const void *row(const void *owner, uint32_t row, struct table_made *made)
{
	const struct view *v = owner;
	struct task_pair_row *pair = (struct task_pair_row *)made->room;

	if (made->rest)
		return rest_of(v, row, made);
	if (v->list == TASKS_OF_CPUS)
		return &v->now.figures.cpus[row];
	if (v->list == TASKS_OF_TYPES)
		return type_row(v, row, made);
	if (v->list == TASKS_OF_TASKS)
		return task_row(v, row, made);
	*pair = tasks_pair_row(v, (struct tasks_pair){ tasks_pair_kind(v->list), row });
	return pair;
}

/* --- the table ------------------------------------------------------------------------ */

static uint32_t nr_rows(const void *owner)
{
	const struct view *v = owner;

	return tasks_nr_rows(&v->now, v->list);
}

bool tasks_is_listed(const struct view *v, uint32_t row)
{
	if (v->list != TASKS_OF_TASKS)
		return true;
	if (v->is_now && !now_is_listed(v, row))
		return false;
	/* compared with the rest, it may be there alone */
	return !v->scope.of.has_from || v->table.comparing ||
	       task_figures_know(&v->now.figures, row);
}

/* Types without events are rows of a comparison only. */
static bool is_shown(const void *owner, uint32_t row)
{
	const struct view *v = owner;
	bool hiding = filters_hiding(&v->shared->chosen.filters) ||
		      (v->list == TASKS_OF_TYPES && !v->table.comparing);

	if (!tasks_is_listed(v, row) || tasks_is_in_closed(v, row))
		return false;
	return !hiding || tasks_is_kept(v, row);
}

static void add_name(const void *owner, uint32_t row, struct text *out)
{
	tasks_name(owner, row, out);
}

/* A row that is compared with another file may be several tasks of a name. */
static enum role task_role(const struct view *v, const char *comm, uint64_t pid)
{
	return row_pid_role(comm, tasks_other(v) < 0 ? (int)pid : 0);
}

static enum role name_role(const void *owner, uint32_t row, bool *is_task)
{
	const struct view *v = owner;
	struct task_pair_row pair;

	*is_task = v->list != TASKS_OF_CPUS && v->list != TASKS_OF_TYPES && !tasks_is_group(v, row);
	if (!*is_task)
		return ROLE_TEXT;
	if (!tasks_is_of_pairs(v))
		return task_role(v, tasks_comm(v, row), tasks_key(v, row));
	pair = tasks_pair_row(v, (struct tasks_pair){ tasks_pair_kind(v->list), row });
	return task_role(v, pair.comm, pair.pair->pid);
}

static enum role role(const void *owner, uint32_t row, const struct table_column *column)
{
	const struct view *v = owner;
	struct task_pair_row pair;

	if (column->kind != TABLE_STRING || !tasks_is_of_pairs(v))
		return ROLE_NUMBER;
	pair = tasks_pair_row(v, (struct tasks_pair){ tasks_pair_kind(v->list), row });
	return task_role(v, pair.by, pair.pair->by_pid);
}

static bool has_column(const void *owner, const struct table_column *column)
{
	return column->own != TASK_LINE || now_has_line(owner);
}

static const char *title(const void *owner, const struct table_column *column)
{
	return column->own == TASK_LINE ? now_line_title(owner) : NULL;
}

static void add_to_cell(const void *owner, uint32_t row, const struct table_column *column,
			int cells, struct text *out)
{
	const struct view *v = owner;

	if (v->list == TASKS_OF_TASKS && column->own == TASK_LINE && !tasks_is_group(v, row))
		now_add_line(v, &v->now.figures.tasks[row], cells, out);
}

bool tasks_is_recorder(const struct view *v, uint32_t row)
{
	const struct sched_task *t = &v->now.figures.tasks[row];

	return v->list == TASKS_OF_TASKS && !tasks_is_group(v, row) &&
	       trace_is_recorder(v->shared->trace, v->file, (int)t->pid, t->to, tasks_comm(v, row));
}

static bool is_last(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->is_now && tasks_is_recorder(v, row);
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->now.is_former || !tasks_is_kept(owner, row) || tasks_is_by_chance(owner, row) ||
	       tasks_is_recorder(v, row);
}

static const struct table_ops table_ops = {
	.nr_rows = nr_rows,
	.is_shown = is_shown,
	.key = tasks_row_key,
	.parent = tasks_parent,
	.lead = tasks_lead,
	.name = add_name,
	.row = row,
	.has_column = has_column,
	.title = title,
	.add_to_cell = add_to_cell,
	.role = role,
	.name_role = name_role,
	.is_dim = is_dim,
	.is_last = is_last,
	.nr_below = tasks_nr_below,
	.below = tasks_below,
	.below_key = tasks_below_key,
	.enter = tasks_enter,
	.figure_word = "name",
	.found_word = "name",
};

void tasks_table_init(struct view *v)
{
	v->table = (struct table){ .ops = &table_ops,
				   .owner = v,
				   .host = v->host,
				   .shared = v->shared,
				   .margin = 1,
				   .name_least = 14,
				   .name_pad = MOST_NAME_CELLS };
	for (unsigned int comparing = 0; comparing < 2; comparing++) {
		v->order[TASKS_OF_TASKS][comparing].column =
			v->order[TASKS_OF_TYPES][comparing].column = 1 + comparing;
		v->order[TASKS_OF_PREEMPTED][comparing].column =
			v->order[TASKS_OF_WOKEN][comparing].column = TASK_PAIR_TOTAL;
	}
	tasks_table_choose(v);
}

void tasks_table_choose(struct view *v)
{
	const struct task_figures *f = &v->now.figures;
	static const char *const row_names[TASKS_LISTS] = { "task", "CPU", "type", "pair", "pair" };
	static const struct table_columns *const lists[TASKS_LISTS][2] = {
		[TASKS_OF_TASKS] = { &task_columns, &task_compare_columns },
		[TASKS_OF_CPUS] = { &task_cpu_columns, &task_cpu_compare_columns },
		[TASKS_OF_TYPES] = { &task_type_columns, &task_type_compare_columns },
		[TASKS_OF_PREEMPTED] = { &task_preempted_columns, &task_preempted_columns },
		[TASKS_OF_WOKEN] = { &task_woken_columns, &task_woken_columns },
	};

	memcpy(v->table.lists, lists[v->list], sizeof(lists[0]));
	v->table.row_name = row_names[v->list];
	if (v->list == TASKS_OF_TASKS && f->nr_groups)
		v->table.row_name = v->how.least > 1 ? "row" : groupings[v->how.by].option;
	if (v->shared->trace)
		v->table.lacks = task_columns_lack(f, trace_machine(v->shared->trace, v->file));
	v->table.orders = v->order[v->list];
	v->table.name_most = v->list == TASKS_OF_TYPES ? MOST_TYPE_CELLS : MOST_NAME_CELLS;
}
