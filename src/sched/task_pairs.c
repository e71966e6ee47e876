/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

struct pair_list {
	struct task_pair *pairs;	/* owned */
	uint32_t	nr, cap;
	struct index_map map;		/* by task and by */
};

struct pair_lists {
	struct pair_list of[TASK_PAIR_KINDS];
};

struct task_pairs {
	const struct sched_pass_options *options;	/* borrowed */
	struct pair_lists lists;
	struct pair_lists *earlier;	/* owned, [nr_earlier] */
	uint32_t	 nr_earlier, cap_earlier;
	const struct time_slices *slices;	/* borrowed: theirs */
	struct cause {
		uint32_t	by;
		bool		late, no_context;
	}		*causes;	/* owned, [nr]: of each task's last wait */
	uint32_t	nr;
};

struct task_pairs *task_pairs_new(const struct sched_pass_options *options)
{
	struct task_pairs *p = mem_alloc(sizeof(*p));

	p->options = options;
	return p;
}

static void clear_lists(struct pair_lists *lists)
{
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++) {
		free(lists->of[i].pairs);
		index_map_fini(&lists->of[i].map);
	}
	*lists = (struct pair_lists){ 0 };
}

void task_pairs_turn(struct task_pairs *p, const struct time_slices *slices)
{
	mem_grow(&p->earlier, p->nr_earlier, &p->cap_earlier);
	p->earlier[p->nr_earlier++] = p->lists;
	p->lists = (struct pair_lists){ 0 };
	p->slices = slices;
}

void task_pairs_forget(struct task_pairs *p, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		clear_lists(&p->earlier[i]);
	p->nr_earlier -= nr;
	if (p->nr_earlier)
		memmove(p->earlier, p->earlier + nr, p->nr_earlier * sizeof(*p->earlier));
}

void task_pairs_clear(struct task_pairs *p)
{
	task_pairs_forget(p, p->nr_earlier);
	clear_lists(&p->lists);
	free(p->causes);
	p->causes = NULL;
	p->nr = 0;
}

void task_pairs_free(struct task_pairs *p)
{
	if (!p)
		return;
	task_pairs_clear(p);
	free(p->earlier);
	free(p);
}

/* --- who ---------------------------------------------------------------------------------- */

uint32_t task_pairs_waker(const struct sched_change *c)
{
	return c->by == SCHED_CONTEXT_TASK ? c->waker : TASK_BY(c->by);
}

static uint32_t next_of(const struct sched_pass *pass, const struct sched_change *c)
{
	if (c->limit)
		return sched_change_throttles(c)          ? TASK_BY_LIMIT :
		       c->limit == 1 + SCHED_LIMIT_SERVER ? SCHED_NO_TASK :
							    TASK_BY_YIELD;
	return c->rec->pid2 ? sched_rules_find(sched_pass_rules(pass), c->rec->pid2, c->ts) :
			      SCHED_IDLE_TASK;
}

const char *task_pairs_kind(uint32_t by)
{
	switch (by) {
	case TASK_BY(SCHED_CONTEXT_NMI):
		return "NMI";
	case TASK_BY(SCHED_CONTEXT_IRQ):
		return "hard irq";
	case TASK_BY(SCHED_CONTEXT_SOFTIRQ):
		return "softirq";
	case TASK_BY(SCHED_CONTEXT_TIMER):
		return "timer";
	case TASK_BY_LIMIT:
		return "throttled";
	case TASK_BY_YIELD:
		return "sched_yield";
	case SCHED_NO_TASK:
		return "not known";
	}
	return NULL;
}

const char *task_pair_by_comm(const struct sched_pass *pass, const struct task_pair *pair)
{
	const char *kind = task_pairs_kind(pair->by);

	return kind ? kind : sched_pass_comm(pass, pair->by);
}

/* --- the waits ---------------------------------------------------------------------------- */

/* @of: the pair, without sums if it is new. */
static struct task_pair *find_pair(struct pair_list *list, const struct task_pair *of)
{
	uint32_t hash = index_map_hash_pair(of->task, of->by);

	index_map_each (&list->map, hash, i)
		if (list->pairs[i].task == of->task && list->pairs[i].by == of->by)
			return &list->pairs[i];
	mem_grow(&list->pairs, list->nr, &list->cap);
	index_map_add(&list->map, hash, list->nr);
	list->pairs[list->nr] = (struct task_pair){ .task = of->task, .pid = of->pid, .by = of->by,
						    .by_pid = of->by_pid };
	return &list->pairs[list->nr++];
}

static void add_pair(struct pair_list *list, const struct task_pair *of)
{
	struct task_pair *pair = find_pair(list, of);

	if (of->max > pair->max || (of->count && !pair->count)) {
		pair->max = of->max;
		pair->max_ts = of->max_ts;
	}
	pair->count += of->count;
	pair->doubtful += of->doubtful;
	pair->late |= of->late;
	pair->no_context |= of->no_context;
	pair->total = (int64_t)((uint64_t)pair->total + (uint64_t)of->total);
}

static void add_lists(struct pair_lists *lists, const struct pair_lists *from)
{
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++)
		for (uint32_t k = 0; k < from->of[i].nr; k++)
			add_pair(&lists->of[i], &from->of[i].pairs[k]);
}

void task_pairs_follow(struct task_pairs *p, const struct task_pairs *former)
{
	task_pairs_clear(p);
	p->causes = mem_copy(former->causes, former->nr, sizeof(*p->causes));
	p->nr = former->nr;
	for (uint32_t i = 0; i < former->nr_earlier; i++)
		add_lists(&p->lists, &former->earlier[i]);
	add_lists(&p->lists, &former->lists);
}

/* The CPU where the wait ends is among those that were asked for. */
static bool is_asked(const struct task_pairs *p, const struct sched_pass *pass,
		     const struct sched_change *c)
{
	const struct sched_pass_options *o = p->options;
	int cpu = c->cpu < 0 ? -1 : sched_pass_cpu(pass, (unsigned int)c->cpu);

	return !o->only || (cpu >= 0 && (unsigned int)cpu < o->nr_only && o->only[cpu]);
}

/* The wait ended with a run that was recorded. */
static bool has_run(const struct sched_change *c)
{
	return c->rec && !c->dropped && c->state == SCHED_RUNS;
}

/*
 * Where a wait counts that ends with this change; NULL: nowhere.  No filter can tell of one whose
 * run is missing.
 */
static struct pair_lists *lists_for(struct task_pairs *p, const struct sched_pass *pass,
				    const struct sched_change *c)
{
	const struct sched_pass_options *o = p->options;
	uint32_t slice;

	if (!is_asked(p, pass, c) ||
	    (has_run(c) ? c->rec->uncounted & SCHED_NOT_OTHER : o->nr_filters))
		return NULL;
	if (time_range_has(&o->range, c->since))
		return &p->lists;
	slice = time_slices_at(p->slices, c->since);
	return slice < p->nr_earlier ? &p->earlier[slice] : NULL;
}

static void add_wait(struct task_pairs *p, const struct sched_pass *pass, uint32_t task,
		     const struct sched_change *c)
{
	enum task_pair_kind kind = c->was == SCHED_PREEMPTED ? TASK_PREEMPTED_BY : TASK_WOKEN_BY;
	struct pair_lists *lists = lists_for(p, pass, c);
	const struct sched_rules *rules = sched_pass_rules(pass);
	struct task_pair wait = { .task = task, .pid = sched_rules_task(rules, task)->pid,
				  .by = c->used_up ? TASK_BY_LIMIT : p->causes[task].by,
				  .late = p->causes[task].late,
				  .no_context = p->causes[task].no_context };

	if (!lists)
		return;
	if (wait.by < TASK_BY_FIRST)
		wait.by_pid = sched_rules_task(rules, wait.by)->pid;
	if (c->doubtful || !has_run(c)) {
		wait.doubtful = 1;
	} else {
		wait.count = 1;
		if (c->ts > c->since)
			wait.total = (int64_t)((uint64_t)c->ts - (uint64_t)c->since);
		wait.max = wait.total;
		wait.max_ts = c->since;
	}
	add_pair(&lists->of[kind], &wait);
}

void task_pairs_take(struct task_pairs *p, const struct sched_pass *pass, uint32_t task,
		     const struct sched_change *c)
{
	mem_reach(&p->causes, &p->nr, task);
	if (c->was == SCHED_PREEMPTED || c->was == SCHED_WAITS)
		add_wait(p, pass, task, c);
	if (c->rec && c->state == SCHED_PREEMPTED)
		p->causes[task] = (struct cause){ next_of(pass, c), false, false };
	else if (c->rec && c->state == SCHED_WAITS)
		p->causes[task] = (struct cause){ task_pairs_waker(c), c->late, c->no_context };
}

/* --- in order ----------------------------------------------------------------------------- */

static int by_total(const void *a, const void *b)
{
	const struct task_pair *x = a, *y = b;

	if (x->total != y->total)
		return x->total < y->total ? 1 : -1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (x->by_pid != y->by_pid)
		return x->by_pid < y->by_pid ? -1 : 1;
	return x->by < y->by ? -1 : x->by > y->by;
}

struct task_pair *task_pairs_sorted(const struct task_pairs *p, enum task_pair_kind kind,
				    uint32_t *nr)
{
	const struct pair_list *list = &p->lists.of[kind];
	struct task_pair *sorted = mem_array((size_t)list->nr + 1, sizeof(*sorted));

	*nr = list->nr;
	if (list->nr) {
		memcpy(sorted, list->pairs, list->nr * sizeof(*sorted));
		qsort(sorted, list->nr, sizeof(*sorted), by_total);
	}
	return sorted;
}
