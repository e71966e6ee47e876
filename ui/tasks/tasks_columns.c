/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_columns - the columns of the Tasks view's lists, and what they look like. */
#include <inttypes.h>

#include "ui/tasks/view_tasks.h"

#define TASK(name, expression) \
	static int64_t name(const struct tasks_counted *c, uint32_t row) \
	{ \
		const struct sched_task *t = &c->figures.tasks[row]; \
		const struct task_sums *s = &c->figures.sums[row]; \
		(void)t, (void)s; \
		return (int64_t)(expression); \
	}
#define CPU(name, expression) \
	static int64_t name(const struct tasks_counted *c, uint32_t row) \
	{ \
		const struct cpu_sums *cpu = &c->figures.cpus[row]; \
		return (int64_t)(expression); \
	}

TASK(task_ran, (uint64_t)t->run + (uint64_t)t->run_cut)
TASK(task_switches, t->switches)
TASK(task_preemptions, t->preemptions)
TASK(task_wait, t->wait)
TASK(task_wait_avg, s->waits ? s->waited / (int64_t)s->waits : 0)
TASK(task_wait_p99, s->wait_p99)
TASK(task_wait_max, s->longest[TASK_WAITED].length)
TASK(task_max_wake, t->max_wakeup)
TASK(task_run_max, s->longest[TASK_RAN].length)
TASK(task_sleep, t->sleep)
TASK(task_sleep_max, s->longest[TASK_SLEPT].length)
TASK(task_blocked, t->blocked)
TASK(task_blocked_max, s->longest[TASK_WAS_BLOCKED].length)
TASK(task_cut, t->run_cut)
TASK(task_migrations, t->migrations)
TASK(task_wakeups, t->wakeups)
TASK(task_woke, t->woke)
TASK(task_cpu, t->last_switch_cpu < 0 ? INT64_MIN : c->figures.cpus[t->last_switch_cpu].cpu)
TASK(task_prio, t->prio)
TASK(task_calls, s->calls)
TASK(task_call_time, s->call_time)
TASK(task_irqs, s->irqs)
TASK(task_irq_time, s->irq_time)

CPU(cpu_number, cpu->cpu)
CPU(cpu_busy, cpu->busy)
CPU(cpu_idle, cpu->idle)
CPU(cpu_irq, cpu->irq)
CPU(cpu_softirq, cpu->softirq)
CPU(cpu_switches, cpu->switches)
CPU(cpu_idles, cpu->idle_entries)
CPU(cpu_wakeups, cpu->wakeups)
CPU(cpu_migrations, cpu->migrations)
CPU(cpu_calls, cpu->calls)
CPU(cpu_irqs, cpu->irqs)

static bool has_calls(const struct tasks_counted *c)
{
	return c->figures.has_calls;
}

static bool has_sched(const struct tasks_counted *c)
{
	return c->figures.sched_records;
}

static bool has_irqs(const struct tasks_counted *c)
{
	return c->figures.has_irqs;
}

static int64_t type_events(const struct tasks_counted *c, uint32_t row)
{
	return (int64_t)c->types[row].events;
}

/* Two blanks go before what is wide; a mark of the order needs two cells more. */
static const struct tasks_column of_tasks[] = {
	{ .name = "task", .kind = TASKS_IS_NAME },
	{ .name = "run", .cells = 10, .kind = TASKS_IS_TIME, .value = task_ran, .is_there = has_sched },
	{ .name = "%cpu", .cells = 6, .kind = TASKS_IS_SHARE, .value = task_ran, .is_there = has_sched },
	{ .name = "switch", .cells = 8, .kind = TASKS_IS_COUNT, .value = task_switches, .is_there = has_sched },
	{ .name = "preempt", .cells = 10, .kind = TASKS_IS_COUNT, .value = task_preemptions, .is_there = has_sched },
	{ .name = "wait avg", .cells = 10, .kind = TASKS_IS_TIME, .value = task_wait_avg, .is_there = has_sched },
	{ .name = "p99", .cells = 10, .kind = TASKS_IS_TIME, .value = task_wait_p99, .is_there = has_sched },
	{ .name = "max", .cells = 10, .kind = TASKS_IS_TIME, .value = task_wait_max, .is_there = has_sched },
	{ .name = "wait", .cells = 10, .kind = TASKS_IS_TIME, .value = task_wait, .is_there = has_sched },
	{ .name = "max wake", .cells = 10, .kind = TASKS_IS_TIME, .value = task_max_wake,
	  .worst = TASKS_LONGEST_WAKE, .is_there = has_sched },
	{ .name = "sleep", .cells = 10, .kind = TASKS_IS_TIME, .value = task_sleep,
	  .worst = TASKS_LONGEST_SLEEP, .is_there = has_sched },
	{ .name = "blocked", .cells = 10, .kind = TASKS_IS_TIME, .value = task_blocked,
	  .worst = TASKS_LONGEST_BLOCK, .is_there = has_sched },
	{ .name = "migr", .cells = 7, .kind = TASKS_IS_COUNT, .value = task_migrations, .is_there = has_sched },
	{ .name = "wakeups", .cells = 9, .kind = TASKS_IS_COUNT, .value = task_wakeups, .is_there = has_sched },
	{ .name = "woke", .cells = 8, .kind = TASKS_IS_COUNT, .value = task_woke, .is_there = has_sched },
	{ .name = "syscalls", .cells = 10, .kind = TASKS_IS_COUNT, .value = task_calls, .is_there = has_calls },
	{ .name = "in calls", .cells = 10, .kind = TASKS_IS_TIME, .value = task_call_time, .is_there = has_calls },
	{ .name = "irqs", .cells = 7, .kind = TASKS_IS_COUNT, .value = task_irqs, .is_there = has_irqs },
	{ .name = "in irqs", .cells = 10, .kind = TASKS_IS_TIME, .value = task_irq_time, .is_there = has_irqs },
	{ .name = "CPU", .cells = 6, .kind = TASKS_IS_NUMBER, .value = task_cpu, .is_there = has_sched },
	{ .name = "prio", .cells = 7, .kind = TASKS_IS_NUMBER, .value = task_prio, .is_there = has_sched },
	{ .name = "max run", .cells = 10, .kind = TASKS_IS_TIME, .value = task_run_max,
	  .worst = TASKS_LONGEST_RUN, .is_there = has_sched },
	{ .name = "max sleep", .cells = 12, .kind = TASKS_IS_TIME, .value = task_sleep_max,
	  .worst = TASKS_LONGEST_SLEEP, .is_there = has_sched },
	{ .name = "max block", .cells = 12, .kind = TASKS_IS_TIME, .value = task_blocked_max,
	  .worst = TASKS_LONGEST_BLOCK, .is_there = has_sched },
	{ .name = "cut", .cells = 10, .kind = TASKS_IS_TIME, .value = task_cut, .is_there = has_sched },
};

static const struct tasks_column of_cpus[] = {
	{ .name = "CPU", .kind = TASKS_IS_NAME, .value = cpu_number },
	{ .name = "busy", .cells = 10, .kind = TASKS_IS_TIME, .value = cpu_busy, .is_there = has_sched },
	{ .name = "%busy", .cells = 7, .kind = TASKS_IS_SHARE, .value = cpu_busy, .is_there = has_sched },
	{ .name = "idle", .cells = 10, .kind = TASKS_IS_TIME, .value = cpu_idle, .is_there = has_sched },
	{ .name = "irq", .cells = 10, .kind = TASKS_IS_TIME, .value = cpu_irq },
	{ .name = "softirq", .cells = 10, .kind = TASKS_IS_TIME, .value = cpu_softirq },
	{ .name = "switch", .cells = 8, .kind = TASKS_IS_COUNT, .value = cpu_switches, .is_there = has_sched },
	{ .name = "idles", .cells = 8, .kind = TASKS_IS_COUNT, .value = cpu_idles, .is_there = has_sched },
	{ .name = "wakeups", .cells = 9, .kind = TASKS_IS_COUNT, .value = cpu_wakeups, .is_there = has_sched },
	{ .name = "migr to", .cells = 9, .kind = TASKS_IS_COUNT, .value = cpu_migrations, .is_there = has_sched },
	{ .name = "irqs", .cells = 8, .kind = TASKS_IS_COUNT, .value = cpu_irqs, .is_there = has_irqs },
	{ .name = "syscalls", .cells = 10, .kind = TASKS_IS_COUNT, .value = cpu_calls, .is_there = has_calls },
};

static const struct tasks_column of_types[] = {
	{ .name = "event", .kind = TASKS_IS_NAME },
	{ .name = "events", .cells = 10, .kind = TASKS_IS_COUNT, .value = type_events },
	{ .name = "%", .cells = 7, .kind = TASKS_IS_PART, .value = type_events },
	{ .name = "by second", .cells = 12, .kind = TASKS_IS_RATE, .value = type_events },
};

/* The range, and the rest of the trace beside it: what does not depend on how long they are. */
static const struct tasks_column compare_tasks[] = {
	{ .name = "task", .kind = TASKS_IS_NAME },
	{ .name = "%cpu", .cells = 7, .kind = TASKS_IS_SHARE, .value = task_ran, .is_there = has_sched },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = task_ran, .rest = true, .is_there = has_sched },
	{ .name = "%wait", .cells = 8, .kind = TASKS_IS_SHARE, .value = task_wait, .is_there = has_sched },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = task_wait, .rest = true, .is_there = has_sched },
	{ .name = "switch/s", .cells = 11, .kind = TASKS_IS_RATE, .value = task_switches, .is_there = has_sched },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = task_switches, .rest = true, .is_there = has_sched },
	{ .name = "wake/s", .cells = 11, .kind = TASKS_IS_RATE, .value = task_wakeups, .is_there = has_sched },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = task_wakeups, .rest = true, .is_there = has_sched },
	{ .name = "%blocked", .cells = 10, .kind = TASKS_IS_SHARE, .value = task_blocked, .is_there = has_sched },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = task_blocked, .rest = true, .is_there = has_sched },
	{ .name = "calls/s", .cells = 11, .kind = TASKS_IS_RATE, .value = task_calls, .is_there = has_calls },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = task_calls, .rest = true, .is_there = has_calls },
	{ .name = "irqs/s", .cells = 11, .kind = TASKS_IS_RATE, .value = task_irqs, .is_there = has_irqs },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = task_irqs, .rest = true, .is_there = has_irqs },
};

static const struct tasks_column compare_cpus[] = {
	{ .name = "CPU", .kind = TASKS_IS_NAME, .value = cpu_number },
	{ .name = "%busy", .cells = 8, .kind = TASKS_IS_SHARE, .value = cpu_busy, .is_there = has_sched },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = cpu_busy, .rest = true, .is_there = has_sched },
	{ .name = "%irq", .cells = 7, .kind = TASKS_IS_SHARE, .value = cpu_irq, .is_there = has_irqs },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = cpu_irq, .rest = true, .is_there = has_irqs },
	{ .name = "switch/s", .cells = 11, .kind = TASKS_IS_RATE, .value = cpu_switches, .is_there = has_sched },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = cpu_switches, .rest = true, .is_there = has_sched },
	{ .name = "%softirq", .cells = 10, .kind = TASKS_IS_SHARE, .value = cpu_softirq, .is_there = has_irqs },
	{ .name = "rest", .cells = 7, .kind = TASKS_IS_SHARE, .value = cpu_softirq, .rest = true, .is_there = has_irqs },
	{ .name = "calls/s", .cells = 11, .kind = TASKS_IS_RATE, .value = cpu_calls, .is_there = has_calls },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = cpu_calls, .rest = true, .is_there = has_calls },
	{ .name = "irqs/s", .cells = 11, .kind = TASKS_IS_RATE, .value = cpu_irqs, .is_there = has_irqs },
	{ .name = "rest", .cells = 10, .kind = TASKS_IS_RATE, .value = cpu_irqs, .rest = true, .is_there = has_irqs },
};

static const struct tasks_column compare_types[] = {
	{ .name = "event", .kind = TASKS_IS_NAME },
	{ .name = "by second", .cells = 12, .kind = TASKS_IS_RATE, .value = type_events },
	{ .name = "rest", .cells = 12, .kind = TASKS_IS_RATE, .value = type_events, .rest = true },
};

#define COLUMNS(array) { array, sizeof(array) / sizeof((array)[0]) }

const struct tasks_column *tasks_columns(const struct view *view, unsigned int *nr)
{
	static const struct {
		const struct tasks_column *columns;
		unsigned int		   nr;
	} lists[TASKS_LISTS][2] = {
		[TASKS_OF_TASKS] = { COLUMNS(of_tasks), COLUMNS(compare_tasks) },
		[TASKS_OF_CPUS] = { COLUMNS(of_cpus), COLUMNS(compare_cpus) },
		[TASKS_OF_TYPES] = { COLUMNS(of_types), COLUMNS(compare_types) },
	};

	*nr = lists[view->list][view->comparing].nr;
	return lists[view->list][view->comparing].columns;
}

bool tasks_has_column(const struct view *v, unsigned int column)
{
	const struct tasks_column *columns;
	unsigned int nr;

	columns = tasks_columns(v, &nr);
	return !columns[column].is_there || columns[column].is_there(&v->now);
}

unsigned int tasks_sorted_by(const struct view *v)
{
	unsigned int nr, column = v->sort[v->list][v->comparing];

	if (tasks_has_column(v, column))
		return column;
	tasks_columns(v, &nr);
	for (column = 1; column < nr && !tasks_has_column(v, column); column++)
		;
	return column < nr ? column : 0;
}

int64_t tasks_value(const struct view *v, uint32_t row, const struct tasks_column *column)
{
	uint64_t here, whole = 0;

	if (!column->value)
		return 0;
	if (!column->rest)
		return column->value(&v->now, row);
	here = (uint64_t)column->value(&v->now, row);
	if (v->of_whole && v->of_whole[row] != UINT32_MAX)
		whole = (uint64_t)column->value(&v->whole, v->of_whole[row]);
	return (int64_t)whole > (int64_t)here ? (int64_t)(whole - here) : 0;
}

/* --- as text ------------------------------------------------------------------------- */

void tasks_share_text(int64_t time, int64_t span, struct text *out)
{
	if (span > 0)
		text_printf(out, "%.1f", (double)time * 100 / (double)span);
	else
		text_add(out, "–");
}

static void add_rate(const struct view *v, int64_t nr, int64_t span, struct text *out)
{
	double rate;

	if (span <= 0 || trace_unit(v->shared->trace) == TRACE_UNIT_COUNT) {
		text_add(out, "–");
		return;
	}
	rate = (double)nr * 1e9 / (double)span;
	if (rate < 100)
		text_printf(out, rate < 10 ? "%.2f" : "%.1f", rate);
	else
		text_count(out, (uint64_t)(rate + 0.5));
}

static void add_time(const struct view *v, int64_t time, struct text *out)
{
	if (time)
		shared_duration(v->shared, time, out);
	else
		text_add(out, "–");
}

void tasks_value_text(const struct view *v, uint32_t row, const struct tasks_column *column, struct text *out)
{
	int64_t value = tasks_value(v, row, column), span = column->rest ? v->whole.span - v->now.span : v->now.span;

	if (column->rest && !v->of_whole) {
		text_add(out, "…");
		return;
	}
	switch (column->kind) {
	case TASKS_IS_NAME:
		tasks_name(v, row, out);
		break;
	case TASKS_IS_TIME:
		add_time(v, value, out);
		break;
	case TASKS_IS_SHARE:
		tasks_share_text(value, span, out);
		break;
	case TASKS_IS_PART:
		tasks_share_text(value, (int64_t)v->now.all, out);
		break;
	case TASKS_IS_COUNT:
		text_count(out, (uint64_t)value);
		break;
	case TASKS_IS_RATE:
		add_rate(v, value, span, out);
		break;
	case TASKS_IS_NUMBER:
		if (value == INT64_MIN)
			text_add(out, "–");
		else
			text_printf(out, "%" PRId64, value);
		break;
	}
}
