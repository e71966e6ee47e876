/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/why/why_rule.h"

#include <limits.h>
#include <sched.h>
#include <string.h>

#include "parsers/types/field.h"
#include "src/base/time_math.h"
#include "src/events/verdicts.h"
#include "src/sched/sched_cause.h"

#define NICE_0		120
#define MOST_STATES	10000u		/* states of a task that are looked at */
#define NO_CPU		UINT32_MAX

/* --- priorities ------------------------------------------------------------------------------ */

#define NO_PRIO		INT_MAX

static int pid_of(const struct sched *sched, uint32_t task)
{
	return (int)sched_rules_task(sched_pass_rules(sched_pass_of(sched)), task)->pid;
}

/*
 * The priority that a task had from @from to @to, in a state in which it began with one and ended
 * with another (NO_PRIO: not known), and may have inherited others.  False: it had several, or when
 * it changed is not known.
 */
static bool find_between(const struct sched *sched, uint32_t task,
			 const struct pyramid_state *state, int begun, int ended, int64_t from,
			 int64_t to, int *prio)
{
	static const struct pyramid_find prios = { .kinds = 1u << SCHED_MARK_PRIO };
	int64_t at = time_after(state->from, -1);
	struct pyramid_state mark;
	int last = begun;

	*prio = begun;
	while (pyramid_find_next(sched_marks(sched, task), sched_end(sched), at, &prios, &mark) &&
	       mark.from <= state->to) {
		if (mark.from > from && mark.from < to && (int)mark.arg != *prio)
			return false;
		last = (int)mark.arg;
		*prio = mark.from <= from ? last : *prio;
		at = mark.from;
	}
	if (*prio == NO_PRIO && last == NO_PRIO)
		*prio = last = ended;
	return *prio != NO_PRIO && (ended == NO_PRIO || last == ended);
}

/* That of a task that runs, by the switches to it and from it. */
static bool find_prio(struct sched *sched, uint32_t task, int64_t from, int64_t to, int *prio)
{
	int pid = pid_of(sched, task), begun = NO_PRIO, ended = NO_PRIO;
	struct sched_switch_record record;
	struct pyramid_state run;

	if (!pyramid_at(sched_task(sched, task), sched_end(sched), from, &run) ||
	    run.kind != SCHED_RUNS)
		return false;
	if (sched_cause_switch(sched, run.from, (int)run.arg, -1, pid, false, &record))
		begun = record.next_prio;
	if (sched_cause_switch(sched, run.to, (int)run.arg, pid, -1, false, &record))
		ended = record.prev_prio;
	return find_between(sched, task, &run, begun, ended, from, to, prio);
}

static bool find_woken_prio(struct sched *sched, uint32_t task, int64_t ts, int *prio)
{
	const struct event_field *field;
	struct sched_wake_record record;
	struct trace_event event;

	if (!sched_cause_wake(sched, task, ts, &record) ||
	    !trace_event_at(sched_trace(sched), record.ref, &event))
		return false;
	field = event_type_field(event.type, "prio");
	if (field)
		*prio = (int)field_u64(field, event.data, event.size, event.swap);
	return field;
}

/* That of a task that waits, by the record that began that, and by the switch that ended it. */
static bool find_waiting_prio(struct sched *sched, uint32_t task, const struct pyramid_state *wait,
			      int64_t from, int64_t to, int *prio)
{
	int pid = pid_of(sched, task), begun = NO_PRIO, ended = NO_PRIO;
	struct sched_switch_record record;
	struct pyramid_state run;

	if (wait->kind == SCHED_PREEMPTED &&
	    sched_cause_switch(sched, wait->from, -1, pid, -1, true, &record))
		begun = record.prev_prio;
	else if (wait->kind == SCHED_WAITS)
		find_woken_prio(sched, task, wait->from, &begun);
	if (sched_cause_after(sched, task, wait, &run) && run.kind == SCHED_RUNS &&
	    sched_cause_switch(sched, run.from, (int)run.arg, -1, pid, false, &record))
		ended = record.next_prio;
	return find_between(sched, task, wait, begun, ended, from, to, prio);
}

static void add_prio(int prio, struct text *out)
{
	if (prio < 0)
		text_add(out, "deadline");
	else if (prio < SCHED_FIRST_FAIR)
		text_printf(out, "real-time %d", SCHED_FIRST_FAIR - 1 - prio);
	else
		text_printf(out, "nice %d", prio - NICE_0);
}

bool why_rule_priority(struct sched *sched, uint32_t task, int64_t ts, struct text *out)
{
	int prio;

	if (!find_prio(sched, task, ts, ts, &prio))
		return false;
	add_prio(prio, out);
	return true;
}

/* Are both known to have a weight by their nice alone, in one group? */
static bool share(struct sched *sched, uint32_t a, uint32_t b, int64_t ts)
{
	const uint32_t tasks[2] = { a, b };
	struct who who[2];

	for (unsigned int i = 0; i < 2; i++) {
		int pid = pid_of(sched, tasks[i]);
		struct who_sched how;
		int64_t from, to;

		if (!trace_sched(sched_trace(sched), sched_file(sched), pid, ts, &how) ||
		    how.is_doubtful || (how.policy != SCHED_OTHER && how.policy != SCHED_BATCH) ||
		    !trace_who(sched_trace(sched), sched_file(sched), pid, ts, &who[i], &from,
			       &to) ||
		    !who[i].cgroup)
			return false;
	}
	return !strcmp(who[0].cgroup, who[1].cgroup);
}

static void add_fair(int one, int other, bool shared, struct text *out)
{
	bool same = one == other;
	struct text prios[2] = { { 0 }, { 0 } };

	add_prio(one, &prios[0]);
	add_prio(other, &prios[1]);
	verdict_add(out, same ? VERDICT_BOTH_NICE : VERDICT_TWO_NICE, text_str(&prios[0]),
		    text_str(&prios[1]));
	if (shared)
		verdict_add(out, same ? VERDICT_BOTH_SHARE : VERDICT_SHARE);
	text_fini(&prios[0]);
	text_fini(&prios[1]);
}

/* How a task came to wait behind another one of its priority. */
enum came { CAME_LEFT, CAME_LATER, CAME_NOT_KNOWN };

/* It left its CPU to that one; it came when others ran; or neither is known. */
static enum came how_it_came(const struct sched *sched, uint32_t task,
			     const struct pyramid_state *wait, uint32_t behind, int64_t ts)
{
	int64_t end = sched_end(sched);
	const struct pyramid *queues = sched_queues(sched, task);
	struct pyramid_state before, run;
	struct pyramid_iter moves;

	if (wait->kind == SCHED_WAITS)
		return CAME_LATER;
	pyramid_iter_init(&moves, queues, end, wait->from);
	while (queues->nr_chunks && pyramid_iter_next(&moves, &run) && run.from <= ts)
		if (run.from >= wait->from)
			return CAME_LATER;
	return sched_cause_before(sched, task, wait->from, &before) && before.kind == SCHED_RUNS &&
			       pyramid_at(sched_task(sched, behind), end, ts, &run) &&
			       run.from == wait->from && run.arg == before.arg ?
		       CAME_LEFT :
		       CAME_NOT_KNOWN;
}

/* Of one priority, none goes before the other; the class says which does. */
static void add_equal(int prio, enum came came, struct text *out)
{
	struct text name = { 0 };

	add_prio(prio, &name);
	if (prio < 0)
		verdict_add(out, VERDICT_EARLIER_DEADLINE, text_str(&name));
	else if (came != CAME_NOT_KNOWN)
		verdict_add(out, came == CAME_LEFT ? VERDICT_ROUND_ROBIN : VERDICT_EQUAL,
			    text_str(&name));
	text_fini(&name);
}

static void add_other(const struct sched *sched, int first, int second, bool is_first_waiting,
		      struct text *out)
{
	bool inherits = !trace_has_event(sched_trace(sched), sched_file(sched), "sched_pi_setprio");
	struct text prios[2] = { { 0 }, { 0 } };

	add_prio(first, &prios[0]);
	add_prio(second, &prios[1]);
	verdict_add(out,
		    !is_first_waiting ? VERDICT_GOES_BEFORE :
		    inherits          ? VERDICT_UNLESS :
					VERDICT_ALTHOUGH,
		    text_str(&prios[0]), text_str(&prios[1]));
	text_fini(&prios[0]);
	text_fini(&prios[1]);
}

/* Is it migration/N, of the stop class? */
static bool is_stopper(const struct sched *sched, uint32_t task, int64_t ts, int prio)
{
	return !prio && !strncmp(sched_comm(sched, task, ts), "migration/", 10);
}

static void add_rule(struct sched *sched, uint32_t task, const struct pyramid_state *wait,
		     uint32_t behind, int64_t ts, int waits, int runs, struct text *out)
{
	int first = waits < runs ? waits : runs, second = waits < runs ? runs : waits;

	if (is_stopper(sched, task, ts, waits))
		return;	/* it waits although it goes before all others */
	if (is_stopper(sched, behind, ts, runs))
		verdict_add(out, VERDICT_STOP_CLASS);
	else if (first >= SCHED_FIRST_FAIR)
		add_fair(first, second, share(sched, task, behind, ts), out);
	else if (first == second)
		add_equal(first, how_it_came(sched, task, wait, behind, ts), out);
	else
		add_other(sched, first, second, first == waits, out);
}

/* --- other CPUs ------------------------------------------------------------------------------- */

static int64_t idle_of(const struct sched *sched, unsigned int cpu, int64_t from, int64_t to)
{
	int64_t edges[2] = { from, to };
	struct pyramid_sum sum;

	pyramid_columns(sched_cpu(sched, cpu), sched_end(sched), edges, 1, &sum);
	return (int64_t)sum.ns[SCHED_CPU_IDLE];
}

/*
 * The CPU that idled for the longest part of a time; 0: none.  @who: only those on which it may
 * run; NULL: all.
 */
static int64_t find_idle(const struct sched *sched, const struct who_sched *who, int64_t from,
			 int64_t to, unsigned int *cpu)
{
	int64_t most = 0;

	for (unsigned int i = 0; i < sched_nr_cpus(sched); i++) {
		int64_t idle = idle_of(sched, i, from, to);

		if (idle <= most ||
		    (who && !trace_allows(who, sched_pass_cpu(sched_pass_of(sched), i))))
			continue;
		most = idle;
		*cpu = i;
	}
	return most;
}

/* " for 38.00 ms of these 44.00 ms", " meanwhile" */
static void add_share(const struct sched *sched, int64_t part, int64_t all, struct text *out)
{
	if (part >= all) {
		text_add(out, " meanwhile");
	} else if (trace_unit(sched_trace(sched)) == TRACE_UNIT_COUNT) {
		text_printf(out, " for %.0f %% of it", 100.0 * (double)part / (double)all);
	} else {
		text_add(out, " for ");
		text_duration(out, (uint64_t)part);
		text_add(out, " of these ");
		text_duration(out, (uint64_t)all);
	}
}

struct cpu_range {
	int		first, last;	/* -1: none yet */
};

static void add_range(const struct cpu_range *r, struct text *out)
{
	if (r->first >= 0)
		text_printf(out, "%s%d", out->len ? "," : "", r->first);
	if (r->first < r->last)
		text_printf(out, "-%d", r->last);
}

/*
 * Append "; ~may run on CPU 3 only; CPUs 0-2 were idle for 38.00 ms of these 44.00 ms": those on
 * which it may not run that idled for at least half of the time; the shortest of their times.
 */
static void add_forbidden(const struct sched *sched, const struct who_sched *who, int64_t from,
			  int64_t to, struct text *out)
{
	int64_t all = time_between(from, to), least = all;
	struct who_sched looked = *who;	/* before or after, not meanwhile */
	struct cpu_range range = { -1, -1 };
	struct text cpus = { 0 };
	unsigned int nr = 0;

	for (unsigned int i = 0; i < sched_nr_cpus(sched); i++) {
		int cpu = sched_pass_cpu(sched_pass_of(sched), i);
		int64_t idle = idle_of(sched, i, from, to);

		if (idle < all / 2 || !idle || trace_allows(who, cpu))
			continue;
		if (cpu != range.last + 1) {
			add_range(&range, &cpus);
			range.first = cpu;
		}
		range.first = range.first < 0 ? cpu : range.first;
		range.last = cpu;
		least = idle < least ? idle : least;
		nr++;
	}
	add_range(&range, &cpus);
	if (nr) {
		text_add(out, out->len ? "; " : "");
		looked.is_doubtful = true;
		trace_bound_text(&looked, out);
		text_printf(out, nr > 1 ? "; CPUs %s were idle" : "; CPU %s was idle",
			    text_str(&cpus));
		add_share(sched, least, all, out);
	}
	text_fini(&cpus);
}

/* The only CPU on which a task is seen; NO_CPU: there are others, or it is seen too often. */
static uint32_t only_cpu(const struct sched *sched, uint32_t task)
{
	struct pyramid_state state;
	struct pyramid_iter it;
	uint32_t cpu = NO_CPU;

	pyramid_iter_init(&it, sched_task(sched, task), sched_end(sched), INT64_MIN);
	for (unsigned int i = 0; pyramid_iter_next(&it, &state); i++) {
		if (i == MOST_STATES)
			return NO_CPU;
		if (state.kind != SCHED_RUNS)
			continue;
		if (cpu != NO_CPU && cpu != state.arg)
			return NO_CPU;
		cpu = state.arg;
	}
	return cpu;
}

/* Where another CPU idled for at least half of the time. */
static void add_idle(struct sched *sched, uint32_t task, int64_t from, int64_t to, struct text *out)
{
	const struct sched_pass *pass = sched_pass_of(sched);
	int pid = pid_of(sched, task);
	struct who_sched who;
	bool is_known = trace_sched(sched_trace(sched), sched_file(sched), pid, from, &who) &&
			who.allowed;
	unsigned int cpu = 0;
	int64_t idle = find_idle(sched, is_known ? &who : NULL, from, to, &cpu),
		all = time_between(from, to);
	uint32_t only;

	if (idle < all / 2 || !idle) {
		if (is_known)
			add_forbidden(sched, &who, from, to, out);
		return;
	}
	text_add(out, out->len ? "; " : "");
	verdict_add(out, idle >= all ? VERDICT_IDLE_MEANWHILE : VERDICT_IDLE_FOR,
		    sched_pass_cpu(pass, cpu), (int)(100.0 * (double)idle / (double)all + 0.5));
	only = is_known ? NO_CPU : only_cpu(sched, task);
	if (only != NO_CPU)
		verdict_add(out, VERDICT_SEEN_ONLY, sched_pass_cpu(pass, only));
}

void why_rule_text(struct sched *sched, uint32_t task, uint32_t behind, int64_t from, int64_t to,
		   uint64_t count, struct text *out)
{
	struct text rule = { 0 };
	struct pyramid_state wait;
	int waits, runs;

	if (task >= sched_nr_tasks(sched) || behind >= sched_nr_tasks(sched))
		return;
	if (pyramid_at(sched_task(sched, task), sched_end(sched), from, &wait) &&
	    find_waiting_prio(sched, task, &wait, from, to, &waits) &&
	    find_prio(sched, behind, from, to, &runs))
		add_rule(sched, task, &wait, behind, from, waits, runs, &rule);
	add_idle(sched, task, from, to, &rule);
	if (rule.len)
		verdict_add(out, count > 1 ? VERDICT_LONGEST : VERDICT_RULE, text_str(&rule));
	text_fini(&rule);
}
