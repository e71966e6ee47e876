/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * tasks_other - compares the Tasks view with another file.  Tasks have other pids there and events
 * other ids, so rows are matched by name.  Tasks whose names differ only in numbers are one row.
 */
#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/sched/task_columns.h"
#include "ui/tasks/view_tasks.h"

int tasks_other(const struct view *v)
{
	return v->table.comparing ? shared_other(v->shared, v->file) : -1;
}

/* --- tasks of one name ----------------------------------------------------------------------- */

#define ADD(member) (sum->member += (__typeof__(sum->member))of->member)

static void add_task(struct sched_task *sum, const struct sched_task *of)
{
	ADD(run);
	ADD(run_cut);
	ADD(wait);
	ADD(sleep);
	ADD(blocked);
	ADD(doubtful_wait);
	ADD(doubtful_sleep);
	ADD(doubtful_blocked);
	ADD(switches);
	ADD(preemptions);
	ADD(migrations);
	ADD(wakeups);
	ADD(woke);
	ADD(answered);
	ADD(unsure);
	sum->last_switch_cpu = -1;	/* they have several */
	if (of->max_wakeup > sum->max_wakeup) {
		sum->max_wakeup = of->max_wakeup;
		sum->max_wake_ts = of->max_wake_ts;
		sum->max_wake_prio = of->max_wake_prio;
	}
}

static void add_sums(struct task_sums *sum, const struct task_sums *of)
{
	ADD(waits);
	ADD(waited);
	ADD(unsure);
	ADD(calls);
	ADD(call_time);
	ADD(irqs);
	ADD(irq_time);
	for (unsigned int i = 0; i < TASK_STAYS; i++)
		if (of->longest[i].length > sum->longest[i].length)
			sum->longest[i] = of->longest[i];
	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++)
		ADD(asleep[i]);
	for (unsigned int i = 0; i < TASK_BINS; i++) {
		ADD(runs[i]);
		ADD(wait_bins[i]);
	}
}

static int64_t longest_wait(const struct task_figures *f, uint32_t row)
{
	int64_t wait = f->sums[row].longest[TASK_WAITED].length, wake = f->tasks[row].max_wakeup;

	return wait > wake ? wait : wake;
}

/* The first task of each name gets the sums of all of them; the others go. */
static void fold(struct task_figures *f)
{
	char **names = mem_array(f->nr_tasks + 1, sizeof(*names));
	struct index_map map = { 0 };
	struct text name = { 0 };
	uint32_t nr = 0;

	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		uint32_t hash, at = nr;

		text_clear(&name);
		task_kind_name(f->text.data + f->comms[i], &name);
		hash = index_map_hash_bytes(text_str(&name), name.len);
		index_map_each (&map, hash, k)
			if (!strcmp(names[k], text_str(&name)))
				at = k;
		if (at < nr) {
			/* Enter leads to the task with the longest wait. */
			if (longest_wait(f, i) > longest_wait(f, at))
				f->tasks[at].pid = f->tasks[i].pid;
			add_task(&f->tasks[at], &f->tasks[i]);
			add_sums(&f->sums[at], &f->sums[i]);
			f->sums[at].tasks++;
			continue;
		}
		names[nr] = mem_strndup(text_str(&name), name.len);
		f->tasks[nr] = f->tasks[i];
		f->sums[nr] = f->sums[i];
		f->sums[nr].tasks = 1;
		f->comms[nr] = f->comms[i];
		index_map_add(&map, hash, nr++);
	}
	f->nr_tasks = nr;
	while (nr)
		free(names[--nr]);
	free(names);
	index_map_fini(&map);
	text_fini(&name);
}

static struct task_figures copy_of(const struct task_figures *f)
{
	struct task_figures copy = *f;

	copy.tasks = mem_copy(f->tasks, f->nr_tasks, sizeof(*f->tasks));
	copy.sums = mem_copy(f->sums, f->nr_tasks, sizeof(*f->sums));
	copy.comms = mem_copy(f->comms, f->nr_tasks, sizeof(*f->comms));
	copy.cpus = mem_copy(f->cpus, f->nr_cpus, sizeof(*f->cpus));
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++) {
		const struct task_pair_figures *of = &f->pairs[i];

		copy.pairs[i].pairs = mem_copy(of->pairs, of->nr, sizeof(*of->pairs));
		copy.pairs[i].names = mem_copy(of->names, of->nr, sizeof(*of->names));
		copy.pairs[i].bys = mem_copy(of->bys, of->nr, sizeof(*of->bys));
	}
	copy.text = (struct text){ 0 };
	text_bytes(&copy.text, f->text.data, f->text.len);
	return copy;
}

void tasks_fold(struct tasks_counted *c, bool folds)
{
	if (folds && c->has_figures && !c->unfolded.tasks) {
		c->unfolded = c->figures;
		c->figures = copy_of(&c->unfolded);
		fold(&c->figures);
	} else if (!folds && c->unfolded.tasks) {
		task_figures_fini(&c->figures);
		c->figures = c->unfolded;
		c->unfolded = (struct task_figures){ 0 };
	}
}

/* --- rows of one name ------------------------------------------------------------------------ */

static void row_name(const struct view *v, const struct tasks_counted *c, uint32_t row,
		     struct text *out)
{
	text_clear(out);
	if (v->list == TASKS_OF_TASKS)
		task_kind_name(c->figures.text.data + c->figures.comms[row], out);
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
