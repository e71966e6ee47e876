/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_groups - the lists of tasks and CPUs in groups: which ones, their names, which are open.
 * The groups are the first rows of the figures (src/sched/task_groups.h).
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/tasks/view_tasks.h"

#define MANY_CPUS	64u		/* groups of more are closed at first */

struct task_grouping tasks_grouping(const struct view *v)
{
	if (tasks_other(v) >= 0)	/* tasks have other pids there */
		return (struct task_grouping){ GROUPING_NAME, 1 };
	if (v->by)
		return (struct task_grouping){ v->by, groupings[v->by].least };
	return (struct task_grouping){ GROUPING_PROCESS, GROUPING_MANY };
}

/* Where the trace tells nothing of its machine, CPUs are in no groups. */
void tasks_group_cpus(struct view *v, struct task_figures *f, unsigned int file)
{
	const struct machine *machine = trace_machine(v->shared->trace, file);
	int *cpus = mem_array(f->nr_cpus + 1, sizeof(*cpus));
	struct cpu_groups groups = { 0 };

	for (unsigned int i = 0; i < f->nr_cpus; i++)
		cpus[i] = f->cpus[i].cpu;
	cpu_groups_tree(&groups, machine, cpus, f->nr_cpus);
	if (groups.nr)
		task_groups_make_cpus(f, &groups);
	cpu_groups_fini(&groups);
	free(cpus);
}

uint32_t tasks_nr_groups(const struct view *v)
{
	return v->list == TASKS_OF_TASKS ? v->now.figures.nr_groups :
	       v->list == TASKS_OF_CPUS  ? v->now.figures.nr_cpu_groups :
					   0;
}

bool tasks_is_group(const struct view *v, uint32_t row)
{
	return row < tasks_nr_groups(v);
}

uint32_t tasks_parent(const void *owner, uint32_t row)
{
	const struct view *v = owner;
	const struct task_figures *f = &v->now.figures;

	if (!tasks_nr_groups(v))
		return TASK_NO_GROUP;
	return v->list == TASKS_OF_CPUS ? f->cpu_parents[row] : f->parents[row];
}

static const char *name_of(const struct view *v, uint32_t group)
{
	const struct task_figures *f = &v->now.figures;

	return v->list == TASKS_OF_CPUS ? f->text.data + f->cpu_names[group] : tasks_comm(v, group);
}

/* Groups of CPUs may have one name: node 0 of cache 0. */
static uint64_t group_key(const struct view *v, uint32_t row)
{
	const char *name = name_of(v, row);

	if (v->list == TASKS_OF_CPUS)
		return 1ULL << 62 | row;
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
	return t->to != INT64_MAX ? (uint64_t)index_map_hash((uint64_t)t->to) << 32 | t->pid :
				    t->pid;
}

/*
 * Groups of tasks are closed at first, but for the cgroup that all others are in; those of CPUs are
 * if there are many.
 */
static bool is_open_at_first(const struct view *v, uint32_t group)
{
	const struct task_figures *f = &v->now.figures;

	if (v->list != TASKS_OF_CPUS)
		return !strcmp(name_of(v, group), "/");
	return f->nr_cpus - f->nr_cpu_groups <= MANY_CPUS;
}

bool tasks_is_open(const struct view *v, uint32_t group)
{
	return folds_is_open(&v->folds[v->list], group_key(v, group), is_open_at_first(v, group));
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
	folds_set(&v->folds[v->list], group_key(v, group), open, is_open_at_first(v, group));
}

/*
 * Opens the group under the cursor, or closes it.  Where the cursor is on no open group, the group
 * around it is closed.
 */
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
	if (!tasks_nr_groups(v)) {
		host_message(v->host,
			     v->list == TASKS_OF_CPUS ?
				     "the trace does not tell which CPUs share a node or a cache" :
				     "there are no groups: o r groups tasks by process");
		return;
	}
	folds_set_all(&v->folds[v->list], open);
	tasks_sort(v);
}

/* The row of a task of former figures; SCHED_NO_TASK: it is not listed. */
static uint32_t row_of(const struct view *v, const struct sched_task *of)
{
	const struct task_figures *f = &v->now.figures;
	uint32_t found = SCHED_NO_TASK;

	for (uint32_t i = f->nr_groups; i < f->nr_tasks; i++)
		if (f->tasks[i].pid == of->pid && f->tasks[i].to > of->born &&
		    (found == SCHED_NO_TASK || f->tasks[i].to < f->tasks[found].to))
			found = i;
	return found != SCHED_NO_TASK && tasks_is_listed(v, found) ? found : SCHED_NO_TASK;
}

void tasks_seek(struct view *v)
{
	struct tasks_sought *sought = &v->sought;
	struct text name = { 0 };

	/* still sought, and the cursor was not moved meanwhile */
	if (sought->task.pid && v->table.has_here && v->table.here == sought->key)
		return;
	sought->task.pid = 0;
	if (v->list != TASKS_OF_TASKS || !v->table.has_here || !v->table.nr ||
	    !v->now.has_figures || tasks_is_group(v, tasks_row(v)))
		return;
	sought->task = v->now.figures.tasks[tasks_row(v)];
	sought->key = v->table.here;
	tasks_name(v, tasks_row(v), &name);
	snprintf(sought->name, sizeof(sought->name), "%s", text_str(&name));
	text_fini(&name);
}

/* Another task may have the pid in the new figures. */
void tasks_follow(struct view *v)
{
	struct tasks_sought *sought = &v->sought;
	uint32_t row;

	if (!sought->task.pid)
		return;
	row = row_of(v, &sought->task);
	if (row != SCHED_NO_TASK) {
		v->table.here = tasks_row_key(v, row);
		if (v->open == sought->key)
			v->open = v->table.here;
	} else if (v->now.figures.done) {
		host_message(v->host,
			     "%s is not listed any more: the cursor is on the first row now",
			     sought->name);
		table_home(&v->table);
	} else {
		return;		/* perhaps not yet */
	}
	sought->task.pid = 0;
}

bool tasks_show_task(struct view *v, uint32_t pid)
{
	const struct task_figures *f = &v->now.figures;
	uint32_t row = f->nr_tasks;

	while (row > f->nr_groups && f->tasks[row - 1].pid != pid)
		row--;
	if (row == f->nr_groups)
		return false;
	for (uint32_t up = row - 1; (up = tasks_parent(v, up)) != TASK_NO_GROUP;)
		set_open(v, up, true);
	tasks_sort(v);
	return table_select_key(&v->table, tasks_row_key(v, row - 1));
}

/* "perf-123 ×416", "node 1 ×64"; of a path the last part, if the rest is above it */
void tasks_group_name(const struct view *v, uint32_t row, struct text *out)
{
	const struct task_figures *f = &v->now.figures;
	const char *name = name_of(v, row), *last = strrchr(name, '/');
	uint32_t nr = v->list == TASKS_OF_CPUS ? f->cpus[row].cpus : f->sums[row].tasks,
		 up = tasks_parent(v, row);
	/* the cell has no room for more of a name that stands so far to the right */
	bool is_deep = v->list == TASKS_OF_CPUS && up != TASK_NO_GROUP &&
		       tasks_parent(v, up) != TASK_NO_GROUP;

	if (up != TASK_NO_GROUP && last && last > name)
		name = last + 1;
	text_printable(out, name, strlen(name));
	if (nr > 1 && !is_deep)
		text_printf(out, " ×%" PRIu32, nr);
}

void tasks_filter_group(struct view *v, uint32_t row, bool without)
{
	static const char *const names[GROUPINGS_NR] = { [GROUPING_CGROUP] = "cgroup",
							 [GROUPING_NAME] = "comm",
							 [GROUPING_USER] = "user" };
	const char *name = tasks_comm(v, row);
	char tgid[16];
	int pid;

	if (!strcmp(name, GROUPING_NOT_KNOWN) || v->how.by == GROUPING_CLASS ||
	    (v->how.by == GROUPING_NAME && strchr(name, '*'))) {
		host_message(v->host, "no filter keeps this group; i on a task keeps the task");
	} else if (v->how.by == GROUPING_PROCESS) {
		grouping_process_name(name, &pid);
		snprintf(tgid, sizeof(tgid), "%d", pid);
		host_filter_by(v->host, "tgid", tgid, without);
	} else {
		host_filter_by(v->host, names[v->how.by], name, without);
	}
}

/* The mark of a group, and room for it before others. */
void tasks_lead(const void *owner, uint32_t row, struct text *out)
{
	const struct view *v = owner;

	if (!tasks_nr_groups(v))
		return;
	for (uint32_t up = row; (up = tasks_parent(v, up)) != TASK_NO_GROUP;)
		text_add(out, "  ");
	text_add(out, !tasks_is_group(v, row) ? "  " : tasks_is_open(v, row) ? "▾ " : "▸ ");
}

/* Of the rows of groups: does anything count for it, or for a task or CPU in it? */
void tasks_keep_groups(struct view *v)
{
	uint32_t nr = tasks_nr_groups(v), all = tasks_nr_rows(&v->now, v->list);

	free(v->kept);
	v->kept = mem_array(nr + 1, sizeof(*v->kept));
	for (uint32_t row = nr; nr && row < all; row++)
		for (uint32_t up = row; (up = tasks_parent(v, up)) != TASK_NO_GROUP &&
					!v->kept[up] && tasks_is_kept(v, row);)
			v->kept[up] = true;
}
