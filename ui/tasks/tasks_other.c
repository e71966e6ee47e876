/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_other - compares the Tasks view with another file.  Tasks have other pids there and events
 * other ids, so rows are matched by name: of tasks, groups of those whose names differ only in
 * numbers.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/sched/task_columns.h"
#include "ui/tasks/view_tasks.h"

int tasks_other(const struct view *v)
{
	return v->table.comparing ? shared_other(v->shared, v->file) : -1;
}

static void row_name(const struct view *v, const struct tasks_counted *c, uint32_t row,
		     struct text *out)
{
	text_clear(out);
	if (v->list == TASKS_OF_TASKS) {
		text_add(out, c->figures.text.data + c->figures.comms[row]);
		/* not the name of a group, which may be equal */
		if (row >= c->figures.nr_groups)
			text_printf(out, "\x1f%" PRIu32, c->figures.tasks[row].pid);
	} else if (v->list == TASKS_OF_CPUS && row < c->figures.nr_cpu_groups)
		text_add(out, c->figures.text.data + c->figures.cpu_names[row]);
	else if (v->list == TASKS_OF_CPUS)
		text_printf(out, "%d", c->figures.cpus[row].cpu);
	else
		event_counts_type_name(v->shared->trace, &c->types[row], out);
}

struct named {
	char		*name;		/* owned */
	uint32_t	 row;
};

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct named *)a)->name, ((const struct named *)b)->name);
}

void tasks_match_other(struct view *v, uint32_t nr, uint32_t all)
{
	struct named *rows = mem_array(all + 1, sizeof(*rows));
	struct text name = { 0 };

	for (uint32_t i = 0; i < all; i++) {
		row_name(v, &v->whole, i, &name);
		rows[i] = (struct named){ mem_strndup(text_str(&name), name.len), i };
	}
	if (all)
		qsort(rows, all, sizeof(*rows), by_name);
	for (uint32_t i = 0; i < nr; i++) {
		const struct named *found;
		struct named key = { 0 };

		row_name(v, &v->now, i, &name);
		key.name = name.data;
		found = bsearch(&key, rows, all, sizeof(*rows), by_name);
		v->of_whole[i] = found ? found->row : UINT32_MAX;
	}
	for (uint32_t i = 0; i < all; i++)
		free(rows[i].name);
	free(rows);
	text_fini(&name);
}
