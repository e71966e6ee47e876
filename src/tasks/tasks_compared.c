/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/tasks/tasks_compared.h"

#include "src/sched/sched_pass.h"
#include "src/sched/task_groups.h"

struct compared {
	const struct task_figures *figures;
	const struct list_scope *scope;
	enum grouping	 by;
	struct diff	*diff;
	unsigned int	 side;
};

static uint64_t positive(int64_t time)
{
	return time > 0 ? (uint64_t)time : 0;
}

static const char *comm_of(const struct compared *c, uint32_t row)
{
	return c->figures->text.data + c->figures->comms[row];
}

static bool is_wanted(const struct compared *c, uint32_t row)
{
	const struct filter_given *given = c->scope->given;

	return !given || filter_given_wants(given, c->figures->tasks[row].pid, comm_of(c, row));
}

/* --- tasks ------------------------------------------------------------------------------------ */

/* A name that another trace may have, too: of a process without its pid. */
static void add_group_name(const struct compared *c, uint32_t row, struct text *out)
{
	const struct sched_task *t = &c->figures->tasks[row];
	const struct grouped_task of = { .file = c->scope->what.file,
					 .pid = (int)t->pid,
					 .ts = t->to - 1,
					 .comm = comm_of(c, row),
					 .prio = GROUPING_NO_PRIO };
	struct text name = { 0 };
	int pid;

	if (!grouping_name(c->scope->trace, c->by, &of, &name)) {
		text_add(out, GROUPING_NOT_KNOWN);
	} else if (c->by == GROUPING_PROCESS) {
		name.data[grouping_process_name(text_str(&name), &pid)] = '\0';
		task_kind_name(text_str(&name), out);
	} else {
		text_add(out, text_str(&name));
	}
	text_fini(&name);
}

static void add_task(const struct compared *c, uint32_t row, struct text *name)
{
	const struct sched_task *t = &c->figures->tasks[row];
	struct task_durations *d = c->figures->durations[row];
	struct diff_side *of;
	bool knows;

	if (!t->listed || !is_wanted(c, row) ||
	    (c->scope->what.range.set && !sched_task_is_known(t)))
		return;
	text_clear(name);
	add_group_name(c, row, name);
	of = diff_side(c->diff, text_str(name), c->side);
	/* of some of its tasks it may not be known */
	knows = of->lacks && !(of->lacks & DIFF_HAS_THROTTLED);
	of->count += t->switches;
	of->total += positive(t->run) + positive(t->run_cut);
	of->self += positive(t->wait);
	if (task_figures_sums(c->figures, row)->knows_throttled) {
		of->throttled += positive(t->throttled);
		knows = true;
	}
	if (d)
		duration_set_merge(&of->durations, &d->of[TASK_SLICES]);
	for (unsigned int i = 0; d && i < TASK_SLICES; i++)
		duration_set_merge(&of->waits, &d->of[i]);
	of->lacks = DIFF_IS_COST | (of->durations.nr ? 0 : DIFF_HAS_DURATIONS) |
		    (knows ? 0 : DIFF_HAS_THROTTLED);
	c->diff->knows |= knows ? DIFF_KNOWS_THROTTLED : 0;
}

/* --- the scheduler ---------------------------------------------------------------------------- */

static const char *const duration_names[TASK_DURATIONS] = {
	[TASK_WAKEUPS_STAYED] = "wake-up latency, stayed",
	[TASK_WAKEUPS_MIGRATED] = "wake-up latency, migrated",
	[TASK_WAKEUPS_UNKNOWN] = "wake-up latency, stayed or migrated",
	[TASK_PREEMPTIONS] = "preempted",
	[TASK_SLICES] = "slice",
};

static void add_durations(const struct compared *c)
{
	struct task_durations *sum = NULL;

	for (uint32_t row = 0; row < c->figures->nr_tasks; row++)
		if (is_wanted(c, row))
			task_durations_add(&sum, c->figures->durations[row]);
	for (unsigned int i = 0; i < TASK_DURATIONS; i++) {
		struct diff_side *of;

		if (i <= TASK_WAKEUPS_UNKNOWN && !(sum && sum->of[i].nr) &&
		    (i == TASK_WAKEUPS_UNKNOWN || !c->figures->wakes))
			continue;
		of = diff_side(c->diff, duration_names[i], c->side);
		if (!sum)
			continue;
		of->count = sum->of[i].nr;
		of->total = sum->totals[i];
		of->lacks = i == TASK_SLICES ? DIFF_IS_COST : 0;
		duration_set_merge(&of->durations, &sum->of[i]);
	}
	task_durations_free(sum);
}

/* A figure of all: how often, or how long. */
static void add_sum(const struct compared *c, const char *name, uint64_t count, uint64_t total,
		    unsigned int lacks)
{
	struct diff_side *of = diff_side(c->diff, name, c->side);

	of->count = count;
	of->total = total;
	of->lacks = DIFF_HAS_DURATIONS | lacks;
}

static void add_scheduler(const struct compared *c)
{
	const struct event_sweep_options *what = &c->scope->what;
	const struct trace_part part = { what->range, what->only, what->nr_only };
	bool of_tasks = c->scope->given && c->scope->given->nr_tasks;
	uint64_t migrations = 0, switches[2] = { 0 }, waited = 0, spare = 0, throttled = 0;

	add_durations(c);
	for (uint32_t row = 0; row < c->figures->nr_tasks; row++) {
		if (!is_wanted(c, row))
			continue;
		migrations += c->figures->tasks[row].migrations;
		switches[1] += c->figures->tasks[row].switches;
		throttled += positive(c->figures->tasks[row].throttled);
	}
	for (unsigned int i = 0; i < c->figures->nr_cpus; i++) {
		const struct cpu_sums *cpu = &c->figures->cpus[i];

		if (!trace_part_has_cpu(&part, cpu->cpu))
			continue;
		switches[0] += cpu->switches;
		waited += positive(cpu->queue.waited);
		spare += positive(cpu->queue.spare);
	}
	add_sum(c, "switches", switches[of_tasks], 0, DIFF_HAS_TOTAL);
	add_sum(c, "migrations", migrations, 0, DIFF_HAS_TOTAL);
	if (c->figures->has_throttled)
		add_sum(c, "throttled", 0, throttled, DIFF_HAS_COUNT);
	/* those of CPUs are not those of a task, nor do filters apply to them */
	if (!of_tasks && !what->nr_filters) {
		add_sum(c, "run queue", 0, waited, DIFF_HAS_COUNT);
		add_sum(c, "idle, others waited", 0, spare, DIFF_HAS_COUNT);
	}
	c->diff->any[c->side] = switches[of_tasks];
}

void tasks_compare(const struct task_figures *figures, const struct sched_pass *pass,
		   const struct list_scope *scope, enum grouping by, struct diff *diff,
		   unsigned int side)
{
	const struct event_sweep_options *what = &scope->what;
	const struct trace_part part = { what->range, what->only, what->nr_only };
	const struct compared c = { figures, scope, by, diff, side };
	struct text name = { 0 };

	diff->cpu_time[side] = trace_covered(scope->trace, what->file, (int)figures->buffer, &part,
					     &diff->nr_cpus[side]);
	diff->is_whole[side] &= by != GROUPING_NONE;
	if (!figures->switches)
		return;
	if (!by && sched_pass_totals(pass).any)
		add_scheduler(&c);
	for (uint32_t row = 0; by && row < figures->nr_tasks; row++)
		add_task(&c, row, &name);
	text_fini(&name);
}
