/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_columns.h"

#include "src/sched/event_counts.h"

#define TASK(function, value) \
	static int64_t function(const void *row) \
	{ \
		const struct sched_task *t = ((const struct task_row *)row)->task; \
		return (int64_t)(value); \
	}
#define SUM(function, value) \
	static int64_t function(const void *row) \
	{ \
		const struct task_sums *s = ((const struct task_row *)row)->sums; \
		return (int64_t)(value); \
	}
#define CPU(member) TABLE_MEMBER(struct cpu_sums, member)

TASK(pid, t->pid)
TASK(run, t->run)
TASK(ran, (uint64_t)t->run + (uint64_t)t->run_cut)
TASK(cut, t->run_cut)
TASK(wait, t->wait)
TASK(asleep, t->sleep)
TASK(blocked, t->blocked)
TASK(switches, t->switches)
TASK(preemptions, t->preemptions)
TASK(migrations, t->migrations)
TASK(wakeups, t->wakeups)
TASK(max_wakeup, t->max_wakeup)
TASK(woke, t->woke)
TASK(prio, t->prio)
SUM(wait_avg, s->waits ? s->waited / (int64_t)s->waits : 0)
SUM(wait_p99, s->wait_p99)
SUM(wait_max, s->longest[TASK_WAITED].length)
SUM(run_max, s->longest[TASK_RAN].length)
SUM(sleep_max, s->longest[TASK_SLEPT].length)
SUM(blocked_max, s->longest[TASK_WAS_BLOCKED].length)
SUM(calls, s->calls)
SUM(call_time, s->call_time)
SUM(irqs, s->irqs)
SUM(irq_time, s->irq_time)

static bool has_cpu(const void *row)
{
	return ((const struct task_row *)row)->cpu >= 0;
}

/* may be 0 if the clock is coarse */
static void add_max_wakeup(const void *p, struct text *out)
{
	const struct task_row *row = p;

	if (row->task->answered)
		table_out_time(row->task->max_wakeup, row->clock, out);
	else
		text_add(out, TABLE_NONE);
}

#define SCHED	.needs = TASK_NEEDS_SCHED
#define CALLS	.needs = TASK_NEEDS_CALLS
#define IRQS	.needs = TASK_NEEDS_IRQS

/*
 * In the order of the screen, the name first.  .place is the position in text, CSV and JSON, where
 * new columns go to the end because scripts count them.  On the screen, wide columns are preceded
 * by two blanks, and the mark of the sort order needs two more cells.
 */
static const struct table_column tasks[] = {
	{ "comm", "task", .place = 2, .width = 16, .align = TABLE_LEFT, .cells = 14,
	  TABLE_MEMBER(struct task_row, comm) },
	{ "pid", "pid", .place = 1, .width = 8, .kind = TABLE_COUNT, .number = pid },
	{ "clock", .place = 3, .only = FORMAT_JSON, .absent = TABLE_OMIT,
	  TABLE_MEMBER(struct task_row, clock) },
	{ "run_ns", "run", .place = 4, .width = 8, .kind = TABLE_TIME, .number = run },
	{ .title = "run", .cells = 10, .kind = TABLE_TIME, .number = ran, SCHED },
	{ .title = "%cpu", .cells = 6, .kind = TABLE_SHARE, .number = ran, SCHED },
	{ "switches", "switches", .place = 9, .width = 8, .kind = TABLE_COUNT, .number = switches },
	{ .title = "switch", .cells = 8, .kind = TABLE_COUNT, .number = switches, SCHED },
	{ "preemptions", "preempt", .place = 10, .width = 8, .cells = 10, .kind = TABLE_COUNT,
	  .number = preemptions, SCHED },
	{ .title = "wait avg", .cells = 10, .kind = TABLE_TIME, .number = wait_avg, SCHED },
	{ .title = "p99", .cells = 10, .kind = TABLE_TIME, .number = wait_p99, SCHED },
	{ .title = "max", .cells = 10, .kind = TABLE_TIME, .number = wait_max, SCHED },
	{ "wait_ns", "wait", .place = 6, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = wait, SCHED },
	{ "max_wakeup_ns", "max wake", .place = 13, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = max_wakeup,
	  .text = add_max_wakeup, .own = TASK_LONGEST_WAKE, SCHED },
	{ "sleep_ns", "sleep", .place = 7, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = asleep,
	  .own = TASK_LONGEST_SLEEP, SCHED },
	{ "blocked_ns", "blocked", .place = 8, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = blocked,
	  .own = TASK_LONGEST_BLOCK, SCHED },
	{ "migrations", "migr", .place = 11, .width = 6, .cells = 7, .kind = TABLE_COUNT,
	  .number = migrations, SCHED },
	{ "wakeups", "wakeups", .place = 12, .width = 8, .cells = 9, .kind = TABLE_COUNT,
	  .number = wakeups, SCHED },
	{ .title = "woke", .cells = 8, .kind = TABLE_COUNT, .number = woke, SCHED },
	{ .title = "syscalls", .cells = 10, .kind = TABLE_COUNT, .number = calls, CALLS },
	{ .title = "in calls", .cells = 10, .kind = TABLE_TIME, .number = call_time, CALLS },
	{ .title = "irqs", .cells = 7, .kind = TABLE_COUNT, .number = irqs, IRQS },
	{ .title = "in irqs", .cells = 10, .kind = TABLE_TIME, .number = irq_time, IRQS },
	{ .title = "CPU", .cells = 6, .kind = TABLE_NUMBER, TABLE_MEMBER(struct task_row, cpu),
	  .known = has_cpu, SCHED },
	{ .title = "prio", .cells = 7, .kind = TABLE_NUMBER, .number = prio, SCHED },
	{ .title = "max run", .cells = 10, .kind = TABLE_TIME, .number = run_max,
	  .own = TASK_LONGEST_RUN, SCHED },
	{ .title = "max sleep", .cells = 12, .kind = TABLE_TIME, .number = sleep_max,
	  .own = TASK_LONGEST_SLEEP, SCHED },
	{ .title = "max block", .cells = 12, .kind = TABLE_TIME, .number = blocked_max,
	  .own = TASK_LONGEST_BLOCK, SCHED },
	{ "run_cut_ns", "cut", .place = 5, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = cut, SCHED },
};

static const struct table_column cpus[] = {
	{ .title = "CPU", .cells = 14, .kind = TABLE_NUMBER, CPU(cpu) },
	{ .title = "busy", .cells = 10, .kind = TABLE_TIME, CPU(busy), SCHED },
	{ .title = "%busy", .cells = 7, .kind = TABLE_SHARE, CPU(busy), SCHED },
	{ .title = "idle", .cells = 10, .kind = TABLE_TIME, CPU(idle), SCHED },
	{ .title = "irq", .cells = 10, .kind = TABLE_TIME, CPU(irq) },
	{ .title = "softirq", .cells = 10, .kind = TABLE_TIME, CPU(softirq) },
	{ .title = "switch", .cells = 8, .kind = TABLE_COUNT, CPU(switches), SCHED },
	{ .title = "idles", .cells = 8, .kind = TABLE_COUNT, CPU(idle_entries), SCHED },
	{ .title = "wakeups", .cells = 9, .kind = TABLE_COUNT, CPU(wakeups), SCHED },
	{ .title = "migr to", .cells = 9, .kind = TABLE_COUNT, CPU(migrations), SCHED },
	{ .title = "irqs", .cells = 8, .kind = TABLE_COUNT, CPU(irqs), IRQS },
	{ .title = "syscalls", .cells = 10, .kind = TABLE_COUNT, CPU(calls), CALLS },
};

static const struct table_column types[] = {
	{ .title = "event", .cells = 14 },
	{ .title = "events", .cells = 10, .kind = TABLE_COUNT,
	  TABLE_MEMBER(struct event_count, events) },
	{ .title = "%", .cells = 7, .kind = TABLE_PART, TABLE_MEMBER(struct event_count, events) },
	{ .title = "by second", .cells = 12, .kind = TABLE_RATE,
	  TABLE_MEMBER(struct event_count, events) },
};

#define REST	.title = "rest", .rest = true

static const struct table_column compare_tasks[] = {
	{ .title = "task", .cells = 14, TABLE_MEMBER(struct task_row, comm) },
	{ .title = "%cpu", .cells = 7, .kind = TABLE_SHARE, .number = ran, SCHED },
	{ REST, .cells = 7, .kind = TABLE_SHARE, .number = ran, SCHED },
	{ .title = "%wait", .cells = 8, .kind = TABLE_SHARE, .number = wait, SCHED },
	{ REST, .cells = 7, .kind = TABLE_SHARE, .number = wait, SCHED },
	{ .title = "switch/s", .cells = 11, .kind = TABLE_RATE, .number = switches, SCHED },
	{ REST, .cells = 10, .kind = TABLE_RATE, .number = switches, SCHED },
	{ .title = "wake/s", .cells = 11, .kind = TABLE_RATE, .number = wakeups, SCHED },
	{ REST, .cells = 10, .kind = TABLE_RATE, .number = wakeups, SCHED },
	{ .title = "%blocked", .cells = 10, .kind = TABLE_SHARE, .number = blocked, SCHED },
	{ REST, .cells = 7, .kind = TABLE_SHARE, .number = blocked, SCHED },
	{ .title = "calls/s", .cells = 11, .kind = TABLE_RATE, .number = calls, CALLS },
	{ REST, .cells = 10, .kind = TABLE_RATE, .number = calls, CALLS },
	{ .title = "irqs/s", .cells = 11, .kind = TABLE_RATE, .number = irqs, IRQS },
	{ REST, .cells = 10, .kind = TABLE_RATE, .number = irqs, IRQS },
};

static const struct table_column compare_cpus[] = {
	{ .title = "CPU", .cells = 14, .kind = TABLE_NUMBER, CPU(cpu) },
	{ .title = "%busy", .cells = 8, .kind = TABLE_SHARE, CPU(busy), SCHED },
	{ REST, .cells = 7, .kind = TABLE_SHARE, CPU(busy), SCHED },
	{ .title = "%irq", .cells = 7, .kind = TABLE_SHARE, CPU(irq), IRQS },
	{ REST, .cells = 7, .kind = TABLE_SHARE, CPU(irq), IRQS },
	{ .title = "switch/s", .cells = 11, .kind = TABLE_RATE, CPU(switches), SCHED },
	{ REST, .cells = 10, .kind = TABLE_RATE, CPU(switches), SCHED },
	{ .title = "%softirq", .cells = 10, .kind = TABLE_SHARE, CPU(softirq), IRQS },
	{ REST, .cells = 7, .kind = TABLE_SHARE, CPU(softirq), IRQS },
	{ .title = "calls/s", .cells = 11, .kind = TABLE_RATE, CPU(calls), CALLS },
	{ REST, .cells = 10, .kind = TABLE_RATE, CPU(calls), CALLS },
	{ .title = "irqs/s", .cells = 11, .kind = TABLE_RATE, CPU(irqs), IRQS },
	{ REST, .cells = 10, .kind = TABLE_RATE, CPU(irqs), IRQS },
};

static const struct table_column compare_types[] = {
	{ .title = "event", .cells = 14 },
	{ .title = "by second", .cells = 12, .kind = TABLE_RATE,
	  TABLE_MEMBER(struct event_count, events) },
	{ REST, .cells = 12, .kind = TABLE_RATE, TABLE_MEMBER(struct event_count, events) },
};

const struct table_columns task_columns = { TABLE_COLUMNS(tasks), .gap = 2 };
const struct table_columns task_cpu_columns = { TABLE_COLUMNS(cpus) };
const struct table_columns task_type_columns = { TABLE_COLUMNS(types) };
const struct table_columns task_compare_columns = { TABLE_COLUMNS(compare_tasks) };
const struct table_columns task_cpu_compare_columns = { TABLE_COLUMNS(compare_cpus) };
const struct table_columns task_type_compare_columns = { TABLE_COLUMNS(compare_types) };
