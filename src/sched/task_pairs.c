/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_pairs.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/index_map.h"
#include "src/base/memory.h"

/* bits of common_flags */
#define FLAG_NMI	0x40
#define FLAG_IRQ	0x08
#define FLAG_SOFTIRQ	0x10

struct pair_list {
	struct task_pair *pairs;	/* owned */
	uint32_t	nr, cap;
	struct index_map map;		/* by task and by */
};

struct task_pairs {
	const struct sched_pass_options *options;	/* borrowed */
	struct pair_list lists[TASK_PAIR_KINDS];
	uint32_t	*by;		/* owned, [nr]: for each task, who caused its last wait */
	uint32_t	nr;
};

struct task_pairs *task_pairs_new(const struct sched_pass_options *options)
{
	struct task_pairs *p = mem_alloc(sizeof(*p));

	p->options = options;
	return p;
}

void task_pairs_follow(struct task_pairs *p, const struct task_pairs *former)
{
	task_pairs_clear(p);
	p->by = mem_copy(former->by, former->nr, sizeof(*p->by));
	p->nr = former->nr;
}

void task_pairs_clear(struct task_pairs *p)
{
	for (unsigned int i = 0; i < TASK_PAIR_KINDS; i++) {
		free(p->lists[i].pairs);
		index_map_fini(&p->lists[i].map);
		p->lists[i] = (struct pair_list){ 0 };
	}
	free(p->by);
	p->by = NULL;
	p->nr = 0;
}

void task_pairs_free(struct task_pairs *p)
{
	if (!p)
		return;
	task_pairs_clear(p);
	free(p);
}

/* --- who ---------------------------------------------------------------------------------- */

uint32_t task_pairs_waker(const struct sched_change *c)
{
	unsigned int flags = c->rec->detail;

	return flags & FLAG_NMI     ? TASK_BY_NMI :
	       flags & FLAG_IRQ     ? TASK_BY_IRQ :
	       flags & FLAG_SOFTIRQ ? TASK_BY_SOFTIRQ :
				      c->waker;
}

static uint32_t next_of(const struct sched_pass *pass, const struct sched_change *c)
{
	return c->rec->pid2 ? sched_rules_find(sched_pass_rules(pass), c->rec->pid2) :
			      SCHED_IDLE_TASK;
}

const char *task_pairs_kind(uint32_t by)
{
	switch (by) {
	case TASK_BY_NMI:
		return "NMI";
	case TASK_BY_IRQ:
		return "hard irq";
	case TASK_BY_SOFTIRQ:
		return "softirq";
	case SCHED_NO_TASK:
		return "<...>";
	}
	return NULL;
}

const char *task_pair_by_comm(const struct sched_pass *pass, const struct task_pair *pair)
{
	const char *kind = task_pairs_kind(pair->by);

	return kind ? kind : sched_pass_comm(pass, pair->by);
}

/* --- the waits ---------------------------------------------------------------------------- */

static struct task_pair *find_pair(struct pair_list *list, const struct sched_rules *rules,
				   uint32_t task, uint32_t by)
{
	uint32_t hash = index_map_hash_pair(task, by);

	index_map_each (&list->map, hash, i)
		if (list->pairs[i].task == task && list->pairs[i].by == by)
			return &list->pairs[i];
	mem_grow(&list->pairs, list->nr, &list->cap);
	index_map_add(&list->map, hash, list->nr);
	list->pairs[list->nr] = (struct task_pair){
		.task = task, .pid = sched_rules_task(rules, task)->pid, .by = by,
		.by_pid = by < TASK_BY_SOFTIRQ ? sched_rules_task(rules, by)->pid : 0,
	};
	return &list->pairs[list->nr++];
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

/* Does a wait count that ends with this change?  No filter can tell of one whose run is missing. */
static bool counts(const struct task_pairs *p, const struct sched_pass *pass,
		   const struct sched_change *c)
{
	const struct sched_pass_options *o = p->options;

	if (!time_range_has(&o->range, c->since) || !is_asked(p, pass, c))
		return false;
	return has_run(c) ? !(c->rec->uncounted & SCHED_NOT_OTHER) : !o->nr_filters;
}

static void add_wait(struct task_pairs *p, const struct sched_pass *pass, uint32_t task,
		     const struct sched_change *c)
{
	enum task_pair_kind kind = c->was == SCHED_PREEMPTED ? TASK_PREEMPTED_BY : TASK_WOKEN_BY;
	struct task_pair *pair = find_pair(&p->lists[kind], sched_pass_rules(pass), task,
					   p->by[task]);
	int64_t length = c->ts > c->since ? (int64_t)((uint64_t)c->ts - (uint64_t)c->since) : 0;

	if (c->doubtful || !has_run(c)) {
		pair->doubtful++;
		return;
	}
	pair->count++;
	pair->total = (int64_t)((uint64_t)pair->total + (uint64_t)length);
	if (length > pair->max || pair->count == 1) {
		pair->max = length;
		pair->max_ts = c->since;
	}
}

void task_pairs_take(struct task_pairs *p, const struct sched_pass *pass, uint32_t task,
		     const struct sched_change *c)
{
	mem_reach(&p->by, &p->nr, task);
	if ((c->was == SCHED_PREEMPTED || c->was == SCHED_WAITS) && counts(p, pass, c))
		add_wait(p, pass, task, c);
	if (c->rec && c->state == SCHED_PREEMPTED)
		p->by[task] = next_of(pass, c);
	else if (c->rec && c->state == SCHED_WAITS)
		p->by[task] = task_pairs_waker(c);
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
	const struct pair_list *list = &p->lists[kind];
	struct task_pair *sorted = mem_array((size_t)list->nr + 1, sizeof(*sorted));

	*nr = list->nr;
	if (list->nr) {
		memcpy(sorted, list->pairs, list->nr * sizeof(*sorted));
		qsort(sorted, list->nr, sizeof(*sorted), by_total);
	}
	return sorted;
}
