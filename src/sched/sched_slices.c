/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * sched_slices - sums of tasks apart from the present ones: those of earlier slices of time, and
 * those that a split has ended.
 */
#include "src/sched/sched_rules_private.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* --- slices ------------------------------------------------------------------------------ */

struct sched_task *sched_slices_task(const struct sched_rules *r, const struct sched_task *t,
				     uint32_t slice)
{
	struct rules_slice *s = &r->earlier[slice];
	uint32_t task = (uint32_t)(((const char *)t - r->tasks) / (ptrdiff_t)sizeof(*t));

	if (task >= s->nr)	/* stamps went back */
		mem_reach(&s->tasks, &s->nr, task);
	if (!s->tasks[task])
		s->tasks[task] = mem_alloc(sizeof(**s->tasks));
	return s->tasks[task];
}

struct sched_task *sched_slices_task_at(const struct sched_rules *r, const struct sched_task *t,
					int64_t ts)
{
	uint32_t slice = time_slices_at(r->slices, ts);

	return slice < r->nr_earlier ? sched_slices_task(r, t, slice) : NULL;
}

static void clear_sums(struct sched_task *t)
{
	t->run = t->run_cut = t->wait = t->sleep = t->blocked = t->throttled = 0;
	t->doubtful_wait = t->doubtful_sleep = t->doubtful_blocked = 0;
	t->max_wakeup = t->max_wake_ts = 0;
	t->max_wake_comm = 0;
	t->max_wake_prio = 0;
	t->switches = t->preemptions = t->wakeups = t->migrations = t->moves = 0;
	t->answered = t->unsure = t->woke = 0;
}

void sched_rules_turn(struct sched_rules *r, const struct time_slices *slices,
		      const struct time_range *range)
{
	struct rules_slice slice = { mem_array((size_t)r->nr_tasks + 1, sizeof(*slice.tasks)),
				     r->nr_tasks };

	for (uint32_t i = 0; i < r->nr_tasks && !r->options.no_sums; i++) {
		struct sched_task *t = task_at(r, i);

		if (!sched_task_has_any(t) && !t->moves)
			continue;
		slice.tasks[i] = mem_copy(t, 1, sizeof(*t));
		clear_sums(t);
	}
	mem_grow(&r->earlier, r->nr_earlier, &r->cap_earlier);
	r->earlier[r->nr_earlier++] = slice;
	r->slices = slices;
	r->options.range = *range;
}

void sched_rules_forget(struct sched_rules *r, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < r->earlier[i].nr; k++)
			free(r->earlier[i].tasks[k]);
		free(r->earlier[i].tasks);
	}
	r->nr_earlier -= nr;
	if (r->nr_earlier)
		memmove(r->earlier, r->earlier + nr, r->nr_earlier * sizeof(*r->earlier));
}

/* Add the sums of slices to the present ones: the first slice first, as in task_table.c. */
void sched_slices_add(struct sched_rules *r, const struct sched_rules *from)
{
	for (uint32_t i = 0; from->nr_earlier && i < r->nr_tasks && !r->options.no_sums; i++) {
		const struct sched_task present = *task_at(r, i);

		clear_sums(task_at(r, i));
		for (uint32_t k = 0; k < from->nr_earlier; k++)
			if (i < from->earlier[k].nr && from->earlier[k].tasks[i])
				sched_task_add(task_at(r, i), from->earlier[k].tasks[i]);
		sched_task_add(task_at(r, i), &present);
	}
}

/* --- splits ------------------------------------------------------------------------------ */

/* The task's sums go to an entry of their own, which no record changes any more. */
static void split(struct sched_rules *r, const struct sched_split *at)
{
	uint32_t task = sched_rules_find(r, at->pid, INT64_MAX), part = r->nr_tasks;
	struct sched_task former, *t;

	if (task == SCHED_NO_TASK || r->full || task_at(r, task)->born >= at->ts)
		return;
	if (part >= SCHED_MAX_TASKS) {
		r->full = true;
		return;
	}
	former = *sched_rules_end_sums(r, task, at->ts);
	former.from = INT64_MIN;
	former.to = at->ts;
	former.state = SCHED_GONE;
	former.is_open = false;
	sched_rules_put(r, &former);
	t = task_at(r, task);
	clear_sums(t);
	t->listed = t->state != SCHED_GONE && t->state != SCHED_UNKNOWN;
	TELL(r, split, task, part, at->ts);
}

void sched_slices_split(struct sched_rules *r, int64_t ts)
{
	const struct sched_split *splits = r->options.splits;

	for (; r->next_split < r->options.nr_splits && splits[r->next_split].ts <= ts;
	     r->next_split++)
		split(r, &splits[r->next_split]);
}
