/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/timeline/sched_story.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/events/verdicts.h"
#include "src/sched/sched_cause.h"
#include "src/sched/limits/sched_limits.h"
#include "src/sched/wait_parts.h"

struct told_story {
	struct sched	*sched;
	struct text	*out;
};

/* --- words ---------------------------------------------------------------------------- */

/* A time, or how long something took, with the words around it. */
static void say_time(struct told_story *s, const char *before, int64_t ts, const char *after)
{
	struct timeline t = { .sched = s->sched };

	text_add(s->out, before);
	timeline_time(&t, ts, 9, s->out);
	text_add(s->out, after);
}

static void say_span(struct told_story *s, const char *before, int64_t from, int64_t to,
		     const char *after)
{
	struct timeline t = { .sched = s->sched };

	text_add(s->out, before);
	timeline_span(&t, to - from, s->out);
	text_add(s->out, after);
}

/* How long a state lasted; "~" if that is doubtful. */
static void say_length(struct told_story *s, const char *before, const struct pyramid_state *state)
{
	text_add(s->out, before);
	say_span(s, state->doubtful ? "~" : "", state->from, state->to, "");
}

static const char *lost_words(const struct told_story *s)
{
	return trace_lost_words(sched_trace(s->sched), (int)sched_file(s->sched));
}

static bool has_gap(const struct told_story *s, const struct pyramid_state *state)
{
	return sched_rules_gap(sched_pass_rules(sched_pass_of(s->sched)), state->from, state->to);
}

/* Rule 6 of src/sched/sched_rules.c. */
static void say_doubt(struct told_story *s, const struct pyramid_state *state, const char *what)
{
	if (!state->doubtful)
		return;
	if (has_gap(s, state))
		text_printf(s->out, " Doubtful: events were %s meanwhile, so it may have %s.",
			    lost_words(s), what);
	else if (state->kind == SCHED_WAITS)
		text_printf(
			s->out,
			" Doubtful: events were %s just before, so it may have been woken earlier.",
			lost_words(s));
	else
		text_add(s->out, " Doubtful: it may have waited for a CPU for part of this time.");
}

void sched_story_task(struct sched *sched, uint32_t task, int64_t ts, struct text *out)
{
	struct text raw = { 0 };

	if (task == SCHED_IDLE_TASK) {
		text_add(out, "<idle>");
		return;
	}
	if (task == SCHED_NO_TASK) {
		text_add(out, "an unknown task");
		return;
	}
	sched_task_text(sched, task, ts, SCHED_THEN_NOW, &raw);
	text_printable(out, text_str(&raw), raw.len);
	text_fini(&raw);
}

static int cpu_number(const struct told_story *s, uint32_t index)
{
	return sched_pass_cpu(sched_pass_of(s->sched), index);
}

static uint32_t task_of(const struct told_story *s, int pid, int64_t ts)
{
	return pid ? sched_rules_find(sched_pass_rules(sched_pass_of(s->sched)), (uint32_t)pid,
				      ts) :
		     SCHED_IDLE_TASK;
}

/* "asleep (S)", with the letters of the kernel that recorded it. */
static void say_sleep(struct told_story *s, const struct pyramid_state *state)
{
	struct text letters = { 0 };
	const char *word = state->doubtful && !has_gap(s, state) ? "sleep or wait" :
			   state->kind == SCHED_BLOCKED          ? "blocked" :
								   "asleep";

	sched_states_text(&sched_pass_types(sched_pass_of(s->sched))->states, state->arg, &letters);
	if (letters.len == 1 && (*letters.data == 'T' || *letters.data == 't'))
		word = *letters.data == 'T' ? "stopped" : "stopped by a tracer";
	text_printf(s->out, "%s (%s)", word, text_str(&letters));
	text_fini(&letters);
}

/* "irq eth0", "softirq TIMER": what interrupts a CPU, by the arg of its context. */
static void say_source(struct told_story *s, uint32_t arg)
{
	sched_source_text(sched_trace(s->sched), sched_pass_of(s->sched), sched_file(s->sched),
			  sched_source_of(s->sched, arg), s->out);
}

/* --- a task ----------------------------------------------------------------------------------- */

/* Finds the CPU that a task left to enter a state, from the run before it. */
static bool cpu_left(const struct told_story *s, uint32_t task, const struct pyramid_state *state,
		     unsigned int *cpu)
{
	struct pyramid_state run;

	if (!sched_cause_before(s->sched, task, state->from, &run) || run.kind != SCHED_RUNS ||
	    run.to != state->from)
		return false;
	*cpu = run.arg;
	return true;
}

/* The function in which a task sleeps; false: it is not known. */
static bool find_function(const struct told_story *s, uint32_t task,
			  const struct pyramid_state *sleep, struct text *function)
{
	unsigned int cpu;

	return cpu_left(s, task, sleep, &cpu) &&
	       sched_cause_sleep(s->sched, task, cpu, sleep->from, function);
}

/* " in do_nanosleep" */
static void say_function(struct told_story *s, uint32_t task, const struct pyramid_state *sleep)
{
	struct text function = { 0 };

	if (find_function(s, task, sleep, &function)) {
		text_add(s->out, " in ");
		text_printable(s->out, text_str(&function), function.len);
	}
	text_fini(&function);
}

/* How did the system call return in which it was woken? */
static enum sched_returned returned(const struct told_story *s, uint32_t task,
				    const struct pyramid_state *wait)
{
	struct pyramid_state run;

	return sched_cause_after(s->sched, task, wait, &run) && run.kind == SCHED_RUNS ?
		       sched_cause_returned(s->sched, task, run.arg, run.from) :
		       SCHED_RETURNED_UNKNOWN;
}

/*
 * Did it sleep where only a timer wakes?  Used if no record names the interrupt.  A signal wakes,
 * too, unless the sleep is uninterruptible, or the call returned no error.
 */
static bool slept_for_timer(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	struct text function = { 0 };
	struct pyramid_state sleep;
	bool timer;

	timer = sched_cause_before(s->sched, task, wait->from, &sleep) && sleep.to == wait->from &&
		find_function(s, task, &sleep, &function) &&
		(strstr(text_str(&function), "nanosleep") ||
		 strstr(text_str(&function), "msleep") ||
		 strstr(text_str(&function), "usleep_range"));
	text_fini(&function);
	return timer &&
	       (sleep.kind == SCHED_BLOCKED || returned(s, task, wait) == SCHED_RETURNED_WELL);
}

/* An interrupt of which there is no record. */
static void say_unrecorded(struct told_story *s, uint32_t task, const struct pyramid_state *wait,
			   enum sched_context context)
{
	if (context == SCHED_CONTEXT_NMI)
		verdict_add(s->out, VERDICT_AN_NMI);
	else if (slept_for_timer(s, task, wait))
		verdict_add(s->out, VERDICT_THE_TIMER);
	else
		verdict_add(s->out, context == SCHED_CONTEXT_SOFTIRQ ? VERDICT_A_SOFTIRQ :
								       VERDICT_AN_INTERRUPT);
}

/* "softirq TIMER on CPU 1 (interrupting <idle>)", "wl-ping-74 on CPU 0". @wait: what it began. */
static void say_waker(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	const struct sched_source *source = sched_wake_source(s->sched, wait->arg);
	uint32_t waker = sched_waker(s->sched, wait->arg);
	struct sched_wake_record record;
	bool found = sched_cause_wake(s->sched, task, wait->from, &record);

	if (!source && waker == SCHED_NO_TASK) {
		verdict_add(s->out, VERDICT_NO_WAKER);
		return;
	}
	if (source && source->type < 0)
		say_unrecorded(s, task, wait, source->context);
	else if (source)
		sched_source_text(sched_trace(s->sched), sched_pass_of(s->sched),
				  sched_file(s->sched), source, s->out);
	else
		sched_story_task(s->sched, waker, wait->from, s->out);
	if (found)
		text_printf(s->out, " on CPU %d", record.cpu);
	if (source) {
		text_add(s->out,
			 source->context == SCHED_CONTEXT_SOFTIRQ &&
					 sched_serves_softirqs(s->sched, waker, wait->from) ?
				 " (in " :
				 " (interrupting ");
		sched_story_task(s->sched, waker, wait->from, s->out);
		text_char(s->out, ')');
	} else if (sched_pass_types(sched_pass_of(s->sched))->lacks_flags) {
		text_add(s->out, " (context not known)");
	}
}

/* " by make-81": what ran next on the CPU that a preempted task left */
static void say_who_came(struct told_story *s, unsigned int cpu, int64_t ts)
{
	struct pyramid_state run;

	if (!pyramid_at(sched_cpu(s->sched, cpu), sched_end(s->sched), ts, &run))
		return;
	if (run.kind == SCHED_CPU_RUNS) {
		text_add(s->out, " by ");
		sched_story_task(s->sched, run.arg, ts, s->out);
	}
}

/* "; exits after 3.2 ms, at 7.626190119", "; still running at the end of the trace, after 3.2 ms" */
/* What keeps it from running from then on; false: nothing does. */
static bool find_limit(const struct sched *sched, uint32_t task, int64_t ts, uint32_t *limit)
{
	struct pyramid_state state;

	if (!pyramid_at(sched_limits(sched, task), sched_end(sched), ts, &state) || !state.kind)
		return false;
	*limit = state.arg;
	return true;
}

static void say_limit_name(struct told_story *s, uint32_t limit)
{
	sched_limits_text(sched_pass_limits(sched_pass_of(s->sched)), limit, s->out);
}

/* "was preempted", "was throttled by /web (10 ms of 100 ms)", "gave the CPU away (sched_yield)" */
static void say_why_left(struct told_story *s, uint32_t task, int64_t ts)
{
	uint32_t limit;
	bool is_limited = find_limit(s->sched, task, ts, &limit);

	if (!is_limited || limit != SCHED_LIMIT_YIELD)
		text_add(s->out, "was ");
	if (is_limited)
		say_limit_name(s, limit);
	else
		text_add(s->out, "preempted");
}

static void say_end_of_run(struct told_story *s, uint32_t task, const struct pyramid_state *run)
{
	struct pyramid_state next;
	uint32_t limit;

	if (!sched_cause_after(s->sched, task, run, &next)) {
		say_span(s, "; still running at the end of the trace, after ", run->from, run->to,
			 "");
		return;
	}
	if (next.kind == SCHED_TASK_LOST)
		next.kind = SCHED_UNKNOWN;
	if (next.from > run->to)	/* a CPU: the switch that ended the run is missing */
		next = (struct pyramid_state){ .from = run->to, .kind = SCHED_UNKNOWN };
	switch ((enum sched_state)next.kind) {
	case SCHED_GONE:
		text_add(s->out, "; exits");
		break;
	case SCHED_PREEMPTED:
		text_add(s->out, "; ");
		if (find_limit(s->sched, task, next.from, &limit)) {
			say_limit_name(s, limit);
			break;
		}
		text_add(s->out, "preempted");
		say_who_came(s, run->arg, next.from);
		break;
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
		text_add(s->out, "; ");
		say_sleep(s, &next);
		break;
	case SCHED_UNKNOWN:
		text_add(s->out, "; not recorded");
		break;
	case SCHED_RUNS:
	case SCHED_WAITS:
		text_add(s->out, "; off this CPU");
		break;
	}
	say_span(s, " after ", run->from, next.from, "");
	say_time(s, ", at ", next.from, "");
}

/* ". It runs 93.43 µs later, at …, on CPU 1; exits …" after a wait. */
static void say_run_after(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	struct pyramid_state run;
	bool is_late;

	if (sched_pass_is_seen(sched_pass_of(s->sched))) {
		text_add(s->out, " When it ran is unknown.");
		return;
	}
	if (!sched_cause_after(s->sched, task, wait, &run)) {
		say_length(s, " It is still waiting at the end, ", wait);
		text_add(s->out, " later.");
		say_doubt(s, wait, "run before");
		return;
	}
	if (run.kind == SCHED_WAITS && wait->kind == SCHED_PREEMPTED) {
		say_length(s, " Doubtful: it is woken ", wait);
		say_time(s, " later, at ", run.from, "");
		text_add(s->out, ", so it did not wait for a CPU (an rtlock of PREEMPT_RT?).");
		return;
	}
	if (run.kind != SCHED_RUNS) {
		text_add(s->out, " When it ran is unknown.");
		return;
	}
	is_late = wait->kind == SCHED_WAITS && sched_wake_late(s->sched, wait->arg);
	say_length(s, is_late ? " It runs more than " : " It runs ", wait);
	say_time(s, " later, at ", run.from, "");
	text_printf(s->out, ", on CPU %d", cpu_number(s, run.arg));
	say_end_of_run(s, task, &run);
	text_char(s->out, '.');
	say_doubt(s, wait, "run before");
}

/* ", which forked it at 7.478701": a task's first wait. */
static void say_fork(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	static const struct pyramid_find forks = { .kinds = 1u << SCHED_MARK_FORKED };
	uint32_t parent = sched_waker(s->sched, wait->arg);
	struct pyramid_state fork;

	if (parent >= SCHED_IDLE_TASK ||
	    !pyramid_find_before(sched_marks(s->sched, parent), sched_end(s->sched), wait->from,
				 &forks, &fork) ||
	    fork.arg != task)
		return;
	say_time(s, ", which forked it at ", fork.from, "");
}

static void say_exec(struct told_story *s, uint32_t task, const struct pyramid_state *run)
{
	static const struct pyramid_find execs = { .kinds = 1u << SCHED_MARK_EXEC };
	struct pyramid_state exec;

	if (!pyramid_find_next(sched_marks(s->sched, task), sched_end(s->sched), run->from, &execs,
			       &exec) ||
	    exec.from >= run->to)
		return;
	text_add(s->out, " It becomes ");
	sched_story_task(s->sched, task, exec.from, s->out);
	say_time(s, " by exec at ", exec.from, ".");
}

/* For how long something kept a waiting task from a CPU that nobody had; of the longest time: */
struct hindrance {
	int64_t		time, longest;
	uint32_t	arg;		/* the limit, or the index of the CPU */
	bool		doubtful;	/* some of it is a guess */
};

static void add_hindrance(struct hindrance *h, const struct wait_part *part, int64_t time,
			  uint32_t arg)
{
	h->doubtful |= part->doubtful;
	h->time = time_after(h->time, time);
	if (time <= h->longest)
		return;
	h->longest = time;
	h->arg = arg;
}

static void find_hindrances(const struct sched *sched, uint32_t task,
			    const struct pyramid_state *wait, struct hindrance *limit,
			    struct hindrance *idle)
{
	struct pyramid_state run;
	struct pyramid_sum sum;
	struct wait_parts parts;
	struct wait_part part;
	bool runs = sched_cause_after(sched, task, wait, &run) && run.kind == SCHED_RUNS;

	*limit = *idle = (struct hindrance){ 0 };
	wait_parts_begin(&parts, sched, task, runs ? run.arg : sched_nr_cpus(sched), wait->from,
			 wait->to, wait->to);
	while (wait_parts_next(&parts, &part)) {
		int64_t edges[2] = { part.from, part.to };

		if (part.reason == WAIT_THROTTLED && part.limit != SCHED_LIMIT_YIELD)
			add_hindrance(limit, &part, time_between(part.from, part.to), part.limit);
		if (part.reason != WAIT_QUEUED || !runs || wait_parts_is_idle_exit(&parts, &part))
			continue;
		pyramid_columns(sched_cpu(sched, part.cpu), sched_end(sched), edges, 1, &sum);
		add_hindrance(idle, &part, (int64_t)sum.ns[SCHED_CPU_IDLE], part.cpu);
	}
}

/*
 * " It was throttled by /web (10 ms of 100 ms) for ~91.15 ms of it.", " CPU 0 was idle for 91 ms of
 * it; a limit … may explain that (record …)."
 */
static void say_hindrances(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	struct hindrance limit, idle;

	find_hindrances(s->sched, task, wait, &limit, &idle);
	if (limit.time) {
		text_add(s->out, " It was ");
		say_limit_name(s, limit.arg);
		say_span(s, limit.doubtful ? " for ~" : " for ", 0, limit.time, " of it.");
	}
	if (idle.time) {
		text_printf(s->out, " CPU %d was idle for %s", cpu_number(s, idle.arg),
			    idle.doubtful ? "~" : "");
		say_span(s, "", 0, idle.longest, " of it; ");
		wait_unexplained_text(sched_trace(s->sched), sched_file(s->sched), s->out);
		text_char(s->out, '.');
	}
}

static void say_wait(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	struct pyramid_state before;
	bool slept = sched_cause_before(s->sched, task, wait->from, &before) &&
		     before.to == wait->from &&
		     (before.kind == SCHED_SLEEPS || before.kind == SCHED_BLOCKED);

	say_time(s, "Waiting since ", wait->from, ": woken by ");
	say_waker(s, task, wait);
	if (slept) {
		say_length(s, ", after ", &before);
		text_char(s->out, ' ');
		say_sleep(s, &before);
		say_function(s, task, &before);
		text_add(s->out, sched_frozen(s->sched, task, &before) ? ", frozen" : "");
	} else {
		say_fork(s, task, wait);
	}
	text_char(s->out, '.');
	say_run_after(s, task, wait);
	say_hindrances(s, task, wait);
}

static void say_preempted(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	unsigned int cpu;
	uint32_t limit;
	bool is_limited = find_limit(s->sched, task, state->from, &limit),
	     gave_away = is_limited && limit == SCHED_LIMIT_YIELD;

	say_time(s, "Waiting since ", state->from, gave_away ? ": it " : ": ");
	if (gave_away)
		say_limit_name(s, limit);
	else
		text_add(s->out, is_limited ? "not allowed to run" : "preempted");
	if (cpu_left(s, task, state, &cpu)) {
		text_printf(s->out, " on CPU %d", cpu_number(s, cpu));
		if (!is_limited)
			say_who_came(s, cpu, state->from);
	}
	text_char(s->out, '.');
	say_run_after(s, task, state);
	say_hindrances(s, task, state);
}

/* " It waits for mutex prog+0x4060 of prog-81, held by make-81." */
static void say_lock(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	struct text name = { 0 };
	struct sched_lock lock;

	if (!state->doubtful && sched_cause_lock(s->sched, task, state, &lock, &name)) {
		text_printf(s->out, " It waits for the %s %s", lock_wait_type(&lock.wait),
			    text_str(&name));
		if (lock.holder < SCHED_IDLE_TASK) {
			text_add(s->out, ", held by ");
			sched_story_task(s->sched, lock.holder, lock.since, s->out);
		}
		text_char(s->out, '.');
		if (lock_wait_doubt(&lock.wait))
			text_printf(s->out, " %s", lock_wait_doubt(&lock.wait));
	}
	text_fini(&name);
}

static void say_frozen(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	const char *path = sched_frozen(s->sched, task, state);

	if (!path)
		return;
	text_add(s->out, " It was frozen, with its cgroup ");
	text_printable(s->out, path, strlen(path));
	text_char(s->out, '.');
}

static void say_asleep(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	struct text words = { 0 };
	struct told_story capital = { s->sched, &words };
	struct sched_wake_record wake;
	struct pyramid_state next;

	say_sleep(&capital, state);
	words.data[0] = (char)(words.data[0] - 'a' + 'A');
	text_add(s->out, text_str(&words));
	say_function(s, task, state);
	say_time(s, " since ", state->from, "");
	say_length(s, ", for ", state);
	if (!sched_cause_after(s->sched, task, state, &next)) {
		text_add(s->out, ", until the end of the trace.");
	} else if (next.kind == SCHED_WAITS ||
		   (next.kind == SCHED_UNKNOWN &&
		    sched_cause_wake(s->sched, task, next.from, &wake))) {
		text_add(s->out, ": woken by ");
		say_waker(s, task, &next);
		say_time(s, " at ", next.from, ".");
	} else if (next.kind == SCHED_RUNS) {
		text_add(s->out, ", until it ran; its wake-up is not recorded.");
	} else {
		text_add(s->out, ", as far as the records show.");
	}
	say_frozen(s, task, state);
	say_lock(s, task, state);
	say_doubt(s, state, "been awake in between");
	text_fini(&words);
}

/* " since 1.5", " since 1.5 (or earlier)" */
static void say_since(struct told_story *s, const struct pyramid_state *state)
{
	say_time(s, " since ", state->from, state->again ? " (or earlier)" : "");
}

/* "It was woken by cat-12 3 ms before, at 1.497." */
static void say_woken(struct told_story *s, uint32_t task, const struct pyramid_state *wait)
{
	text_add(s->out, " It was woken by ");
	say_waker(s, task, wait);
	say_length(s, " ", wait);
	say_time(s, " before, at ", wait->from, ".");
	say_doubt(s, wait, "run before");
}

static void say_running(struct told_story *s, uint32_t task, const struct pyramid_state *run)
{
	struct pyramid_state wait;

	text_printf(s->out, "Running on CPU %d", cpu_number(s, run->arg));
	say_since(s, run);
	say_end_of_run(s, task, run);
	text_char(s->out, '.');
	if (!sched_cause_before(s->sched, task, run->from, &wait) || wait.to != run->from)
		wait.kind = SCHED_UNKNOWN;
	if (wait.kind == SCHED_WAITS) {
		say_woken(s, task, &wait);
	} else if (wait.kind == SCHED_PREEMPTED) {
		say_length(s, " It had waited ", &wait);
		text_add(s->out, " since it ");
		say_why_left(s, task, wait.from);
		text_char(s->out, '.');
	}
	say_exec(s, task, run);
}

/* "949 events of CPU 0 were lost". */
static void say_lost_events(struct told_story *s, unsigned int cpu, const struct sched_loss *loss)
{
	if (loss && loss->known)
		text_counted(s->out, loss->events, "event");
	else
		text_add(s->out, "Events");
	text_printf(s->out, " of CPU %d %s %s", cpu_number(s, cpu),
		    loss && loss->known && loss->events == 1 ? "was" : "were",
		    loss && loss->known ? "lost" : lost_words(s));
}

/* Nothing could be recorded on a CPU at a time: why, and how long. */
static bool say_absence(struct told_story *s, unsigned int cpu, int64_t ts)
{
	struct trace_absence absence;
	int64_t to;

	if (!sched_rules_absence(sched_pass_rules(sched_pass_of(s->sched)), cpu, ts, &absence) ||
	    absence.from > ts)
		return false;
	to = absence.to < sched_end(s->sched) ? absence.to : sched_end(s->sched);
	if (absence.why == TRACE_SUSPENDED)
		text_add(s->out, "The machine was suspended");
	else if (absence.why == TRACE_OFFLINE)
		text_printf(s->out, "CPU %d was %soffline", cpu_number(s, cpu),
			    absence.inferred ? "~" : "");
	else
		text_printf(s->out, "%s: nothing was recorded on any CPU",
			    absence.inferred ? "~Tracing off" : "Tracing was off");
	say_span(s, " for ", absence.from, to, "");
	say_time(s, ", from ", absence.from, "");
	say_time(s, " to ", to, ".");
	return true;
}

/* Explains why the start is not known. */
static bool say_loss_before(struct told_story *s, const char *lead, unsigned int cpu, int64_t ts)
{
	struct trace_absence absence;
	struct sched_loss loss;

	if (sched_rules_absence(sched_pass_rules(sched_pass_of(s->sched)), cpu, ts - 1, &absence) &&
	    absence.from < ts && absence.to == ts) {
		text_add(s->out, lead);
		return say_absence(s, cpu, ts - 1);
	}
	if (!sched_cause_loss(s->sched, cpu, ts, &loss))
		return false;
	text_add(s->out, lead);
	say_lost_events(s, cpu, &loss);
	text_add(s->out, " just before.");
	return true;
}

/* "What it did from … to … is not known"; false: it lasts to the end. */
static bool say_unknown(struct told_story *s, uint32_t task, const struct pyramid_state *state,
			struct pyramid_state *next)
{
	bool ends = sched_cause_after(s->sched, task, state, next);

	say_time(s, "Its state from ", state->from, "");
	text_add(s->out, ends ? " to " : " on");
	if (ends)
		say_time(s, "", next->from, "");
	text_add(s->out, " is not known");
	return ends;
}

/* Who can run is not woken: it ran and slept in between.  False: it was not woken then. */
static bool say_woken_twice(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	struct sched_wake_record wake;

	if (!sched_cause_wake(s->sched, task, state->from, &wake) ||
	    !sched_cause_wake(s->sched, task, state->to, &wake))
		return false;
	text_add(s->out, "it was woken by ");
	say_waker(s, task, state);
	text_add(s->out, ", then woken again: ");
	text_add(s->out, sched_pass_is_seen(sched_pass_of(s->sched)) ?
				 "no sched_switch was recorded." :
				 "records are missing.");
	return true;
}

/* Records contradict each other if one is missing: those at the state's ends may show which. */
static void say_contradicted_task(struct told_story *s, uint32_t task,
				  const struct pyramid_state *state)
{
	int pid = (int)sched_rules_task(sched_pass_rules(sched_pass_of(s->sched)), task)->pid;
	struct sched_switch_record record;
	struct pyramid_state next;
	bool ends = say_unknown(s, task, state, &next);

	text_add(s->out, ": ");
	if (ends && (next.kind == SCHED_WAITS || next.kind == SCHED_UNKNOWN) &&
	    say_woken_twice(s, task, state))
		return;
	if (ends && next.kind != SCHED_RUNS &&
	    sched_cause_switch(s->sched, next.from, -1, pid, -1, false, &record))
		text_printf(s->out, "it leaves CPU %d then, and no record shows when it came.",
			    record.cpu);
	else if (ends && next.kind == SCHED_RUNS && !next.again)
		text_printf(s->out,
			    "it comes to CPU %d then, and no record shows when it left "
			    "another one.",
			    cpu_number(s, next.arg));
	else if (ends && next.kind == SCHED_RUNS)
		text_printf(s->out,
			    "it runs on CPU %d then, and no record shows when it "
			    "came.",
			    cpu_number(s, next.arg));
	else if (sched_cause_switch(s->sched, state->from, -1, -1, pid, false, &record))
		text_printf(s->out, "it came to CPU %d, and no record shows when it left.",
			    record.cpu);
	else
		text_add(s->out, "records are missing.");
	if (ends && next.kind == SCHED_RUNS && next.again)
		say_loss_before(s, " ", next.arg, next.from);
}

/* Events of the task's last CPU are lost. */
static void say_lost_task(struct told_story *s, uint32_t task, const struct pyramid_state *state)
{
	struct pyramid_state next, gap;
	struct sched_loss loss;
	bool found;

	say_unknown(s, task, state, &next);
	text_add(s->out, ". ");
	if (say_absence(s, state->arg, state->from))
		return;
	found = pyramid_at(sched_cpu(s->sched, state->arg), sched_end(s->sched), state->from,
			   &gap) &&
		gap.kind == SCHED_CPU_LOST && sched_cause_loss(s->sched, state->arg, gap.to, &loss);
	say_lost_events(s, state->arg, found ? &loss : NULL);
	text_char(s->out, '.');
}

static void say_task(struct told_story *s, uint32_t task, int64_t ts)
{
	struct pyramid_state state;
	int64_t created;

	if (!pyramid_at(sched_task(s->sched, task), sched_end(s->sched), ts, &state)) {
		struct pyramid_iter it;

		pyramid_iter_init(&it, sched_task(s->sched, task), sched_end(s->sched), INT64_MIN);
		if (!pyramid_iter_next(&it, &state) || ts >= state.from) {
			text_add(s->out, "No record of this task here.");
			return;
		}
		if (sched_created(s->sched, task, &created) && ts < created)
			say_time(s, "It was created at ", created, ".");
		else
			say_time(s, "No record of this task before ", state.from,
				 trace_has_dropped(sched_trace(s->sched)) ?
					 "; the ring has dropped older ones." :
					 ".");
		return;
	}
	if (state.kind == SCHED_TASK_LOST) {
		say_lost_task(s, task, &state);
		return;
	}
	switch ((enum sched_state)state.kind) {
	case SCHED_RUNS:
		say_running(s, task, &state);
		break;
	case SCHED_WAITS:
		say_wait(s, task, &state);
		break;
	case SCHED_PREEMPTED:
		say_preempted(s, task, &state);
		break;
	case SCHED_SLEEPS:
	case SCHED_BLOCKED:
		say_asleep(s, task, &state);
		break;
	case SCHED_GONE:
		say_time(s, "It exited at ", state.from, ".");
		break;
	case SCHED_UNKNOWN:
		say_contradicted_task(s, task, &state);
		break;
	}
}

/* --- a CPU ------------------------------------------------------------------------------------ */

#define ANY_CONTEXT \
	(1u << SCHED_CONTEXT_SOFTIRQ | 1u << SCHED_CONTEXT_IRQ | 1u << SCHED_CONTEXT_NMI)

/* False: no state of these kinds exists. */
static bool say_context(struct told_story *s, unsigned int cpu, int64_t ts, unsigned int kinds)
{
	struct pyramid_state c;

	if (!pyramid_at(sched_contexts(s->sched, cpu), sched_end(s->sched), ts, &c) ||
	    !(kinds >> c.kind & 1 || (kinds == ANY_CONTEXT && c.doubtful)))
		return false;
	text_printf(s->out, "%sOn CPU %d, ", s->out->len ? " " : "", cpu_number(s, cpu));
	if (c.doubtful)
		text_add(s->out, "an interrupt whose entry is missing");
	else
		say_source(s, c.arg);
	say_span(s, " runs for ", c.from, c.to, "");
	say_time(s, " from ", c.from, ".");
	return true;
}

/* For one CPU or all: each sentence names its CPU. */
static void say_contexts(struct told_story *s, const struct timeline_row *row, int64_t ts)
{
	unsigned int soft = 1u << SCHED_CONTEXT_SOFTIRQ,
		     kinds = row->kind == TIMELINE_SOFTIRQS ? soft : ANY_CONTEXT & ~soft;
	bool any = false;

	for (unsigned int cpu = 0; cpu < sched_nr_cpus(s->sched); cpu++)
		if (row->index == TIMELINE_ALL_CPUS || row->index == cpu)
			any |= say_context(s, cpu, ts, kinds);
	if (!any)
		text_printf(s->out, "No %s is handled at this moment.",
			    row->kind == TIMELINE_SOFTIRQS ? "softirq" : "interrupt");
}

static void say_gap(struct told_story *s, unsigned int cpu, const struct pyramid_state *state)
{
	struct sched_loss loss;

	if (say_absence(s, cpu, state->from))
		return;
	say_lost_events(s, cpu, sched_cause_loss(s->sched, cpu, state->to, &loss) ? &loss : NULL);
	say_time(s, " from ", state->from, "");
	say_time(s, " to ", state->to, ".");
}

static void say_dropped(struct told_story *s, unsigned int cpu, const struct pyramid_state *state)
{
	text_printf(s->out, "The ring has dropped what CPU %d recorded", cpu_number(s, cpu));
	say_time(s, " before ", state->to, ".");
}

/* A record shows who runs after a switch that is missing. */
static void say_missing(struct told_story *s, unsigned int cpu, const struct pyramid_state *state)
{
	struct sched_switch_record leaves;
	struct pyramid_state next;
	uint32_t task = SCHED_IDLE_TASK;

	if (sched_cause_switch(s->sched, state->to, (int)cpu, -1, -1, false, &leaves))
		task = task_of(s, leaves.prev, state->to);
	else if (pyramid_at(sched_cpu(s->sched, cpu), sched_end(s->sched), state->to, &next) &&
		 next.kind == SCHED_CPU_RUNS)
		task = next.arg;
	text_add(s->out, "The switch to ");
	sched_story_task(s->sched, task, state->to, s->out);
	text_printf(s->out, " on CPU %d was not recorded: it was between", cpu_number(s, cpu));
	say_time(s, " ", state->from, "");
	say_time(s, " and ", state->to, ".");
}

/* Two consecutive switches that contradict each other; false: they do not. */
static bool say_contradiction(struct told_story *s, unsigned int cpu,
			      const struct pyramid_state *state)
{
	struct sched_switch_record from, to;

	if (state->to >= sched_end(s->sched) ||
	    !sched_cause_switch(s->sched, state->from, (int)cpu, -1, -1, true, &from) ||
	    !sched_cause_switch(s->sched, state->to, (int)cpu, -1, -1, false, &to))
		return false;
	text_printf(s->out, "The task on CPU %d from ", cpu_number(s, cpu));
	say_time(s, "", state->from, "");
	say_time(s, " to ", state->to, " is not known: ");
	sched_story_task(s->sched, task_of(s, from.next, state->from), state->from, s->out);
	text_add(s->out, " came, but ");
	if (from.next == to.prev)
		text_add(s->out, "it ran elsewhere before it left.");
	else
		sched_story_task(s->sched, task_of(s, to.prev, state->to), state->to, s->out);
	if (from.next != to.prev)
		text_add(s->out, " left: a switch in between was not recorded.");
	return true;
}

/* Before its first record, too. */
static void say_unknown_cpu(struct told_story *s, unsigned int cpu, int64_t ts)
{
	const struct pyramid *p = sched_cpu(s->sched, cpu);
	struct pyramid_state state;
	struct pyramid_iter it;
	bool any;

	pyramid_iter_init(&it, p, sched_end(s->sched), INT64_MIN);
	any = pyramid_iter_next(&it, &state);
	if (any && ts < state.from) {
		text_printf(s->out, "The first event of CPU %d is at ", cpu_number(s, cpu));
		say_time(s, "", state.from, ".");
		say_loss_before(s, " ", cpu, state.from);
	} else {
		any = pyramid_at(p, sched_end(s->sched), ts, &state);
		if (any && say_contradiction(s, cpu, &state))
			return;
		text_printf(s->out, "Unknown task on CPU %d", cpu_number(s, cpu));
		if (!any || !say_loss_before(s, ": ", cpu, state.from))
			text_char(s->out, '.');
	}
}

static void say_cpu_run(struct told_story *s, unsigned int cpu, const struct pyramid_state *run)
{
	struct pyramid_state wait;

	text_printf(s->out, "CPU %d running ", cpu_number(s, cpu));
	sched_story_task(s->sched, run->arg, run->to > run->from ? run->to - 1 : run->from, s->out);
	say_since(s, run);
	if (run->to < sched_end(s->sched) && sched_task(s->sched, run->arg)->nr_chunks)
		say_end_of_run(s, run->arg,
			       &(struct pyramid_state){ .from = run->from,
							.to = run->to,
							.arg = cpu,
							.kind = SCHED_RUNS });
	else
		say_span(s, ", for ", run->from, run->to, "");
	text_char(s->out, '.');
	if (!run->again &&
	    pyramid_before(sched_task(s->sched, run->arg), sched_end(s->sched), run->from, &wait) &&
	    wait.to == run->from && wait.kind == SCHED_WAITS)
		say_woken(s, run->arg, &wait);
}

static void say_idle(struct told_story *s, unsigned int cpu, const struct pyramid_state *state,
		     int64_t ts)
{
	struct pyramid_state power, next;

	text_printf(s->out, "CPU %d idle", cpu_number(s, cpu));
	say_since(s, state);
	if (pyramid_at(sched_idle(s->sched, cpu), sched_end(s->sched), ts, &power) && power.kind)
		text_printf(s->out, ", in idle state %u", power.arg);
	if (state->to < sched_end(s->sched) &&
	    pyramid_at(sched_cpu(s->sched, cpu), sched_end(s->sched), state->to, &next) &&
	    next.kind == SCHED_CPU_RUNS) {
		text_add(s->out, "; ");
		sched_story_task(s->sched, next.arg, state->to, s->out);
		say_span(s, " runs after ", state->from, state->to, "");
		say_time(s, ", at ", state->to, "");
	} else {
		say_span(s, ", for ", state->from, state->to, "");
	}
	text_char(s->out, '.');
}

/* Without switches, all that is known is whose events were recorded. */
static void say_seen(struct told_story *s, unsigned int cpu, const struct pyramid_state *state)
{
	bool one = state->to <= state->from + 1;

	text_printf(s->out, "CPU %d has %s of ", cpu_number(s, cpu), one ? "an event" : "events");
	sched_story_task(s->sched, state->kind == SCHED_CPU_RUNS ? state->arg : SCHED_IDLE_TASK,
			 state->from, s->out);
	say_time(s, one ? " at " : " from ", state->from, "");
	if (!one)
		say_time(s, " to ", state->to - 1, "");
	text_add(s->out, ": how long it ran is unknown.");
}

static void say_cpu(struct told_story *s, unsigned int cpu, int64_t ts)
{
	struct pyramid_state state;

	if (!pyramid_at(sched_cpu(s->sched, cpu), sched_end(s->sched), ts, &state))
		state.kind = SCHED_CPU_UNKNOWN;
	if (sched_pass_is_seen(sched_pass_of(s->sched)) &&
	    (state.kind == SCHED_CPU_RUNS || state.kind == SCHED_CPU_IDLE)) {
		say_seen(s, cpu, &state);
		return;
	}
	switch ((enum sched_cpu_kind)state.kind) {
	case SCHED_CPU_RUNS:
		say_cpu_run(s, cpu, &state);
		break;
	case SCHED_CPU_IDLE:
		say_idle(s, cpu, &state, ts);
		break;
	case SCHED_CPU_LOST:
		if (state.arg == SCHED_CPU_DROPPED)
			say_dropped(s, cpu, &state);
		else if (state.arg == SCHED_CPU_MISSING)
			say_missing(s, cpu, &state);
		else
			say_gap(s, cpu, &state);
		break;
	case SCHED_CPU_UNKNOWN:
		say_unknown_cpu(s, cpu, ts);
		break;
	}
	if ((state.kind == SCHED_CPU_RUNS || state.kind == SCHED_CPU_IDLE) && state.again)
		say_loss_before(s, " ", cpu, state.from);
	say_context(s, cpu, ts, ANY_CONTEXT);
}

void sched_story_row(struct sched *sched, const struct timeline_row *row, int64_t ts,
		     struct text *out)
{
	struct told_story s = { sched, out };

	ts -= ts == sched_end(sched);	/* states end there: the last ones are meant */
	switch (row->kind) {
	case TIMELINE_CPU:
		say_cpu(&s, row->index, ts);
		break;
	case TIMELINE_IRQS:
	case TIMELINE_SOFTIRQS:
		say_contexts(&s, row, ts);
		break;
	case TIMELINE_OF_TASK:
		say_task(&s, row->index, ts);
		break;
	case TIMELINE_PLOT:			/* timeline_plot_story() */
	case TIMELINE_IDLE_CPUS:
	case TIMELINE_PARTS:
	case TIMELINE_SLICES:
	case TIMELINE_GROUP:			/* timeline_groups_story() */
	case TIMELINE_CPUS:			/* timeline_cpus_story() */
	case TIMELINE_VCPU:			/* timeline_guests_story() */
		break;
	}
}
