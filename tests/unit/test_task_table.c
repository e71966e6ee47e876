/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sums of CPUs against a walk over all switches in order, and against those of the tasks; what
 * tasks did longest, and in which states they slept, against the intervals of src/sched/sched,
 * which tests/compare/sched.py compares with an oracle.
 */
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "parsers/types/field.h"
#include "parsers/text/sched_text.h"
#include "src/base/memory.h"
#include "src/sched/sched.h"
#include "src/sched/task_groups.h"
#include "src/sched/task_table.h"
#include "tests/lib/new_filter.h"
#include "tests/lib/open_recorded.h"

static void add_up_of(struct trace *trace, const struct task_table_options *options,
		      struct task_figures *f)
{
	struct task_table *table = task_table_new(trace, options);

	while (!f->done) {
		task_table_take(table, f);
		sched_yield();
	}
	assert_false(f->failed);
	assert_int_equal(f->permille, 1000);
	task_table_free(table);
}

static void add_up(struct trace *trace, bool has_range, int64_t from, int64_t to,
		   struct task_figures *f)
{
	add_up_of(trace, &(struct task_table_options){ .range = { has_range, from, to } }, f);
}

/* Records of sched_switch of one CPU in a range. */
static uint64_t count_switches(struct trace *trace, int cpu, int64_t from, int64_t to)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	uint64_t nr = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		if (event.kind == TRACE_ROW_EVENT && event.cpu == cpu && event.ts >= from &&
		    event.ts <= to && event.type && !strcmp(event.type->name, "sched_switch"))
			nr++;
	trace_cursor_free(cursor);
	return nr;
}

static void check(struct trace *trace, bool has_range, int64_t from, int64_t to, bool whole)
{
	struct task_figures f = { 0 };
	int64_t ran = 0, busy = 0;
	uint64_t switches = 0, woken = 0, wakeups = 0;

	add_up(trace, has_range, from, to, &f);
	assert_true(f.nr_tasks > 0);
	for (uint32_t i = 0; i < f.nr_tasks; i++) {
		ran += f.tasks[i].run + f.tasks[i].run_cut;
		woken += f.tasks[i].wakeups;
	}
	for (unsigned int i = 0; i < f.nr_cpus; i++) {
		assert_int_equal(f.cpus[i].switches,
				 count_switches(trace, f.cpus[i].cpu, from, to));
		busy += f.cpus[i].busy;
		switches += f.cpus[i].switches;
		wakeups += f.cpus[i].wakeups;
		assert_true(f.cpus[i].busy >= 0 && f.cpus[i].idle >= 0);
		if (has_range)
			assert_true(f.cpus[i].busy + f.cpus[i].idle <= to - from);
	}
	assert_int_equal(wakeups, woken);
	/* Nothing is lost: who ran, ran on a CPU. */
	if (whole)
		assert_int_equal(ran, busy);
	if (!has_range)
		assert_int_equal(switches, f.switches);
	task_figures_fini(&f);
}

static int64_t ts_of(struct trace *trace, trace_ref ref)
{
	struct trace_event event;

	assert_true(trace_event_at(trace, ref, &event));
	return event.ts;
}

static void test_recorded(void **state)
{
	static const struct {
		const char *name;
		bool whole;
	} traces[] = { { "cpu4", false }, { "sched", true } };

	(void)state;
	for (size_t i = 0; i < sizeof(traces) / sizeof(traces[0]); i++) {
		struct trace *trace = open_recorded(traces[i].name, 2);
		int64_t first = ts_of(trace, trace_first(trace)),
			last = ts_of(trace, trace_last(trace));

		check(trace, false, INT64_MIN, INT64_MAX, traces[i].whole);
		check(trace, true, first + (last - first) / 4, first + (last - first) / 2,
		      traces[i].whole);
		trace_close(trace);
	}
}

/* --- a range and the rest --------------------------------------------------------------------- */

#define SUMS	10u

/* What the comparison of the Tasks view takes for the rest: the whole less the range. */
static void add_task(const struct task_figures *f, uint32_t pid, int64_t sign, int64_t sums[SUMS])
{
	for (uint32_t i = 0; i < f->nr_tasks; i++) {
		const struct sched_task *t = &f->tasks[i];
		const struct task_sums *s = &f->sums[i];
		const int64_t values[SUMS] = {
			t->run + t->run_cut,   t->wait,
			(int64_t)t->switches,  (int64_t)t->wakeups,
			t->blocked,	       (int64_t)s->calls,
			(int64_t)s->irqs,      t->sleep,
			(int64_t)s->waits,     s->waited,
		};

		for (unsigned int k = 0; t->pid == pid && k < SUMS; k++)
			sums[k] += sign * values[k];
	}
}

static void add_cpu(const struct task_figures *f, int cpu, int64_t sign, int64_t sums[SUMS])
{
	for (unsigned int i = 0; i < f->nr_cpus; i++) {
		const struct cpu_sums *c = &f->cpus[i];
		const int64_t values[SUMS] = { c->busy, c->irq, c->softirq, (int64_t)c->switches,
					    (int64_t)c->calls, (int64_t)c->irqs,
					    c->queue.known, c->queue.waited,
					    c->queue.doubtful };

		for (unsigned int k = 0; c->cpu == cpu && k < SUMS; k++)
			sums[k] += sign * values[k];
	}
}

/* A moment without events, near this one. */
static int64_t between_events(struct trace *trace, int64_t ts)
{
	while (ts_of(trace, trace_seek_time(trace, ts, -1)) == ts)
		ts++;
	return ts;
}

/* What is counted before and after the range is the whole less the range. */
static void check_rest(const char *name, int64_t from_permille, int64_t to_permille)
{
	struct trace *trace = open_recorded(name, 2);
	int64_t first = ts_of(trace, trace_first(trace)), last = ts_of(trace, trace_last(trace));
	int64_t from = between_events(trace, first + (last - first) / 1000 * from_permille);
	int64_t to = between_events(trace, first + (last - first) / 1000 * to_permille);
	struct task_figures whole = { 0 }, range = { 0 }, before = { 0 }, after = { 0 };

	add_up(trace, false, 0, 0, &whole);
	add_up(trace, true, from, to, &range);
	add_up(trace, true, INT64_MIN, from, &before);
	add_up(trace, true, to, INT64_MAX, &after);
	for (uint32_t i = 0; i < whole.nr_tasks + whole.nr_cpus; i++) {
		int64_t sums[SUMS] = { 0 };
		bool is_task = i < whole.nr_tasks;
		int id = is_task ? (int)whole.tasks[i].pid : whole.cpus[i - whole.nr_tasks].cpu;

		for (unsigned int k = 0; k < 4; k++) {
			const struct task_figures *of[4] = { &whole, &range, &before, &after };

			if (is_task)
				add_task(of[k], (uint32_t)id, k ? -1 : 1, sums);
			else
				add_cpu(of[k], id, k ? -1 : 1, sums);
		}
		for (unsigned int k = 0; k < SUMS; k++)
			if (sums[k])
				fail_msg("%s %lld-%lld %s %d: sum %u differs by %lld", name,
					 (long long)from, (long long)to, is_task ? "task" : "CPU",
					 id, k, (long long)sums[k]);
	}
	task_figures_fini(&whole);
	task_figures_fini(&range);
	task_figures_fini(&before);
	task_figures_fini(&after);
	trace_close(trace);
}

static void test_rest(void **state)
{
	static const char *const names[] = { "cpu4", "sched", "sched-7.2" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		check_rest(names[i], 250, 500);
		check_rest(names[i], 90, 110);
		check_rest(names[i], 333, 900);
	}
}

/* The worst wake-up of cpu4's on-cpu-1, as trace-cmd's text has its events. */
static void test_worst_wake(void **state)
{
	struct trace *trace = open_recorded("cpu4", 2);
	struct task_figures f = { 0 };

	(void)state;
	add_up(trace, true, INT64_C(7574000000), INT64_C(7575000000), &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++)
		if (f.tasks[i].pid == 80) {
			assert_int_equal(f.tasks[i].max_wake_ts, INT64_C(7574227913));
			assert_int_equal(f.tasks[i].max_wakeup,
					 INT64_C(7574321342) - INT64_C(7574227913));
		}
	task_figures_fini(&f);
	trace_close(trace);
}

/* --- beside the intervals ------------------------------------------------------------- */

/* What a task's intervals come to. */
struct stays {
	struct task_longest longest[TASK_STAYS];
	int64_t		asleep[TASK_NR_LETTERS];
	int64_t		*waits;		/* owned, [nr] */
	unsigned int	nr, cap;
};

static void see_longest(struct stays *s, enum task_stay stay, const struct pyramid_state *now,
			int64_t from, int64_t to)
{
	if (!now->doubtful && now->from >= from && now->from <= to &&
	    now->to - now->from > s->longest[stay].length)
		s->longest[stay] = (struct task_longest){ now->to - now->from, now->from };
}

static void add_asleep(struct stays *s, const struct sched_states *states,
		       const struct pyramid_state *now, int64_t from, int64_t to)
{
	int64_t begin = now->from > from ? now->from : from, end = now->to < to ? now->to : to;
	struct text letters = { 0 };
	const char *letter;

	sched_states_text(states, now->arg, &letters);
	letter = strchr(TASK_LETTERS, strchr(text_str(&letters), 'D') ? 'D' : *text_str(&letters));
	if (end > begin)
		s->asleep[letter ? letter - TASK_LETTERS : (long)TASK_NR_LETTERS - 1] += end -
											 begin;
	text_fini(&letters);
}

static bool is_number(const struct trace_event *event, const char *field, uint32_t number)
{
	const struct event_field *f = event_type_field(event->type, field);

	return f && (uint32_t)field_u64(f, event->data, event->size, event->swap) == number;
}

/*
 * Does a record tell that a state of the task ends there?  (Intervals that are not to be believed
 * are of no state.)
 */
static bool is_told(struct trace *trace, uint32_t pid, unsigned int kind, int64_t ts)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct trace_event event;
	bool found = false;

	trace_cursor_seek_time(cursor, ts);
	while (!found && trace_cursor_next(cursor, &event) && event.key <= ts)
		if (event.kind == TRACE_ROW_EVENT && event.ts == ts && event.type &&
		    !strncmp(event.type->name, "sched_", 6))
			found = kind == SCHED_RUNS ? is_number(&event, "prev_pid", pid) :
						     is_number(&event, "next_pid", pid) ||
							     (kind >= SCHED_SLEEPS &&
							      is_number(&event, "pid", pid));
	trace_cursor_free(cursor);
	return found;
}

static void see_state(struct stays *s, const struct sched_states *states,
		      const struct pyramid_state *now, bool ends, int64_t from, int64_t to)
{
	switch ((enum sched_state)now->kind) {
	case SCHED_RUNS:
		if (ends && !now->again)
			see_longest(s, TASK_RAN, now, from, to);
		break;
	case SCHED_WAITS:
	case SCHED_PREEMPTED:
		if (!ends)
			break;
		see_longest(s, TASK_WAITED, now, from, to);
		if (now->doubtful || now->from < from || now->from > to)
			break;
		mem_grow(&s->waits, s->nr, &s->cap);
		s->waits[s->nr++] = now->to - now->from;
		break;
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
		add_asleep(s, states, now, from, to);
		if (ends)
			see_longest(s, now->kind == SCHED_SLEEPS ? TASK_SLEPT : TASK_WAS_BLOCKED,
				    now, from, to);
		break;
	case SCHED_UNKNOWN:
	case SCHED_GONE:
		break;
	}
}

static int ascending(const void *a, const void *b)
{
	const int64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

static void check_task(struct trace *trace, struct sched *sched, const struct sched_task *task,
		       const struct task_sums *sums, int64_t from, int64_t to)
{
	const struct sched_pass *pass = sched_pass_of(sched);
	uint32_t index = sched_rules_same(sched_pass_rules(pass), task);
	struct pyramid_state now, next;
	struct stays s = { 0 };
	struct pyramid_iter it;
	int64_t sum = 0;
	bool more;

	pyramid_iter_init(&it, sched_task(sched, index), sched_end(sched), INT64_MIN);
	for (bool any = pyramid_iter_next(&it, &now); any; any = more, now = next) {
		more = pyramid_iter_next(&it, &next);
		see_state(&s, &sched_pass_types(pass)->states, &now,
			  more && !(next.kind == SCHED_RUNS && next.again) &&
				  is_told(trace, task->pid, now.kind, now.to),
			  from, to);
	}
	for (unsigned int i = 0; i < TASK_STAYS; i++) {
		assert_int_equal(sums->longest[i].length, s.longest[i].length);
		assert_int_equal(sums->longest[i].ts, s.longest[i].ts);
	}
	assert_int_equal(sums->waits, s.nr);
	if (s.nr)
		qsort(s.waits, s.nr, sizeof(*s.waits), ascending);
	for (unsigned int i = 0; i < s.nr; i++)
		sum += s.waits[i];
	assert_int_equal(sums->waited, sum);
	assert_int_equal(sums->wait_p99, s.nr ? s.waits[(s.nr * 99 + 99) / 100 - 1] : 0);
	sum = 0;
	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++) {
		assert_int_equal(sums->asleep[i], s.asleep[i]);
		sum += s.asleep[i];
	}
	assert_int_equal(sum, task->sleep + task->blocked);
	free(s.waits);
}

/* Interrupts of a CPU, and how often a switch leads to no task. */
static void check_cpu(struct trace *trace, struct sched *sched, const struct cpu_sums *sums,
		      int64_t from, int64_t to)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	int64_t time[SCHED_CONTEXTS] = { 0 };
	struct pyramid_state now;
	struct trace_event event;
	struct pyramid_iter it;
	uint64_t nr = 0;

	pyramid_iter_init(&it,
			  sched_contexts(sched, (unsigned int)sched_cpu_index(sched, sums->cpu)),
			  sched_end(sched), INT64_MIN);
	while (pyramid_iter_next(&it, &now)) {
		int64_t begin = now.from > from ? now.from : from, end = now.to < to ? now.to : to;

		time[now.kind] += end > begin ? end - begin : 0;
	}
	assert_int_equal(sums->irq, time[SCHED_CONTEXT_IRQ]);
	assert_int_equal(sums->softirq, time[SCHED_CONTEXT_SOFTIRQ]);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event))
		if (event.kind == TRACE_ROW_EVENT && event.cpu == sums->cpu && event.ts >= from &&
		    event.ts <= to && event.type && !strcmp(event.type->name, "sched_switch"))
			nr += !field_u64(event_type_field(event.type, "next_pid"), event.data,
					 event.size, event.swap);
	assert_int_equal(sums->idle_entries, nr);
	trace_cursor_free(cursor);
}

static void check_stays(struct trace *trace, struct sched *sched, bool has_range, int64_t from,
			int64_t to)
{
	struct task_figures f = { 0 };

	add_up(trace, has_range, from, to, &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++)
		check_task(trace, sched, &f.tasks[i], &f.sums[i], from, to);
	for (unsigned int i = 0; i < f.nr_cpus; i++)
		check_cpu(trace, sched, &f.cpus[i], from, to);
	task_figures_fini(&f);
}

static void test_stays(void **state)
{
	static const char *const names[] = {
		"cpu4", "sched", "sched-7.2", "irq", "lost", "filter"
	};

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[4096];
		struct trace *trace;
		struct sched *sched;
		int64_t first, last;

		if (!recorded_path(names[i], "trace.dat", path, sizeof(path))) {
			print_message("no recorded trace %s\n", names[i]);
			continue;
		}
		trace = open_recorded(names[i], 2);
		sched = sched_new(trace, 0, 0);
		sched_wait(sched);
		sched_lock(sched);
		assert_true(sched_span(sched, &first, &last));
		check_stays(trace, sched, false, INT64_MIN, INT64_MAX);
		check_stays(trace, sched, true, first + (last - first) / 4,
			    first + (last - first) / 2);
		sched_unlock(sched);
		sched_free(sched);
		trace_close(trace);
	}
}

/* --- system calls and interrupts -------------------------------------------------------- */

#define MOST_PIDS	4096

/*
 * Of each task, by its pid: the last call, of the two systems; and of each CPU how deep in
 * interrupts it is.
 */
struct naive {
	struct {
		uint64_t	nr, number;
		int64_t		time, since;
		bool		open;
	}		calls[2][MOST_PIDS];
	uint64_t	irqs[MOST_PIDS];
	int64_t		irq_time[MOST_PIDS], idle_irq[64];
	uint64_t	cpu_irqs[64], cpu_calls[2][64], cpu_migrations[64];
	struct {
		unsigned int	depth;
		int64_t		since;
		int		pid;
	}		cpus[64];
	struct {
		int64_t		from, to;
	}		gaps[1024];	/* [nr_gaps] in which events of a CPU are lost */
	unsigned int	nr_gaps;
};

/* From the last event of a CPU, or the first of all, to the next. */
static void find_gaps(struct trace *trace, struct naive *n)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	int64_t last[64], first = INT64_MAX;
	bool lost[64] = { false }, any[64] = { false };
	struct trace_event event;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		lost[event.cpu] |= event.kind == TRACE_ROW_LOST;
		if (event.kind != TRACE_ROW_EVENT)
			continue;
		first = first < event.ts ? first : event.ts;
		assert_true(n->nr_gaps < 1024);
		if (lost[event.cpu]) {
			n->gaps[n->nr_gaps].from = any[event.cpu] ? last[event.cpu] : first;
			n->gaps[n->nr_gaps++].to = event.ts;
		}
		lost[event.cpu] = false;
		any[event.cpu] = true;
		last[event.cpu] = event.ts;
	}
	trace_cursor_free(cursor);
}

static bool is_sure(const struct naive *n, int64_t since, int64_t to)
{
	for (unsigned int i = 0; i < n->nr_gaps; i++)
		if (n->gaps[i].from < to && n->gaps[i].to > since)
			return false;
	return true;
}

static bool ends_with(const char *s, const char *tail)
{
	return strlen(s) >= strlen(tail) && !strcmp(s + strlen(s) - strlen(tail), tail);
}

static int64_t overlap(int64_t a, int64_t b, int64_t from, int64_t to)
{
	a = a > from ? a : from;
	b = b < to ? b : to;
	return b > a ? b - a : 0;
}

static void see_call(struct naive *n, const struct trace_event *e, int64_t from, int64_t to)
{
	bool raw = !strcmp(e->type->system, "raw_syscalls");
	const struct event_field *number = event_type_field(e->type, raw ? "id" : "__syscall_nr");

	if ((!raw && strcmp(e->type->system, "syscalls") != 0) || e->pid <= 0 ||
	    e->pid >= MOST_PIDS)
		return;
	if (!strncmp(e->type->name, "sys_enter", 9)) {
		n->calls[raw][e->pid].nr += e->ts >= from && e->ts <= to;
		n->cpu_calls[raw][e->cpu] += e->ts >= from && e->ts <= to;
		n->calls[raw][e->pid].number = field_u64(number, e->data, e->size, e->swap);
		n->calls[raw][e->pid].since = e->ts;
		n->calls[raw][e->pid].open = true;
	} else if (!strncmp(e->type->name, "sys_exit", 8)) {
		uint64_t ends = field_u64(number, e->data, e->size, e->swap);

		/* rt_sigreturn of x86_64 ends with the number -1 */
		ends = raw && ends == UINT64_MAX ? 15 : ends;
		if (n->calls[raw][e->pid].open && is_sure(n, n->calls[raw][e->pid].since, e->ts) &&
		    n->calls[raw][e->pid].number == ends)
			n->calls[raw][e->pid].time += overlap(n->calls[raw][e->pid].since, e->ts,
							      from, to);
		n->calls[raw][e->pid].open = false;
	}
}

static void leave_all(struct naive *n, int cpu, int64_t ts, int64_t from, int64_t to)
{
	int64_t time = n->cpus[cpu].depth ? overlap(n->cpus[cpu].since, ts, from, to) : 0;

	if (n->cpus[cpu].pid > 0)
		n->irq_time[n->cpus[cpu].pid] += time;
	else
		n->idle_irq[cpu] += time;
	n->cpus[cpu].depth = 0;
}

static void see_interrupt(struct naive *n, const struct trace_event *e, int64_t from, int64_t to)
{
	bool irq = !strcmp(e->type->system, "irq"),
	     vector = !strcmp(e->type->system, "irq_vectors");

	if (!strcmp(e->type->name, "sched_switch"))
		leave_all(n, e->cpu, e->ts, from, to);
	if ((irq && (!strcmp(e->type->name, "irq_handler_entry") ||
		     !strcmp(e->type->name, "softirq_entry"))) ||
	    (vector && ends_with(e->type->name, "_entry"))) {
		n->irqs[e->pid] += e->ts >= from && e->ts <= to;
		n->cpu_irqs[e->cpu] += e->ts >= from && e->ts <= to;
		if (!n->cpus[e->cpu].depth++) {
			n->cpus[e->cpu].since = e->ts;
			n->cpus[e->cpu].pid = e->pid;
		}
	} else if ((irq && (!strcmp(e->type->name, "irq_handler_exit") ||
			    !strcmp(e->type->name, "softirq_exit"))) ||
		   (vector && ends_with(e->type->name, "_exit"))) {
		if (n->cpus[e->cpu].depth == 1)
			leave_all(n, e->cpu, e->ts, from, to);
		else if (n->cpus[e->cpu].depth)
			n->cpus[e->cpu].depth--;
	}
}

/* False: events are lost, and so are the naive figures of interrupts. */
static bool walk_naively(struct trace *trace, struct naive *n, int64_t from, int64_t to)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	bool any[64] = { false }, whole = true;
	struct trace_event event;

	find_gaps(trace, n);
	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		assert_true(event.cpu >= 0 && event.cpu < 64);
		whole &= event.kind != TRACE_ROW_LOST || !any[event.cpu];
		if (event.kind != TRACE_ROW_EVENT || !event.type)
			continue;
		any[event.cpu] = true;
		see_call(n, &event, from, to);
		see_interrupt(n, &event, from, to);
		if (!strcmp(event.type->name, "sched_migrate_task") && event.ts >= from &&
		    event.ts <= to)
			n->cpu_migrations[field_u64(event_type_field(event.type, "dest_cpu"),
						    event.data, event.size, event.swap) &
					  63]++;
	}
	trace_cursor_free(cursor);
	return whole;
}

static void check_calls(struct trace *trace, bool has_range, int64_t from, int64_t to)
{
	struct naive *n = mem_alloc(sizeof(*n));
	bool whole = walk_naively(trace, n, from, to);
	struct task_figures f = { 0 };
	uint64_t calls = 0, irqs = 0;

	add_up(trace, has_range, from, to, &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++) {
		uint32_t pid = f.tasks[i].pid;
		bool raw = n->calls[1][pid].nr >= n->calls[0][pid].nr &&
			   n->calls[1][pid].nr + (uint64_t)n->calls[1][pid].time;

		assert_true(pid < MOST_PIDS);
		assert_int_equal(f.sums[i].calls, n->calls[raw][pid].nr);
		assert_int_equal(f.sums[i].call_time, n->calls[raw][pid].time);
		assert_int_equal(f.sums[i].irqs, n->irqs[pid]);
		if (whole)
			assert_int_equal(f.sums[i].irq_time, n->irq_time[pid]);
		calls += f.sums[i].calls;
		irqs += f.sums[i].irqs;
	}
	/* a row of each, whether sched events tell of it or not */
	for (uint32_t pid = 1; pid < MOST_PIDS; pid++) {
		bool listed = false;

		for (uint32_t i = 0; i < f.nr_tasks; i++)
			listed |= f.tasks[i].pid == pid;
		assert_true(listed || !(n->calls[0][pid].nr + n->calls[1][pid].nr + n->irqs[pid]));
	}
	for (unsigned int i = 0; i < f.nr_cpus; i++) {
		int cpu = f.cpus[i].cpu;
		bool raw = n->cpu_calls[1][cpu] >= n->cpu_calls[0][cpu];

		if (whole)
			assert_int_equal(f.cpus[i].idle_irq, n->idle_irq[cpu]);
		assert_int_equal(f.cpus[i].irqs, n->cpu_irqs[cpu]);
		assert_int_equal(f.cpus[i].calls, n->cpu_calls[raw][cpu]);
		assert_int_equal(f.cpus[i].migrations, n->cpu_migrations[cpu]);
	}
	assert_int_equal(f.has_calls, true);
	if (!has_range)
		assert_true(calls > 20 && irqs > 20);
	task_figures_fini(&f);
	free(n);
}

static void test_calls(void **state)
{
	static const char *const names[] = { "subbuf", "lost-text", "lost", "subbuf-record" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		char path[4096];
		struct trace *trace;
		int64_t first, last;

		if (!recorded_path(names[i], "trace.dat", path, sizeof(path))) {
			print_message("no recorded trace %s\n", names[i]);
			continue;
		}
		trace = open_recorded(names[i], 2);
		first = ts_of(trace, trace_first(trace));
		last = ts_of(trace, trace_last(trace));
		check_calls(trace, false, INT64_MIN, INT64_MAX);
		check_calls(trace, true, first + (last - first) / 4, first + (last - first) / 2);
		trace_close(trace);
	}
}

/* --- with filters ----------------------------------------------------------------------- */

static struct filter *make_filter(struct trace *trace, const char *text, bool negate)
{
	struct filter *filter;

	trace_wait(trace);
	filter = new_filter_of(trace, &(struct filter_source){
					      .text = text, .negate = negate, .file = -1 });
	filter_wait(filter);
	return filter;
}

/* A CPU is at what its next switch leaves; the switch counts that the filter keeps. */
static void check_kept_cpu(struct trace *trace, const struct filter *filter,
			   const struct cpu_sums *sums)
{
	struct trace_cursor *cursor = trace_cursor_new(trace);
	struct filter_run *run = filter_run_new(filter);
	struct cpu_sums expected = { 0 };
	bool any = false, lost = false;
	struct trace_event event;
	int64_t since = 0;

	trace_cursor_seek(cursor, trace_first(trace));
	while (trace_cursor_next(cursor, &event)) {
		if (event.cpu != sums->cpu)
			continue;
		lost |= any && event.kind != TRACE_ROW_EVENT;
		if (event.kind != TRACE_ROW_EVENT)
			continue;
		since = any ? since : event.ts;
		any = true;
		if (!event.type || strcmp(event.type->name, "sched_switch"))
			continue;
		if (filter_run_event(run, &event)) {
			*(is_number(&event, "prev_pid", 0) ? &expected.idle :
							     &expected.busy) += event.ts - since;
			expected.switches++;
			expected.idle_entries += is_number(&event, "next_pid", 0);
		}
		since = event.ts;
	}
	assert_int_equal(sums->switches, expected.switches);
	assert_int_equal(sums->idle_entries, expected.idle_entries);
	if (!lost) {
		assert_int_equal(sums->busy, expected.busy);
		assert_int_equal(sums->idle, expected.idle);
	}
	filter_run_free(run);
	trace_cursor_free(cursor);
}

/* What a filter keeps and what it drops are all that ends. */
static void check_parts(const struct task_figures *all, const struct task_figures *kept,
			const struct task_figures *dropped)
{
	assert_int_equal(kept->nr_tasks, all->nr_tasks);
	assert_int_equal(dropped->nr_tasks, all->nr_tasks);
	for (uint32_t i = 0; i < all->nr_tasks; i++) {
		const struct task_sums *a = &all->sums[i], *k = &kept->sums[i],
				       *d = &dropped->sums[i];

		assert_int_equal(all->tasks[i].run, kept->tasks[i].run + dropped->tasks[i].run);
		assert_int_equal(all->tasks[i].woke, kept->tasks[i].woke + dropped->tasks[i].woke);
		assert_int_equal(a->waits, k->waits + d->waits);
		assert_int_equal(a->waited, k->waited + d->waited);
		for (unsigned int s = 0; s < TASK_STAYS; s++)
			assert_int_equal(a->longest[s].length,
					 k->longest[s].length > d->longest[s].length ?
						 k->longest[s].length :
						 d->longest[s].length);
		for (unsigned int l = 0; l < TASK_NR_LETTERS; l++)
			assert_true(a->asleep[l] >= k->asleep[l] + d->asleep[l]);
	}
	for (unsigned int i = 0; i < all->nr_cpus; i++) {
		assert_int_equal(all->cpus[i].switches,
				 kept->cpus[i].switches + dropped->cpus[i].switches);
		assert_int_equal(all->cpus[i].irq, kept->cpus[i].irq + dropped->cpus[i].irq);
		assert_int_equal(all->cpus[i].softirq,
				 kept->cpus[i].softirq + dropped->cpus[i].softirq);
	}
}

static void test_filtered(void **state)
{
	static const char *const names[] = { "cpu4", "sched" };
	static const char *const texts[] = { "cpu == 1", "sched_switch: prev_prio < 120",
					     "comm =~ /^(on|rcu|sh)/", "pid <= 80",
					     "!sched_switch || next_prio < 120" };

	(void)state;
	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]) * sizeof(texts) / sizeof(texts[0]);
	     i++) {
		const char *text = texts[i % (sizeof(texts) / sizeof(texts[0]))];
		struct trace *trace = open_recorded(names[i / (sizeof(texts) / sizeof(texts[0]))],
						    2);
		const struct filter *filter = make_filter(trace, text, false),
				    *negated = make_filter(trace, text, true);
		struct task_figures all = { 0 }, kept = { 0 }, dropped = { 0 };

		add_up(trace, false, INT64_MIN, INT64_MAX, &all);
		add_up_of(trace,
			  &(struct task_table_options){ .filters = &filter, .nr_filters = 1 },
			  &kept);
		add_up_of(trace,
			  &(struct task_table_options){ .filters = &negated, .nr_filters = 1 },
			  &dropped);
		for (unsigned int cpu = 0; cpu < kept.nr_cpus; cpu++)
			check_kept_cpu(trace, filter, &kept.cpus[cpu]);
		check_parts(&all, &kept, &dropped);
		task_figures_fini(&all);
		task_figures_fini(&kept);
		task_figures_fini(&dropped);
		filter_free((struct filter *)filter);
		filter_free((struct filter *)negated);
		trace_close(trace);
	}
}

/*
 * At any moment no sum is above the one of the whole; and what is stopped leaves the trace to who
 * adds up next.
 */
static void test_stopped(void **state)
{
	struct trace *trace = open_recorded("cpu4", 2);
	struct task_figures whole = { 0 };
	int64_t first, last;

	(void)state;
	trace_wait(trace);
	assert_true(trace_span(trace, &first, &last));
	add_up(trace, false, 0, 0, &whole);
	for (unsigned int i = 0; i < 20; i++) {
		struct task_table *table = task_table_new(trace, &(struct task_table_options){ 0 });
		struct task_figures f = { 0 };

		usleep(i * 200);
		task_table_take(table, &f);
		assert_in_range(f.permille, f.done ? 1000 : 0, 1000);
		assert_in_range(f.switches, f.done ? whole.switches : 0, whole.switches);
		assert_in_range(f.nr_tasks, f.done ? whole.nr_tasks : 0, whole.nr_tasks);
		task_figures_fini(&f);
		task_table_free(table);
	}
	task_table_free(NULL);
	task_figures_fini(&whole);
	check(trace, false, first, last, false);
	trace_close(trace);
}

static struct trace *open_text(const char *text)
{
	char path[] = "/tmp/test_task_table.XXXXXX";
	struct trace *trace;
	int fd = mkstemp(path);

	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	close(fd);
	trace = open_path(path, 2);
	unlink(path);
	trace_wait(trace);
	return trace;
}

/* What held up the longest wait is a limit that nothing ends before the task runs. */
static void test_limit_to_the_run(void **state)
{
	static const char text[] =
		"  <idle>-0 [000] d..2. 7.000000: sched_switch: prev_comm=swapper/0 prev_pid=0 "
		"prev_prio=120 prev_state=R ==> next_comm=dl next_pid=7 next_prio=-1\n"
		"  dl-7 [000] d..2. 7.020000: sched_switch: prev_comm=dl prev_pid=7 "
		"prev_prio=-1 prev_state=R ==> next_comm=hog next_pid=8 next_prio=120\n"
		"  hog-8 [000] d..2. 7.080000: sched_switch: prev_comm=hog prev_pid=8 "
		"prev_prio=120 prev_state=S ==> next_comm=dl next_pid=7 next_prio=-1\n"
		"  dl-7 [000] d..2. 7.090000: sched_switch: prev_comm=dl prev_pid=7 "
		"prev_prio=-1 prev_state=S ==> next_comm=swapper/0 next_pid=0 next_prio=120\n";
	struct trace *trace = open_text(text);
	struct task_figures f = { 0 };
	const struct task_longest *wait = NULL;

	(void)state;
	add_up(trace, false, 0, 0, &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++)
		if (f.tasks[i].pid == 7)
			wait = &f.sums[i].longest[TASK_WAITED];
	assert_non_null(wait);
	assert_int_equal(wait->length, 60000000);
	assert_int_equal(wait->limit, 1 + SCHED_LIMIT_SERVER);
	assert_int_equal(wait->taken, 60000000);
	assert_true(wait->guessed);
	task_figures_fini(&f);
	trace_close(trace);
}

/* A system call that has ended before a split is of the part before it. */
static void test_calls_before_a_split(void **state)
{
	static const char text[] =
		"  <idle>-0 [000] d..2. 7.000001: sched_switch: prev_comm=swapper/0 prev_pid=0 "
		"prev_prio=120 prev_state=R ==> next_comm=t next_pid=7 next_prio=120\n"
		"  t-7 [000] ..... 7.000010: sys_enter: NR 1 (7, 55d0, 0, 1, 2, 3)\n"
		"  t-7 [000] ..... 7.000012: sys_exit: NR 1 = 0\n"
		"  t-7 [000] ..... 7.000030: sys_enter: NR 1 (7, 55d0, 0, 1, 2, 3)\n"
		"  t-7 [000] ..... 7.000035: sys_exit: NR 1 = 0\n";
	const struct sched_split split = { 7000020000, 7 };
	struct task_table_options options = { .nr_splits = 1 };
	struct task_figures f = { 0 };
	unsigned int parts = 0;
	struct trace *trace = open_text(text);

	(void)state;
	options.splits = mem_copy(&split, 1, sizeof(split));
	add_up_of(trace, &options, &f);
	for (uint32_t i = 0; i < f.nr_tasks; i++) {
		bool is_first = f.tasks[i].to == split.ts;

		if (f.tasks[i].pid != 7)
			continue;
		assert_int_equal(f.sums[i].calls, 1);
		assert_int_equal(f.sums[i].call_time, is_first ? 2000 : 5000);
		parts++;
	}
	assert_int_equal(parts, 2);
	task_figures_fini(&f);
	trace_close(trace);
}

/* A damaged trace tells any time: its sums stop at the end. */
static void test_sums_stop(void **state)
{
	struct task_sums sum = { .waited = INT64_MAX - 1, .waits = 1 },
			 more = { .waited = INT64_MAX / 2, .waits = 2, .call_time = -5 };

	(void)state;
	task_sums_add(&sum, &more);
	assert_true(sum.waited == INT64_MAX);
	assert_int_equal(sum.waits, 3);
	assert_true(sum.call_time == -5);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sums_stop),
		cmocka_unit_test(test_recorded),
		cmocka_unit_test(test_rest),
		cmocka_unit_test(test_filtered),
		cmocka_unit_test(test_calls),
		cmocka_unit_test(test_calls_before_a_split),
		cmocka_unit_test(test_limit_to_the_run),
		cmocka_unit_test(test_worst_wake),
		cmocka_unit_test(test_stays),
		cmocka_unit_test(test_stopped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
