/* SPDX-License-Identifier: GPL-2.0-or-later */
/* diff_sched - tasks, and what the scheduler did, of one trace: a pass over its states. */
#include <stdlib.h>

#include "src/diff/diff.h"
#include "src/sched/run_queue.h"
#include "src/sched/sched_pass.h"
#include "src/sched/task_columns.h"

#define MOST_DISTINCT	(1u << 20)

enum figure {
	WAKEUP_STAYED, WAKEUP_MIGRATED, PREEMPTED, SLICE, SWITCHES, MIGRATIONS, QUEUE, SPARE,
	NR_FIGURES
};

static const char *const names[NR_FIGURES] = {
	[WAKEUP_STAYED] = "wake-up latency, stayed",
	[WAKEUP_MIGRATED] = "wake-up latency, migrated",
	[PREEMPTED] = "preempted",
	[SLICE] = "slice",
	[SWITCHES] = "switches",
	[MIGRATIONS] = "migrations",
	[QUEUE] = "run queue",
	[SPARE] = "idle, others waited",
};

struct collector {
	const struct sched_pass *pass;	/* borrowed; it has begun */
	struct run_queue *queue;	/* owned */
	struct duration_set figures[NR_FIGURES];
	uint64_t	totals[NR_FIGURES];
	struct task {
		int32_t	last_cpu;	/* index + 1 of its last switch; 0: none yet */
		struct duration_set slices;
	}		*tasks;		/* owned, [nr] */
	uint32_t	 nr;
};

static void forget(struct collector *c)
{
	for (uint32_t i = 0; i < c->nr; i++)
		duration_set_fini(&c->tasks[i].slices);
	for (unsigned int i = 0; i < NR_FIGURES; i++)
		duration_set_fini(&c->figures[i]);
	free(c->tasks);
}

static void on_begun(void *arg, const struct sched_pass *pass)
{
	struct collector *c = arg;

	forget(c);
	*c = (struct collector){ .pass = pass, .queue = c->queue };
	run_queue_begin(c->queue, pass);
}

/* Many distinct values are rounded to 3 digits. */
static void add(struct duration_set *set, uint64_t length)
{
	if (set->distinct > MOST_DISTINCT && !set->bits)
		duration_set_coarsen(set, 12);
	duration_set_add(set, length);
}

/* What ends with a change that a record made, and of which nothing is missing. */
static void add_interval(struct collector *c, struct task *t, const struct sched_change *change)
{
	uint64_t length = change->ts > change->since ?
				  (uint64_t)change->ts - (uint64_t)change->since :
				  0;
	enum figure figure = SLICE;

	if (change->was == SCHED_WAITS && change->state == SCHED_RUNS)
		figure = t->last_cpu && t->last_cpu != change->cpu + 1 ? WAKEUP_MIGRATED :
									 WAKEUP_STAYED;
	else if (change->was == SCHED_PREEMPTED && change->state == SCHED_RUNS)
		figure = PREEMPTED;
	else if (change->was != SCHED_RUNS || change->was_cut)
		return;
	if (figure == SLICE)
		add(&t->slices, length);
	add(&c->figures[figure], length);
	c->totals[figure] += length;
}

static void on_task(void *arg, uint32_t task, const struct sched_change *change)
{
	struct collector *c = arg;

	mem_reach(&c->tasks, &c->nr, task);
	if (change->rec && !change->dropped && !change->doubtful)
		add_interval(c, &c->tasks[task], change);
	if (change->rec && change->rec->op == SCHED_SWITCH)
		c->tasks[task].last_cpu = change->cpu + 1;
	run_queue_task(c->queue, task, change);
}

static void on_cpu(void *arg, unsigned int cpu, const struct sched_change *change)
{
	run_queue_cpu(((struct collector *)arg)->queue, cpu, change);
}

static void on_moved(void *arg, uint32_t task, int32_t cpu, int64_t ts)
{
	run_queue_moved(((struct collector *)arg)->queue, task, cpu, ts);
}

static void on_cut(void *arg, unsigned int cpu, int64_t ts)
{
	run_queue_cut(((struct collector *)arg)->queue, cpu, ts);
}

/* --- rows ------------------------------------------------------------------------------------- */

static uint64_t positive(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

static void add_tasks(struct collector *c, struct diff *diff, unsigned int side)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);
	struct text name = { 0 };

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++) {
		const struct sched_task *t = sched_rules_task(rules, i);
		struct diff_side *of;

		if (!t->listed)
			continue;
		text_clear(&name);
		task_kind_name(sched_pass_comm(c->pass, i), &name);
		of = &diff_row(diff, text_str(&name))->of[side];
		of->count += t->switches;
		of->total += positive(t->run) + positive(t->run_cut);
		of->self += positive(t->wait);
		if (i < c->nr)
			duration_set_merge(&of->durations, &c->tasks[i].slices);
		diff->any[side] = true;
	}
	text_fini(&name);
}

static void add_scheduler(struct collector *c, struct diff *diff, unsigned int side)
{
	const struct sched_rules *rules = sched_pass_rules(c->pass);

	for (uint32_t i = 0; i < sched_rules_nr_tasks(rules); i++)
		c->figures[MIGRATIONS].nr += sched_rules_task(rules, i)->migrations;
	c->figures[SWITCHES].nr = sched_pass_totals(c->pass).switches;
	run_queue_end(c->queue, sched_pass_totals(c->pass).last_ts);
	for (unsigned int i = 0; i < sched_pass_nr_cpus(c->pass); i++) {
		const struct run_queue_sums *sums = run_queue_sums(c->queue, i);

		c->totals[QUEUE] += positive(sums->waited);
		c->totals[SPARE] += positive(sums->spare);
	}
	for (unsigned int i = 0; i < NR_FIGURES; i++) {
		struct diff_side *of = &diff_row(diff, names[i])->of[side];

		of->count = c->figures[i].nr;
		of->total = c->totals[i];
		if (i <= SLICE)
			duration_set_merge(&of->durations, &c->figures[i]);
	}
	diff->any[side] = sched_pass_totals(c->pass).switches;
}

int diff_collect_sched(struct diff *diff, enum diff_by by, unsigned int side, struct trace *trace,
		       struct ft_error *err)
{
	struct collector c = { 0 };
	struct sched_listener listener = { .task = on_task, .cpu = on_cpu, .moved = on_moved,
					   .cut = on_cut, .arg = &c };
	struct sched_pass_options options = { .listener = &listener, .begun = on_begun,
					      .workers = trace_workers(trace) };
	struct sched_pass *pass;
	int ret;

	c.queue = run_queue_new(&options.range);
	pass = sched_pass_new(trace, &options);
	ret = sched_pass_run(pass, err);
	diff->cpu_time[side] = trace_covered(trace, 0, (int)sched_pass_buffer(pass),
					     &diff->nr_cpus[side]);
	if (c.pass && by == DIFF_TASKS)
		add_tasks(&c, diff, side);
	else if (c.pass && sched_pass_totals(pass).any)
		add_scheduler(&c, diff, side);
	forget(&c);
	run_queue_free(c.queue);
	sched_pass_free(pass);
	return ret;
}
