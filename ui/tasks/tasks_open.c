/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_open - the lines below an open row: who preempted the task, and who woke it. */
#include "src/base/index_map.h"
#include "ui/tasks/view_tasks.h"

#define MOST_OF_A_KIND	(TASKS_MOST_BELOW / TASK_PAIR_KINDS)

static void add_pairs(struct view *v, enum task_pair_kind kind)
{
	const struct task_pair_figures *f = &v->now.figures.pairs[kind];
	const struct sched_task *t = &v->now.figures.tasks[v->open_row];
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->nr && nr < MOST_OF_A_KIND; i++) {
		const struct task_pair *pair = &f->pairs[i];

		if (pair->pid != t->pid ||
		    (pair->count && sched_task_time(t, pair->max_ts) != pair->max_ts))
			continue;
		v->below[v->nr_below++] = (struct tasks_pair){ kind, i };
		nr++;
	}
}

void tasks_open_find(struct view *v)
{
	const struct task_figures *f = &v->now.figures;

	v->open_known = false;
	v->nr_below = 0;
	for (uint32_t i = f->nr_groups; v->open && v->list == TASKS_OF_TASKS && i < f->nr_tasks;
	     i++) {
		if (tasks_row_key(v, i) != v->open)
			continue;
		v->open_known = true;
		v->open_row = i;
	}
	for (unsigned int kind = 0; v->open_known && kind < TASK_PAIR_KINDS; kind++)
		add_pairs(v, kind);
}

void tasks_unfold(struct view *v, bool open)
{
	v->open = open ? tasks_row_key(v, tasks_row(v)) : 0;
	tasks_sort(v);
}

/* Without pairs, one line says so. */
uint32_t tasks_nr_below(const void *owner, uint32_t *row)
{
	const struct view *v = owner;

	if (!v->open_known)
		return 0;
	*row = v->open_row;
	return v->nr_below ? v->nr_below : 1;
}

static void add_count(const struct view *v, const struct task_pair *pair, struct text *out)
{
	text_add(out, "×");
	text_count(out, pair->count);
	if (pair->count) {
		text_add(out, ", waited ");
		shared_span(v->shared, pair->total, out);
	}
	if (pair->count > 1) {
		text_add(out, ", longest ");
		shared_span(v->shared, pair->max, out);
	}
	if (pair->count) {
		text_add(out, ", at ");
		shared_time(v->shared, pair->max_ts, 6, out);
	}
	if (pair->doubtful) {
		text_add(out, "; ~ ×");
		text_count(out, pair->doubtful);
	}
}

/* "    preempted by  migration/1-19  ×1, waited 3.029 ms, at 7.512345" */
void tasks_below(const void *owner, uint32_t i, struct text *out, enum role *role)
{
	const struct view *v = owner;
	struct task_pair_row row;

	*role = v->nr_below ? ROLE_TEXT : ROLE_DIM;
	if (!v->nr_below) {
		text_add(out, "    no preemption and no wake-up of it led to a run here");
		return;
	}
	row = tasks_pair_row(v, v->below[i]);
	text_add(out,
		 v->below[i].kind == TASK_WOKEN_BY ? "    woken by      " : "    preempted by  ");
	task_pair_by(&row, out);
	text_add(out, "  ");
	add_count(v, row.pair, out);
}

/* Who it was: numbers of tasks change while the trace grows, but not their pids. */
uint64_t tasks_below_key(const void *owner, uint32_t i)
{
	const struct view *v = owner;
	const struct task_pair *pair;

	if (i >= v->nr_below)
		return 0;
	pair = tasks_pair_row(v, v->below[i]).pair;
	return index_map_mix(v->below[i].kind + 1u,
			     pair->by_pid ? pair->by_pid : 1ULL << 32 | pair->by);
}

bool tasks_pair_here(const struct view *v, struct tasks_pair *pair)
{
	uint32_t i;

	if (!v->table.nr)
		return false;
	if (tasks_is_of_pairs(v)) {
		*pair = (struct tasks_pair){ tasks_pair_kind(v->list), tasks_row(v) };
		return true;
	}
	if (!table_is_below(&v->table, v->table.window.at, &i) || i >= v->nr_below)
		return false;
	*pair = v->below[i];
	return true;
}
