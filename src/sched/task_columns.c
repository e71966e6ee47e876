/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/sched/task_columns.h"

#include <inttypes.h>
#include <string.h>

#include "src/events/verdicts.h"
#include "src/sched/sched_interrupts.h"

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
#define OF_TASK(member) TABLE_MEMBER_OF(struct task_row, task, member)
#define OF_SUMS(member) TABLE_MEMBER_OF(struct task_row, sums, member)
#define DOUBT_OF_SUMS(member) TABLE_DOUBT_OF(struct task_row, sums, member)
#define LEAST_OF_SUMS(member) .least = TABLE_THROUGH(struct task_row, sums, member)
#define LEAST_OF_TASK(member) .least = TABLE_THROUGH(struct task_row, task, member)
#define DOUBT(member) TABLE_DOUBT_OF(struct task_row, task, member)
#define LONGEST(stay) \
	OF_SUMS(longest[stay].length), TABLE_IF_OF(struct task_row, sums, longest[stay].length)
#define CPU(member) TABLE_MEMBER(struct cpu_sums, member)
#define CPU_IF(member) TABLE_IF(struct cpu_sums, member)

TASK(ran, time_after(t->run, t->run_cut))
TASK(doubtful, time_after(time_after(t->doubtful_wait, t->doubtful_sleep), t->doubtful_blocked))
TASK(prio, t->prio)
TASK(max_wake_prio, t->max_wake_prio)
SUM(wait_avg, s->waits ? s->waited / (int64_t)s->waits : 0)

/* A row of several tasks has no percentile, and no priority. */
static bool is_one(const void *row)
{
	return ((const struct task_row *)row)->sums->tasks < 2;
}

static bool knows(const void *row, unsigned int needs)
{
	return !(((const struct task_row *)row)->lacks & needs);
}

/* Without switches, nobody knows who ran and who waited. */
static bool knows_runs(const void *row)
{
	return knows(row, TASK_NEEDS_SWITCHES);
}

static bool knows_times(const void *row)
{
	return knows_runs(row) && !((const struct task_row *)row)->task->outside;
}

/* Switches tell it, or the event. */
static bool knows_moves(const void *row)
{
	return knows_runs(row) || ((const struct task_row *)row)->task->migrations;
}

static bool has_waits(const void *row)
{
	return knows_runs(row) && ((const struct task_row *)row)->sums->waits;
}

static bool has_p99(const void *row)
{
	return is_one(row) && has_waits(row);
}

static bool has_prio(const void *row)
{
	return is_one(row) && ((const struct task_row *)row)->task->listed;
}

static bool knows_calls(const void *row)
{
	return knows(row, TASK_NEEDS_CALLS);
}

static bool knows_wakes(const void *row)
{
	return knows(row, TASK_NEEDS_WAKES);
}

static bool knows_wakers(const void *row)
{
	return knows(row, TASK_NEEDS_CONTEXTS | TASK_NEEDS_WAKES);
}

static bool knows_irqs(const void *row)
{
	return knows(row, TASK_NEEDS_IRQS);
}

static bool has_cpu(const void *row)
{
	return ((const struct task_row *)row)->cpu >= 0;
}

static bool knows_throttled(const void *row)
{
	const struct task_sums *sums = ((const struct task_row *)row)->sums;

	return sums && sums->knows_throttled;
}

static bool may_be_throttled(const void *row)
{
	return ((const struct task_row *)row)->task->untold;
}

static bool has_host(const void *row)
{
	return knows(row, TASK_NEEDS_STOLEN);
}

/* Of a part of its runs, at least. */
static bool knows_stolen(const void *p)
{
	const struct task_row *row = p;
	int64_t all = ran(row);

	return has_host(row) && (!all || row->sums->stolen.unknown < all);
}

/* The longest may be 0 if the clock is coarse. */
static bool has_max_wakeup(const void *p)
{
	const struct task_row *row = p;

	return row->task->answered > row->task->unsure;
}

static void add_nothing(const void *row, struct text *out)
{
	(void)row;
	(void)out;
}

static bool has_wake_comm(const void *row)
{
	return ((const struct task_row *)row)->wake_comm;
}

/* "sh [120]" */
static void add_max_wake_as(const void *p, struct text *out)
{
	const struct task_row *row = p;

	text_printf(out, "%s [%d]", row->wake_comm, row->task->max_wake_prio);
}

#define LEAST	.bound = TABLE_AT_LEAST
#define LATE	LEAST_OF_TASK(woken_late)
#define SCHED	.needs = TASK_NEEDS_SCHED
#define TIMES	.known = knows_times
#define RUNS	.known = knows_runs
#define CALLS	.needs = TASK_NEEDS_CALLS
#define IRQS	.needs = TASK_NEEDS_IRQS

#define STOLEN		.needs = TASK_NEEDS_STOLEN
#define STOLEN_HELP	"time in which the host did not run the vCPU"

#define THROTTLED_HELP	"time that a limit kept it from running; of a cgroup, its own, for each CPU"

/*
 * In the order of the screen, the name first.  .place is the position in text, CSV and JSON, where
 * new columns go to the end because scripts count them.  On the screen, wide columns are preceded
 * by two blanks, and the mark of the sort order needs two more cells.
 */
static const struct table_column tasks[] = {
	{ "comm", "task", .place = 2, .width = 16, .align = TABLE_LEFT, .cells = 14,
	  TABLE_MEMBER(struct task_row, comm),
	  .help = "name (the last one it had) and pid" },
	{ "pid", "pid", .place = 1, .width = 8, .kind = TABLE_COUNT, OF_TASK(pid) },
	TABLE_CLOCK_AT(3),
	{ "run_ns", .place = 4, .kind = TABLE_TIME, OF_TASK(run), TIMES, LEAST },
	{ .title = "run", .place = 4, .width = 8, .cells = 10, .kind = TABLE_TIME, .number = ran,
	  TIMES, SCHED, .help = "time it ran, partial runs included" },
	{ .title = "stolen", .place = 14, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_SUMS(stolen.time), .known = knows_stolen, DOUBT_OF_SUMS(stolen.doubtful),
	  LEAST_OF_SUMS(stolen.unknown), STOLEN, .help = STOLEN_HELP },
	{ .title = "%cpu", .cells = 6, .kind = TABLE_SHARE, .number = ran, TIMES, SCHED,
	  .help = "share of the time that it ran" },
	{ .title = "ran", .cells = 15, .align = TABLE_LEFT, .text = add_nothing, .own = TASK_LINE,
	  SCHED,
	  .help = "how much it ran in each part of six windows, up to now: full height is a CPU" },
	{ "max_wakeup_ns", "max wake", .place = 13, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_TASK(max_wakeup), LEAST, LATE,
	  .known = has_max_wakeup, .own = TASK_LONGEST_WAKE, SCHED,
	  .help = "longest time from a wake-up to the run" },
	{ "switches", "switches", .place = 9, .width = 8, .kind = TABLE_COUNT, OF_TASK(switches),
	  RUNS, LEAST },
	{ .title = "switch", .cells = 8, .kind = TABLE_COUNT, OF_TASK(switches), RUNS, SCHED,
	  .help = "times it left a CPU" },
	{ "preemptions", "preempt", .place = 10, .width = 8, .cells = 10, .kind = TABLE_COUNT,
	  OF_TASK(preemptions), RUNS, LEAST, SCHED, .doubtful = may_be_throttled,
	  .help = "times it was preempted" },
	{ "max_wait_ns", "max", .place = 22, .cells = 10, .kind = TABLE_TIME,
	  OF_SUMS(longest[TASK_WAITED].length), .known = has_waits, LEAST, LATE, SCHED,
	  .own = TASK_LONGEST_ANY_WAIT, .group = "wait", .help = "longest wait to run" },
	{ "wait_avg_ns", "avg", .place = 20, .cells = 10, .kind = TABLE_TIME, .number = wait_avg,
	  .known = has_waits, LATE, SCHED,
	  .group = "wait", .help = "mean time that it waited to run, after wake-ups and preemptions" },
	{ "wait_p99_ns", "p99", .place = 21, .cells = 10, .kind = TABLE_TIME, OF_SUMS(wait_p99),
	  .known = has_p99, LATE, SCHED,
	  .group = "wait", .help = "99 % of waits were no longer than this" },
	{ "wait_ns", "wait", .place = 6, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_TASK(wait), TIMES, DOUBT(doubtful_wait), SCHED, LEAST_OF_TASK(waited_more),
	  .help = "time it could run, but did not" },
	{ "sleep_ns", "sleep", .place = 7, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_TASK(sleep), TIMES, DOUBT(doubtful_sleep), LEAST_OF_TASK(thinned),
	  .own = TASK_LONGEST_SLEEP, SCHED,
	  .help = "time asleep, until the wake-up" },
	{ "blocked_ns", "blocked", .place = 8, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_TASK(blocked), TIMES, DOUBT(doubtful_blocked), LEAST_OF_TASK(thinned),
	  .own = TASK_LONGEST_BLOCK, SCHED,
	  .help = "time in state D (disk, locks), until the wake-up" },
	{ .title = "throttled", .cells = 11, .kind = TABLE_TIME, OF_TASK(throttled),
	  .known = knows_throttled, .needs = TASK_NEEDS_THROTTLED,
	  .help = THROTTLED_HELP },
	{ "migrations", "migr", .place = 11, .width = 6, .cells = 7, .kind = TABLE_COUNT,
	  OF_TASK(migrations), .known = knows_moves, LEAST, SCHED,
	  .help = "moves to another CPU" },
	{ "wakeups", "wakeups", .place = 12, .width = 8, .cells = 9, .kind = TABLE_COUNT,
	  OF_TASK(wakeups), .known = knows_wakes, LEAST, SCHED,
	  .help = "times it was woken" },
	{ "woke", "woke", .place = 26, .cells = 8, .kind = TABLE_COUNT, OF_TASK(woke),
	  .known = knows_wakers, LEAST, .needs = TASK_NEEDS_SCHED | TASK_NEEDS_CONTEXTS,
	  .help = "times it woke others" },
	{ "syscalls", "syscalls", .place = 27, .cells = 10, .kind = TABLE_COUNT, OF_SUMS(calls),
	  .known = knows_calls, LEAST, CALLS,
	  .help = "system calls it made" },
	{ "syscalls_ns", "in calls", .place = 28, .cells = 10, .kind = TABLE_TIME,
	  OF_SUMS(call_time), .known = knows_calls, LEAST, CALLS,
	  .help = "time in system calls that returned" },
	{ "irqs", "irqs", .place = 29, .cells = 7, .kind = TABLE_COUNT, OF_SUMS(irqs),
	  .known = knows_irqs, LEAST, IRQS,
	  .help = "interrupts and softirqs that began while it ran" },
	{ "irqs_ns", "in irqs", .place = 30, .cells = 10, .kind = TABLE_TIME, OF_SUMS(irq_time),
	  .known = knows_irqs, LEAST, IRQS,
	  .help = "time in them" },
	{ "last_cpu", "CPU", .place = 33, .cells = 6, .kind = TABLE_NUMBER,
	  TABLE_MEMBER(struct task_row, cpu),
	  .known = has_cpu, SCHED,
	  .help = "the CPU of its last switch here" },
	{ "prio", "prio", .place = 32, .cells = 7, .kind = TABLE_NUMBER, .number = prio,
	  .known = has_prio,
	  SCHED,
	  .help = "priority, the last one seen" },
	{ "max_run_ns", "max run", .place = 23, .cells = 10, .kind = TABLE_TIME, LONGEST(TASK_RAN),
	  LEAST,
	  .own = TASK_LONGEST_RUN, SCHED,
	  .help = "longest run" },
	{ "max_sleep_ns", "max sleep", .place = 24, .cells = 12, .kind = TABLE_TIME,
	  LONGEST(TASK_SLEPT),
	  .own = TASK_LONGEST_SLEEP, SCHED,
	  .help = "longest sleep" },
	{ "max_block_ns", "max block", .place = 25, .cells = 12, .kind = TABLE_TIME,
	  LONGEST(TASK_WAS_BLOCKED),
	  .own = TASK_LONGEST_BLOCK, SCHED,
	  .help = "longest time in state D" },
	{ "run_cut_ns", "partial", .place = 5, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  OF_TASK(run_cut), TIMES, LEAST, SCHED,
	  .help = "part of run: runs cut off by the start or end of the trace, or by lost events" },
	{ "max_wakeup_comm", .place = 15, TABLE_MEMBER(struct task_row, wake_comm) },
	{ "max_wakeup_prio", .place = 16, .kind = TABLE_NUMBER, .number = max_wake_prio,
	  .known = has_wake_comm },
	{ .title = "name [prio] at max wake", .place = 17, .width = 1, .align = TABLE_LEFT,
	  .text = add_max_wake_as, .known = has_wake_comm,
	  .help = "name and priority that it had at the longest wake-up" },
	{ "doubtful_ns", "doubtful", .place = 14, .width = 8, .cells = 10, .kind = TABLE_TIME,
	  .number = doubtful, TIMES, SCHED,
	  .help = "part of wait, sleep and blocked that may have ended earlier: events were lost" },
	{ "stolen_ns", .place = 34, .kind = TABLE_TIME, OF_SUMS(stolen.time),
	  .known = knows_stolen, DOUBT_OF_SUMS(stolen.doubtful), LEAST_OF_SUMS(stolen.unknown) },
	{ "stolen_doubtful_ns", .place = 35, .kind = TABLE_TIME, OF_SUMS(stolen.doubtful),
	  .known = knows_stolen },
	{ "stolen_unknown_ns", .place = 36, .kind = TABLE_TIME, OF_SUMS(stolen.unknown),
	  .known = has_host },
	{ "throttled_ns", .place = 37, .kind = TABLE_TIME, OF_TASK(throttled),
	  .known = knows_throttled },
};

#define NR_TASKS	(sizeof(tasks) / sizeof(tasks[0]))

static int64_t mean_queue(const void *row)
{
	const struct run_queue_sums *q = &((const struct cpu_sums *)row)->queue;

	return q->known ? (int64_t)((double)q->waited * 1000 / (double)q->known) : 0;
}

static void add_mean_queue(const void *row, struct text *out)
{
	text_printf(out, "%.2f", (double)mean_queue(row) / 1000);
}

/* For which CPUs tasks waited is a guess, or whether they did. */
static bool is_guessed(const void *row)
{
	const struct cpu_sums *cpu = row;

	return cpu->queue.guessed || cpu->unsure;
}

#define QUEUE	.number = mean_queue, .text = add_mean_queue, CPU_IF(queue.known), \
		TABLE_DOUBT(struct cpu_sums, queue.doubtful), .doubtful = is_guessed, SCHED

static bool cpu_knows_stolen(const void *row)
{
	const struct cpu_sums *c = row;

	return c->knows_stolen && (!c->busy || c->stolen.unknown < c->busy);
}

#define CPU_STOLEN	CPU(stolen.time), .known = cpu_knows_stolen, \
			TABLE_DOUBT(struct cpu_sums, stolen.doubtful), \
			TABLE_LEAST(struct cpu_sums, stolen.unknown)

#define BUSY	CPU(busy), TABLE_LEAST(struct cpu_sums, unknown), SCHED

static int64_t of_cpu(const struct cpu_sums *c, int64_t sum)
{
	return c->cpus ? sum / c->cpus : sum;
}

/* A share of the time of each CPU. */
#define EACH(function, member) \
	static int64_t function(const void *row) \
	{ \
		const struct cpu_sums *c = row; \
		return of_cpu(c, c->member); \
	}
EACH(busy_each, busy)
EACH(irq_each, irq)
EACH(softirq_each, softirq)

/* The deepest idle state that it was in; -1: none. */
static int64_t deepest(const void *row)
{
	const struct cpu_sums *c = row;
	int state = CPU_IDLE_STATES - 1;

	while (state >= 0 && !c->idle_in[state])
		state--;
	return state;
}

static bool has_deepest(const void *row)
{
	return deepest(row) >= 0;
}

static int64_t deepest_time(const void *row)
{
	int64_t state = deepest(row);

	return state < 0 ? 0 : ((const struct cpu_sums *)row)->idle_in[state];
}

static int64_t deepest_each(const void *row)
{
	return of_cpu(row, deepest_time(row));
}

/* "1:12345 3:678": ns in each idle state */
static void add_idle_states(const void *row, struct text *out)
{
	const struct cpu_sums *c = row;
	const char *between = "";

	for (unsigned int i = 0; i < CPU_IDLE_STATES; i++) {
		if (!c->idle_in[i])
			continue;
		text_printf(out, "%s%u:%" PRId64, between, i, c->idle_in[i]);
		between = " ";
	}
}

static int64_t mean_khz(const void *row)
{
	const struct cpu_sums *c = row;

	return c->khz_known ? (int64_t)(c->khz_time / (double)c->khz_known + 0.5) : 0;
}

static void add_mean_khz(const void *row, struct text *out)
{
	text_printf(out, "%.3f GHz", (double)mean_khz(row) / 1e6);
}

static int64_t mean_capacity(const void *row)
{
	const struct cpu_sums *c = row;

	return c->khz_known ? (int64_t)(c->capacity_time / (double)c->khz_known + 0.5) : 0;
}

#define IDLE	.needs = TASK_NEEDS_IDLE
#define KHZ	CPU_IF(khz_known), .needs = TASK_NEEDS_KHZ
#define MOVED(word, title_, place_, distance, from) \
	{ word, title_, .group = "moved within", .place = place_, .width = 8, .cells = 8, \
	  .kind = TABLE_COUNT, CPU(moves[distance]), CPU_IF(knows_moves), LEAST, \
	  .needs = TASK_NEEDS_MACHINE, \
	  .goes_first = true, .help = "tasks that moved to this CPU from " from }

static const struct table_column cpus[] = {
	{ "cpu", "CPU", .width = 5, .cells = 14, .kind = TABLE_NUMBER, CPU(cpu),
	  .help = "number of the CPU" },
	{ "busy_ns", "busy", .place = 40, .width = 12, .cells = 10, .kind = TABLE_TIME, BUSY,
	  .bar = TABLE_BAR_TOO, .help = "time that tasks ran" },
	{ "stolen_ns", "stolen", .place = 60, .width = 12, .cells = 10, .kind = TABLE_TIME,
	  CPU_STOLEN, STOLEN, .help = STOLEN_HELP },
	{ "stolen_doubtful_ns", .place = 61, .kind = TABLE_TIME, CPU(stolen.doubtful),
	  .known = cpu_knows_stolen },
	{ "stolen_unknown_ns", .place = 62, .kind = TABLE_TIME, CPU(stolen.unknown),
	  CPU_IF(knows_stolen) },
	{ .title = "%busy", .cells = 7, .kind = TABLE_SHARE, .number = busy_each,
	  TABLE_LEAST(struct cpu_sums, unknown), SCHED,
	  .help = "share of the time that tasks ran; of a group: on average" },
	{ "idle_ns", "idle", .place = 41, .width = 12, .cells = 10, .kind = TABLE_TIME, CPU(idle),
	  SCHED, .help = "time that no task ran" },
	{ "known_ns", "known", .width = 12, .kind = TABLE_TIME, CPU(queue.known) },
	{ "waited_ns", .kind = TABLE_NUMBER, CPU(queue.waited) },
	{ .title = "queue", .width = 6, .cells = 7, .kind = TABLE_NUMBER, QUEUE,
	  .own = TASK_LONGEST_QUEUE,
	  .help = "tasks that waited for this CPU, on average over the time" },
	{ "most", "most", .width = 5, .cells = 6, .kind = TABLE_COUNT, CPU(queue.most), LEAST,
	  CPU_IF(queue.known), .doubtful = is_guessed, SCHED, .own = TASK_LONGEST_QUEUE,
	  .help = "the most tasks that waited for it at once; Enter shows them" },
	{ "most_start_ns", .kind = TABLE_NUMBER, CPU(queue.most_at.from), CPU_IF(queue.most) },
	{ "most_length_ns", .kind = TABLE_NUMBER, CPU(queue.most_at.length), CPU_IF(queue.most) },
	{ "spare_ns", "wasted", .width = 12, .cells = 10, .kind = TABLE_TIME, CPU(queue.spare),
	  CPU_IF(queue.known), TABLE_DOUBT(struct cpu_sums, queue.doubtful),
	  .doubtful = is_guessed, SCHED, .own = TASK_LONGEST_SPARE,
	  .help = "time that it idled while two or more tasks waited for another CPU" },
	{ "max_spare_ns", "max wasted", .width = 12, .cells = 12, .kind = TABLE_TIME,
	  CPU(queue.spare_at.length), CPU_IF(queue.known), LEAST, .doubtful = is_guessed, SCHED,
	  .own = TASK_LONGEST_SPARE,
	  .help = "the longest stretch of wasted time; Enter shows it" },
	{ "max_spare_start_ns", .kind = TABLE_NUMBER, CPU(queue.spare_at.from),
	  CPU_IF(queue.spare_at.length) },
	{ "doubtful_ns", "doubtful", .width = 12, .kind = TABLE_TIME, CPU(queue.doubtful),
	  .help = "part of known in which records of another CPU are missing" },
	{ "guessed_ns", .kind = TABLE_NUMBER, CPU(queue.guessed), CPU_IF(queue.known) },
	{ "irq_ns", "irq", .place = 42, .width = 12, .cells = 10, .kind = TABLE_TIME, CPU(irq),
	  CPU_IF(knows_hardirqs), .goes_first = true, .help = "time in hard interrupts" },
	{ "softirq_ns", "softirq", .place = 43, .width = 12, .cells = 10, .kind = TABLE_TIME,
	  CPU(softirq), CPU_IF(knows_softirqs),
	  .help = "time in softirqs, without the hard interrupts in them" },
	{ "switches", "switch", .place = 55, .cells = 8, .kind = TABLE_COUNT, CPU(switches), LEAST,
	  SCHED, .help = "switches from a task to another" },
	{ "idles", "idles", .place = 56, .cells = 8, .kind = TABLE_COUNT, CPU(idle_entries), LEAST,
	  SCHED,
	  .goes_first = true, .help = "switches to the idle task" },
	{ "wakeups", "wakeups", .place = 57, .cells = 9, .kind = TABLE_COUNT, CPU(wakeups), LEAST,
	  SCHED,
	  .goes_first = true, .help = "wake-ups made on this CPU" },
	{ .title = "migr to", .cells = 9, .kind = TABLE_COUNT, CPU(migrations), SCHED,
	  .goes_first = true, .help = "tasks that moved to this CPU" },
	{ "irqs", "irqs", .place = 58, .cells = 8, .kind = TABLE_COUNT, CPU(irqs),
	  CPU_IF(knows_irqs), LEAST, IRQS, .help = "interrupts and softirqs" },
	{ "syscalls", "syscalls", .place = 59, .cells = 10, .kind = TABLE_COUNT, CPU(calls),
	  CPU_IF(knows_calls), LEAST, CALLS,
	  .help = "system calls made on this CPU" },
	{ "idle_states_ns", .place = 44, .text = add_idle_states },
	{ "deepest", .place = 45, .kind = TABLE_NUMBER, .number = deepest, .known = has_deepest },
	{ "deepest_ns", "deepest", .place = 46, .width = 12, .kind = TABLE_TIME,
	  .number = deepest_time, .known = has_deepest, IDLE },
	{ .title = "%deepest", .cells = 10, .kind = TABLE_SHARE, .number = deepest_each,
	  .known = has_deepest, IDLE, .goes_first = true,
	  .help = "share of the time in its deepest idle state; of a group: on average" },
	{ "khz", "frequency", .place = 47, .width = 10, .cells = 11, .kind = TABLE_NUMBER,
	  .number = mean_khz, .text = add_mean_khz, KHZ, .goes_first = true,
	  .help = "mean frequency over the time that it is known" },
	{ "khz_known_ns", .place = 48, .kind = TABLE_NUMBER, CPU(khz_known) },
	{ "capacity", "capacity", .place = 49, .width = 8, .cells = 10, .kind = TABLE_NUMBER,
	  .number = mean_capacity, CPU_IF(capacity_time), .needs = TASK_NEEDS_CAPACITY,
	  .goes_first = true,
	  .help = "of 1024: its capacity at that frequency, as the scheduler counts it" },
	{ "migrations", .place = 50, .kind = TABLE_COUNT, CPU(migrations), LEAST },
	MOVED("from_core", "core", 51, CPU_SAME_CORE, "its core"),
	MOVED("from_cache", "cache", 52, CPU_SAME_CACHE, "another core of its last-level cache"),
	MOVED("from_node", "node", 53, CPU_SAME_NODE, "another cache of its node"),
	MOVED("from_far", "machine", 54, CPU_OTHER_NODE, "another node"),
};

unsigned int task_columns_lack(const struct task_figures *f, const struct machine *machine)
{
	bool has_capacity = false;

	for (unsigned int i = 0; i < machine->nr && !has_capacity; i++)
		has_capacity = machine->cpus[i].capacity > 0 && machine->cpus[i].max_khz > 0;
	return (f->sched_records ? 0 : TASK_NEEDS_SCHED) | (f->has_calls ? 0 : TASK_NEEDS_CALLS) |
	       (f->has_irqs ? 0 : TASK_NEEDS_IRQS) | (f->has_idle ? 0 : TASK_NEEDS_IDLE) |
	       (f->has_khz ? 0 : TASK_NEEDS_KHZ) | (machine->nr ? 0 : TASK_NEEDS_MACHINE) |
	       (f->has_khz && has_capacity ? 0 : TASK_NEEDS_CAPACITY) |
	       (f->has_throttled ? 0 : TASK_NEEDS_THROTTLED) |
	       (f->has_stolen ? 0 : TASK_NEEDS_STOLEN) |
	       (f->lacks_contexts ? TASK_NEEDS_CONTEXTS : 0) |
	       (f->switches ? 0 : TASK_NEEDS_SWITCHES) | (f->wakes ? 0 : TASK_NEEDS_WAKES);
}

#define EVENTS	TABLE_MEMBER(struct task_type_row, events)

static const struct table_column types[] = {
	{ "event", "event", .cells = 14, TABLE_MEMBER(struct task_type_row, name),
	  .help = "system and name of the event type" },
	{ "events", "events", .cells = 10, .kind = TABLE_COUNT, EVENTS,
	  .help = "number of events" },
	{ .title = "%", .cells = 7, .kind = TABLE_PART, EVENTS,
	  .help = "share of all events" },
	{ .title = "per second", .cells = 12, .kind = TABLE_RATE, EVENTS,
	  .help = "events in a second" },
};

#define PAIR(member) TABLE_MEMBER_OF(struct task_pair_row, pair, member)
#define PAIR_LATE .least = TABLE_THROUGH(struct task_pair_row, pair, late)
#define HAS_WAITS TABLE_IF_OF(struct task_pair_row, pair, count)

static int64_t pair_avg(const void *row)
{
	const struct task_pair *p = ((const struct task_pair_row *)row)->pair;

	return p->count ? p->total / (int64_t)p->count : 0;
}

static bool is_by_task(const void *row)
{
	return task_pair_by_task(((const struct task_pair_row *)row)->pair);
}

void task_pair_task(const void *p, struct text *out)
{
	const struct task_pair_row *row = p;

	text_printf(out, "%s-%" PRIu32, row->comm, row->pair->pid);
}

void task_pair_by(const void *p, struct text *out)
{
	const struct task_pair_row *row = p;

	text_add(out, row->by);
	if (row->pair->by < TASK_BY_FIRST)
		text_printf(out, "-%" PRIu32, row->pair->by_pid);
	if (row->pair->no_context && row->pair->by != SCHED_NO_TASK)
		text_printf(out, " (%s)", verdict_words(VERDICT_NO_CONTEXT, false));
}

static void add_context(const void *p, struct text *out)
{
	if (((const struct task_pair_row *)p)->pair->no_context)
		text_add(out, SCHED_CONTEXT_NOT_KNOWN);
}

/* CSV and JSON have names and pids of both, text and the screen have them in one. */
#define PAIR_COLUMNS(who, by_title, waits) \
	{ .title = "task", .width = 20, .align = TABLE_LEFT, .cells = 14, .text = task_pair_task, \
	  .help = who }, \
	{ "pid", .kind = TABLE_COUNT, PAIR(pid) }, \
	{ "comm", TABLE_MEMBER(struct task_pair_row, comm) }, \
	{ .title = by_title, .width = 20, .align = TABLE_LEFT, .cells = 24, .text = task_pair_by, \
	  .help = "its name (the last one it had) and pid" }, \
	{ "by_pid", .kind = TABLE_COUNT, PAIR(by_pid), .known = is_by_task }, \
	{ "by_comm", TABLE_MEMBER(struct task_pair_row, by) }, \
	TABLE_CLOCK_AT(0), \
	{ "count", "times", .width = 8, .cells = 8, .kind = TABLE_COUNT, PAIR(count), LEAST, \
	  .help = waits " that ended with a run" }, \
	{ "total_ns", "waited", .width = 10, .cells = 10, .kind = TABLE_TIME, \
	  PAIR(total), HAS_WAITS, LEAST, PAIR_LATE, .help = "time until it ran, in all" }, \
	{ "avg_ns", "avg", .width = 10, .cells = 10, .kind = TABLE_TIME, .number = pair_avg, \
	  HAS_WAITS, PAIR_LATE, .goes_first = true, .help = "mean time until it ran" }, \
	{ "max_ns", "max", .width = 10, .cells = 10, .kind = TABLE_TIME, PAIR(max), LEAST, \
	  HAS_WAITS, PAIR_LATE, .help = "longest time until it ran; Enter shows it" }, \
	{ "max_ts_ns", .kind = TABLE_NUMBER, PAIR(max_ts), HAS_WAITS }, \
	{ "doubtful", "doubtful", .width = 8, .cells = 10, .kind = TABLE_COUNT, \
	  PAIR(doubtful), .apart = true, \
	  .help = "more of them, across missing records: how long they waited is not known" }

static const struct table_column preempted[] = {
	PAIR_COLUMNS("who was preempted", "preempted by", "preemptions"),
};
static const struct table_column woken[] = {
	PAIR_COLUMNS("who was woken", "woken by", "wake-ups"),
	{ "context", .text = add_context },
};

#define WAIT_AVG	.number = wait_avg, SCHED, TABLE_IF_OF(struct task_row, sums, waits)

static const struct table_column compare_tasks[] = {
	{ .title = "task", .cells = 14, TABLE_MEMBER(struct task_row, comm),
	  .help = "name and pid" },
	TABLE_COMPARED("%cpu", "share of the time that it ran", 7,
		       .kind = TABLE_SHARE, .number = ran, SCHED),
	TABLE_COMPARED("%wait", "share of the time that it waited to run", 7,
		       .kind = TABLE_SHARE, OF_TASK(wait), SCHED),
	TABLE_COMPARED("wait avg", "mean time that it waited to run, after wake-ups and preemptions",
		       10, .kind = TABLE_TIME, WAIT_AVG),
	TABLE_COMPARED_TIMES("wait avg", WAIT_AVG),
	TABLE_COMPARED("switch/s", "times it left a CPU, in a second", 10,
		       .kind = TABLE_RATE, OF_TASK(switches), SCHED),
	TABLE_COMPARED("wake/s", "times it was woken, in a second", 10,
		       .kind = TABLE_RATE, OF_TASK(wakeups), SCHED),
	TABLE_COMPARED("%blocked", "share of the time in state D", 7,
		       .kind = TABLE_SHARE, OF_TASK(blocked), SCHED),
	TABLE_COMPARED("calls/s", "system calls in a second", 10,
		       .kind = TABLE_RATE, OF_SUMS(calls), CALLS),
	TABLE_COMPARED("irqs/s", "interrupts and softirqs in a second", 10,
		       .kind = TABLE_RATE, OF_SUMS(irqs), IRQS),
};

static const struct table_column compare_cpus[] = {
	{ .title = "CPU", .cells = 14, .kind = TABLE_NUMBER, CPU(cpu),
	  .help = "number of the CPU" },
	TABLE_COMPARED("%busy", "share of the time that tasks ran", 7,
		       .kind = TABLE_SHARE, .number = busy_each,
		       TABLE_LEAST(struct cpu_sums, unknown), SCHED),
	TABLE_COMPARED("%irq", "share of the time in hard interrupts", 7,
		       .kind = TABLE_SHARE, .number = irq_each, IRQS),
	TABLE_COMPARED("queue", "tasks that waited for this CPU, on average over the time", 7,
		       .kind = TABLE_NUMBER, QUEUE),
	TABLE_COMPARED("switch/s", "switches in a second", 10,
		       .kind = TABLE_RATE, CPU(switches), SCHED),
	TABLE_COMPARED("%softirq", "share of the time in softirqs", 7,
		       .kind = TABLE_SHARE, .number = softirq_each, IRQS),
	TABLE_COMPARED("calls/s", "system calls in a second", 10,
		       .kind = TABLE_RATE, CPU(calls), CALLS),
	TABLE_COMPARED("irqs/s", "interrupts and softirqs in a second", 10,
		       .kind = TABLE_RATE, CPU(irqs), IRQS),
};

static const struct table_column compare_types[] = {
	{ .title = "event", .cells = 14,
	  .help = "system and name of the event type" },
	TABLE_COMPARED("per second", "events in a second", 12,
		       .kind = TABLE_RATE, EVENTS),
};

const struct table_columns task_columns = { TABLE_COLUMNS(tasks), .gap = 2 };
const struct table_columns task_cpu_columns = { TABLE_COLUMNS(cpus), .gap = 1 };
const struct table_columns task_type_columns = { TABLE_COLUMNS(types) };
const struct table_columns task_preempted_columns = { TABLE_COLUMNS(preempted), .gap = 2 };
const struct table_columns task_woken_columns = { TABLE_COLUMNS(woken), .gap = 2 };
const struct table_columns task_compare_columns = { TABLE_COLUMNS(compare_tasks) };
const struct table_columns task_cpu_compare_columns = { TABLE_COLUMNS(compare_cpus) };
const struct table_columns task_type_compare_columns = { TABLE_COLUMNS(compare_types) };

const struct table_columns *task_group_columns(enum grouping by)
{
	static const struct table_column of_cgroups[] = {
		{ .title = "throttled", .place = 14, .width = 9, .kind = TABLE_TIME,
		  OF_TASK(throttled), .known = knows_throttled, .help = THROTTLED_HELP },
	};
	static struct table_column list[NR_TASKS + sizeof(of_cgroups) / sizeof(of_cgroups[0])];
	static struct table_columns columns = { .list = list, .gap = 2 };

	memcpy(list, tasks, sizeof(tasks));
	memcpy(list + NR_TASKS, of_cgroups, sizeof(of_cgroups));
	columns.nr = by == GROUPING_CGROUP ? sizeof(list) / sizeof(list[0]) : NR_TASKS;
	list[0] = (struct table_column){
		groupings[by].option, groupings[by].option, .place = 1, .width = 24,
		.align = TABLE_LEFT, TABLE_MEMBER(struct task_row, comm), .help = "the group"
	};
	list[1] = (struct table_column){
		"tasks", "tasks", .place = 2, .width = 6, .kind = TABLE_COUNT, OF_SUMS(tasks),
		.help = "how many tasks are in it"
	};
	return &columns;
}

const struct table_columns *task_cpu_group_columns(enum cpu_level level)
{
	static struct table_column list[sizeof(cpus) / sizeof(cpus[0]) + 1];
	static struct table_columns columns = { TABLE_COLUMNS(list), .gap = 1 };

	_Static_assert(!offsetof(struct cpu_group_row, sums), "columns of CPUs read it");
	memcpy(list + 1, cpus, sizeof(cpus));
	list[0] = (struct table_column){ cpu_level_word(level), cpu_level_word(level), .width = 12,
					 .align = TABLE_LEFT,
					 TABLE_MEMBER(struct cpu_group_row, name) };
	list[1] = (struct table_column){ "cpus", "CPUs", .width = 5, .kind = TABLE_COUNT,
					 CPU(cpus) };
	return &columns;
}

struct task_row task_row_of(const struct task_figures *f, uint32_t row)
{
	const struct task_sums *sums = task_figures_sums(f, row);
	struct task_row of = { .task = &f->tasks[row], .sums = sums, .cpu = -1,
			       .comm = f->text.data + f->comms[row] };

	if (sums->tasks < 2 && sums->last_cpu)
		of.cpu = f->cpus[f->nr_cpu_groups + (unsigned int)sums->last_cpu - 1].cpu;
	return of;
}
