/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_groups - the list of tasks in groups: which ones, their names, which are open.  The groups
 * are the first rows of the figures (src/sched/task_groups.h).
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/tasks/view_tasks.h"

#define MANY_THREADS	9u		/* a process with as many is one row at first */

struct task_grouping tasks_grouping(const struct view *v)
{
	if (tasks_other(v) >= 0)	/* tasks have other pids there */
		return (struct task_grouping){ GROUPING_NAME, 1 };
	if (v->by)
		return (struct task_grouping){ v->by, 1 };
	return (struct task_grouping){ GROUPING_PROCESS, MANY_THREADS };
}

bool tasks_is_group(const struct view *v, uint32_t row)
{
	return v->list == TASKS_OF_TASKS && row < v->now.figures.nr_groups;
}

static uint32_t parent_of(const struct task_figures *f, uint32_t row)
{
	return f->nr_groups ? f->parents[row] : TASK_NO_GROUP;
}

uint32_t tasks_parent(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == TASKS_OF_TASKS ? parent_of(&v->now.figures, row) : TASK_NO_GROUP;
}

static uint64_t group_key(const struct view *v, uint32_t row)
{
	const char *name = tasks_comm(v, row);

	return 1ULL << 63 | index_map_hash_bytes(name, strlen(name));
}

/* A group's row is led by another task if that has waited longer; a pid may be in two groups. */
uint64_t tasks_row_key(const void *owner, uint32_t row)
{
	const struct view *v = owner;
	const struct sched_task *t;

	if (tasks_is_group(v, row))
		return group_key(v, row);
	if (v->list != TASKS_OF_TASKS)
		return tasks_key(v, row);
	t = &v->now.figures.tasks[row];
	return t->is_part ? (uint64_t)index_map_hash((uint64_t)t->to) << 32 | t->pid : t->pid;
}

bool tasks_is_open(const struct view *v, uint32_t group)
{
	return number_set_has(&v->opened, group_key(v, group)) != v->all_open;
}

bool tasks_is_in_closed(const struct view *v, uint32_t row)
{
	while ((row = tasks_parent(v, row)) != TASK_NO_GROUP)
		if (!tasks_is_open(v, row))
			return true;
	return false;
}

static void set_open(struct view *v, uint32_t group, bool open)
{
	uint64_t key = group_key(v, group);
	struct number_set rest = { 0 };
	bool is_new;

	if (tasks_is_open(v, group) == open)
		return;
	for (uint32_t i = 0; i < v->opened.nr; i++)
		if (v->opened.numbers[i] != key)
			number_set_add(&rest, v->opened.numbers[i], &is_new);
	if (rest.nr == v->opened.nr)
		number_set_add(&rest, key, &is_new);
	number_set_fini(&v->opened);
	v->opened = rest;
}

/* Opens or closes the group under the cursor; closing also the one around it. */
void tasks_open_group(struct view *v, bool open)
{
	uint32_t row = tasks_row(v);

	if (!open && (!tasks_is_group(v, row) || !tasks_is_open(v, row)))
		row = tasks_parent(v, row);
	if (row == TASK_NO_GROUP) {
		host_message(v->host, "the cursor is in no group");
		return;
	}
	if (tasks_is_open(v, row) == open) {
		host_message(v->host, "the group is open; c closes it");
		return;
	}
	set_open(v, row, open);
	table_select_key(&v->table, group_key(v, row));
	tasks_sort(v);
}

void tasks_open_groups(struct view *v, bool open)
{
	if (!v->now.figures.nr_groups) {
		host_message(v->host, "there are no groups: o r groups tasks by process");
		return;
	}
	number_set_fini(&v->opened);
	v->opened = (struct number_set){ 0 };
	v->all_open = open;
	tasks_sort(v);
}

bool tasks_show_task(struct view *v, uint32_t pid)
{
	const struct task_figures *f = &v->now.figures;
	uint32_t row = f->nr_tasks;

	while (row > f->nr_groups && f->tasks[row - 1].pid != pid)
		row--;
	if (row == f->nr_groups)
		return false;
	for (uint32_t up = row - 1; (up = parent_of(f, up)) != TASK_NO_GROUP;)
		set_open(v, up, true);
	tasks_sort(v);
	return table_select_key(&v->table, tasks_row_key(v, row - 1));
}

/* "perf-123 ×416"; of a path the last part, if the rest is above it */
void tasks_group_name(const struct view *v, uint32_t row, struct text *out)
{
	const struct task_figures *f = &v->now.figures;
	const char *name = tasks_comm(v, row), *last = strrchr(name, '/');

	if (f->parents[row] != TASK_NO_GROUP && last)
		name = last + 1;
	text_printable(out, name, strlen(name));
	if (f->sums[row].tasks > 1)
		text_printf(out, " ×%" PRIu32, f->sums[row].tasks);
}

void tasks_filter_group(struct view *v, uint32_t row, bool without)
{
	static const char *const names[GROUPINGS_NR] = { [GROUPING_CGROUP] = "cgroup",
							 [GROUPING_NAME] = "comm",
							 [GROUPING_USER] = "user" };
	const char *name = tasks_comm(v, row), *pid = strrchr(name, '-');

	if (!strcmp(name, GROUPING_NOT_KNOWN) || v->how.by == GROUPING_CLASS ||
	    (v->how.by == GROUPING_NAME && strchr(name, '*')))
		host_message(v->host, "no filter keeps this group; i on a task keeps the task");
	else if (v->how.by == GROUPING_PROCESS)
		host_filter_by(v->host, "tgid", pid ? pid + 1 : name, without);
	else
		host_filter_by(v->host, names[v->how.by], name, without);
}

/* The mark of a group, and room for it before others. */
void tasks_lead(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;

	if (v->list != TASKS_OF_TASKS || !v->now.figures.nr_groups)
		return;
	for (uint32_t up = row; (up = tasks_parent(v, up)) != TASK_NO_GROUP;)
		text_add(out, "  ");
	text_add(out, !tasks_is_group(v, row) ? "  " : tasks_is_open(v, row) ? "▾ " : "▸ ");
}

/* Of the rows of groups: does anything count for it, or for a task in it? */
void tasks_keep_groups(struct view *v)
{
	const struct task_figures *f = &v->now.figures;

	free(v->kept);
	v->kept = mem_array(f->nr_groups + 1, sizeof(*v->kept));
	for (uint32_t row = f->nr_groups; v->list == TASKS_OF_TASKS && row < f->nr_tasks; row++)
		for (uint32_t up = row; (up = parent_of(f, up)) != TASK_NO_GROUP && !v->kept[up] &&
					tasks_is_kept(v, row);)
			v->kept[up] = true;
}
