/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_words - the row under the cursor, in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/events/verdicts.h"
#include "src/sched/wait_parts.h"
#include "ui/tasks/view_tasks.h"

#define LEAST_LENGTHS	10		/* waits that are worth a histogram */

static void say_time(const struct view *v, const char *before, int64_t time, const char *behind,
		     struct text *out)
{
	if (!time)
		return;
	text_add(out, before);
	shared_span(v->shared, time, out);
	text_add(out, behind);
}

/* "longest 9.739 ms, at 7.546782" */
static void say_longest(const struct view *v, int64_t length, int64_t ts, struct text *out)
{
	say_time(v, "longest ", length, ", at ", out);
	shared_time(v->shared, ts, 6, out);
}

static void say_lost(const struct view *v, struct text *out)
{
	if (v->now.figures.lost)
		text_printf(out, "Here %s. ", v->now.figures.lost);
}

static void say_cut(const struct view *v, int64_t time, const char *what, struct text *out)
{
	if (time <= 0)
		return;
	say_time(v, "Of that, ", time, " are in ", out);
	text_printf(out, "%s cut off by %sthe start or end of the %s. ", what,
		    v->now.figures.lost ? "missing records, or " : "",
		    v->shared->at.places.range.set ? "range" : "trace");
}

static void say_run(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		    struct text *out)
{
	int64_t ran = time_after(t->run, t->run_cut);

	if (!v->now.figures.switches) {
		if (trace_is_untimed(v->shared->trace, (int)v->file))
			text_add(out, "This text has no times. ");
		else
			text_printf(out, "%s: its run and wait times are not known. ",
				    trace_lacks_switches(v->shared->trace, (int)v->file));
		return;
	}
	if (!ran) {
		text_add(out,
			 v->scope.of.nr_filters ? "None of its runs match. " : "It did not run. ");
		return;
	}
	say_time(v, "Ran ", ran, ", ", out);
	table_share((double)ran, (double)v->now.span, out);
	text_add(out, v->scope.of.nr_filters ? " % of the time, in runs that a match ends" :
					       " % of the time");
	if (s->longest[TASK_RAN].length) {
		text_add(out, "; ");
		say_longest(v, s->longest[TASK_RAN].length, s->longest[TASK_RAN].ts, out);
	}
	text_add(out, ". ");
	say_cut(v, t->run_cut, "runs", out);
}

const char *tasks_wake_comm(const struct view *v, const struct sched_task *t)
{
	return t->max_wakeup ? trace_comm(v->shared->trace, v->file,
					  (int)(t->max_wake_pid ? t->max_wake_pid : t->pid),
					  t->max_wake_ts) :
			       NULL;
}

/* The name and priority that it had at its longest wake-up, if these are others now. */
static void say_then(const struct view *v, const struct sched_task *t, uint32_t row,
		     struct text *out)
{
	const char *comm = tasks_wake_comm(v, t);

	if (!comm || (t->max_wake_prio == t->prio && !strcmp(comm, tasks_comm(v, row))))
		return;
	text_add(out, "At its longest wake-up it was called ");
	text_printable(out, comm, strlen(comm));
	text_printf(out, ", priority %d", t->max_wake_prio);
	if (t->max_wake_prio != t->prio)
		text_printf(out, " (now %d)", t->prio);
	text_add(out, ". ");
}

/* " (from 2.048 µs: ▂▅█▃··▁)": how many waits had which length, a bar for each power of 2 */
static void say_lengths(const struct view *v, const struct task_sums *s, struct text *out)
{
	uint64_t counts[TASK_BINS];
	unsigned int first = 0, last = TASK_BINS - 1;
	struct text bars = { 0 };

	for (unsigned int i = 0; i < TASK_BINS; i++)
		counts[i] = s->wait_bins[i];
	while (first < last && !counts[first])
		first++;
	while (last > first && !counts[last])
		last--;
	if (s->waits < LEAST_LENGTHS)
		return;
	text_add(out, " (from ");
	shared_span(v->shared, first ? INT64_C(1) << (first - 1) : 0, out);
	text_add(out, ": ");
	text_bars(&bars, counts + first, last - first + 1);
	for (size_t i = 0; i < bars.len; i++)	/* a blank would break the line */
		text_bytes(out, bars.data[i] == ' ' ? "·" : bars.data + i,
			   bars.data[i] == ' ' ? strlen("·") : 1);
	text_add(out, ")");
	text_fini(&bars);
}

/* ": throttled by /web (10 ms of 100 ms) for ~29.98 ms of it" */
static void say_limit(const struct view *v, const struct task_longest *longest, struct text *out)
{
	text_printf(out, ": %s for %s",
		    v->now.figures.text.data + v->now.figures.limits[longest->limit - 1],
		    longest->guessed ? "~" : "");
	shared_span(v->shared, longest->taken, out);
	text_add(out, " of it");
}

/* "Waited up to 30.2 ms behind sh-232. That wait began at 61.717040; sh-232 had CPU 0 for 29.98 ms of it. " */
static void say_longest_wait(const struct view *v, const struct task_longest *longest,
			     struct text *out)
{
	bool is_most = longest->taken && longest->taken >= longest->length / 2,
	     is_known = is_most && longest->pid;
	struct text who = { 0 };
	const char *comm;

	if (!longest->length)
		return;
	say_time(v, "Waited up to ", longest->length, "", out);
	if (is_known) {
		comm = trace_comm(v->shared->trace, v->file, (int)longest->pid,
				  time_after(longest->ts, longest->length));
		text_printable(&who, comm, strlen(comm));
		text_printf(&who, "-%" PRIu32, longest->pid);
		text_printf(out, " behind %s%s", text_str(&who),
			    trace_is_recorder(v->shared->trace, v->file, (int)longest->pid,
					      longest->ts, comm) ?
				    TRACE_OWN :
				    "");
	} else if (is_most && longest->limit) {
		say_limit(v, longest, out);
	}
	text_add(out, ". That wait began at ");
	shared_time(v->shared, longest->ts, 6, out);
	if (v->shared->at.places.range.set &&
	    time_after(longest->ts, longest->length) > v->shared->at.places.range.to)
		text_add(out, " and ended after the range");
	if (is_most && !longest->limit) {
		if (is_known)
			text_printf(out, "; %s had CPU %d for ", text_str(&who), longest->cpu);
		else
			text_printf(out, "; CPU %d was %sidle for ", longest->cpu,
				    longest->unexplained ? "" : "still ");
		text_add(out, longest->guessed ? "~" : "");
		shared_span(v->shared, longest->taken, out);
		text_add(out, " of it");
	}
	if (is_most && longest->unexplained) {
		text_add(out, "; ");
		wait_unexplained_text(v->shared->trace, v->file, out);
	}
	text_add(out, ". ");
	text_fini(&who);
}

/* A wait counts in the range in which it begins; its time counts as far as it lies in the range. */
static void say_wait(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		     struct text *out)
{
	bool is_part = v->shared->at.places.range.set && t->wait != s->waited;

	if (!v->now.figures.switches)
		return;
	say_time(v, s->waits ? "In all it waited " : "Waited to run for ", t->wait, "", out);
	if (s->waits && t->wait) {
		text_add(out, is_part ? " in the range; " : ", ");
		text_counted(out, s->waits, is_part ? "wait" : "time");
		text_add(out, !is_part ? "" : s->waits == 1 ? " begins in it" : " begin in it");
		say_lengths(v, s, out);
	}
	text_add(out, t->wait ? ". " : "");
	if (!s->unsure && !v->shared->at.places.range.set)
		say_cut(v, t->wait - s->waited, "waits", out);
	if (t->max_wakeup && t->max_wakeup != s->longest[TASK_WAITED].length) {
		text_add(out, "From wake-up to run: ");
		say_longest(v, t->max_wakeup, t->max_wake_ts, out);
		text_add(out, ". ");
	}
}

/* " It may run on CPU 3 only.", unless it may on all. */
static void say_allowed(const struct view *v, const struct sched_task *t, struct text *out)
{
	struct who_sched sched;

	if (t->pid <= INT32_MAX &&
	    trace_sched(v->shared->trace, v->file, (int)t->pid, t->to - 1, &sched) &&
	    trace_is_bound(v->shared->trace, v->file, &sched)) {
		text_add(out, " It ");
		trace_bound_text(&sched, out);
		text_char(out, '.');
	}
}

/* "Slept (S) 313.8 ms, (D) 1.2 ms" */
static void say_sleep(const struct view *v, const struct task_sums *s, struct text *out)
{
	bool any = false;

	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++) {
		if (!s->asleep[i])
			continue;
		text_printf(out, "%s(%c) ", any ? ", " : "Slept ", TASK_LETTERS[i]);
		shared_span(v->shared, s->asleep[i], out);
		any = true;
	}
	text_add(out, any ? ". " : "");
}

/* "Doubtful, because records are missing: 2 waits, 91.66 ms of its sleep. " */
static void say_doubt(const struct view *v, const struct sched_task *t, const struct task_sums *s,
		      struct text *out)
{
	int64_t asleep = t->doubtful_sleep + t->doubtful_blocked;

	if (t->woken_late)
		text_add(out, ">: it was woken before (to record: -e sched_waking). ");
	if (!s->unsure && !asleep)
		return;
	if (!v->now.figures.wakes) {
		text_printf(out, "The trace has %s (to record: -e sched_waking). ",
			    verdict_words(VERDICT_LACKS_WAKES, false));
		return;
	}
	text_add(out, "Doubtful, because records are missing: ");
	if (s->unsure)
		text_counted(out, s->unsure, "wait");
	if (asleep)
		say_time(v, s->unsure ? ", " : "", asleep, " of its sleep", out);
	text_add(out, ". ");
}

/* "Made 12 system calls, 3.2 ms in those that returned. Interrupted 4 times, for 12 µs. " */
static void say_calls(const struct view *v, const struct task_sums *s, struct text *out)
{
	if (s->calls) {
		text_add(out, "Made ");
		text_counted(out, s->calls, "system call");
		say_time(v, ", ", s->call_time, " in those that returned", out);
		text_add(out, ". ");
	}
	if (s->irqs) {
		text_add(out, "Was interrupted ");
		text_counted(out, s->irqs, "time");
		say_time(v, ", for ", s->irq_time, "", out);
		text_add(out, ". ");
	}
}

/* "Woken 3 times"; "Never woken" */
static void say_times(const char *did, const char *never, uint64_t nr, struct text *out)
{
	text_add(out, nr ? did : never);
	if (nr)
		text_counted(out, nr, "time");
}

static void say_task(const struct view *v, uint32_t row, struct text *out)
{
	const struct sched_task *t = &v->now.figures.tasks[row];
	const struct task_sums *s = &v->now.figures.sums[row];
	int cpu = task_row_of(&v->now.figures, row).cpu;

	if (s->tasks > 1)
		text_printf(out, "%" PRIu32 " tasks. ", s->tasks);
	if (v->now.figures.switches)
		say_longest_wait(v, &s->longest[TASK_WAITED], out);
	say_run(v, t, s, out);
	say_lost(v, out);
	say_wait(v, t, s, out);
	say_then(v, t, row, out);
	if (t->switches) {
		text_add(out, "Switched out ");
		text_counted(out, t->switches, "time");
		if (t->preemptions == t->switches) {
			text_add(out, t->switches == 1 ? " (preempted). " : " (all preempted). ");
		} else {
			text_add(out, " (");
			text_count(out, t->preemptions);
			text_add(out, " preempted). ");
		}
	}
	say_sleep(v, s, out);
	say_doubt(v, t, s, out);
	if (t->wakeups || t->woke) {
		say_times("Woken ", "Never woken", t->wakeups, out);
		if (!(v->table.lacks & TASK_NEEDS_CONTEXTS))
			say_times("; woke other tasks ", "; woke no other task", t->woke, out);
		text_add(out, ". ");
	}
	say_calls(v, s, out);
	if (cpu >= 0)
		text_printf(out, "Last on CPU %d, priority %d.", cpu, t->prio);
	say_allowed(v, t, out);
}

static void say_place(const struct view *v, const struct run_queue_place *place, struct text *out)
{
	say_time(v, "for ", place->length, ", at ", out);
	shared_time(v->shared, place->from, 6, out);
	text_add(out, ". ");
}

static void say_queue(const struct view *v, const struct run_queue_sums *q, struct text *out)
{
	if (q->most) {
		text_printf(out, "%.2f tasks waited for it on average, at most %u ",
			    (double)q->waited / (double)q->known, q->most);
		say_place(v, &q->most_at, out);
	}
	say_time(v, "It idled for ", q->spare, " while two or more waited for another CPU. ", out);
	if (q->spare_at.length) {
		text_add(out, "Longest ");
		say_place(v, &q->spare_at, out);
	}
	say_time(v, "In ", q->doubtful, " of this time records of another CPU are missing. ", out);
	say_time(v, "For which CPU tasks waited is not recorded for ", q->guessed,
		 " in all (to record: -e sched_wakeup -e sched_migrate_task). ", out);
}

/* "In idle state 1 for 3.2 ms, 3 for 99 ms. Ran at 1.200 GHz on average. " */
static void say_power(const struct view *v, const struct cpu_sums *c, struct text *out)
{
	const char *between = "In idle state ";

	for (unsigned int i = 0; i < CPU_IDLE_STATES; i++) {
		if (!c->idle_in[i])
			continue;
		text_printf(out, "%s%u for ", between, i);
		shared_span(v->shared, c->idle_in[i], out);
		between = ", ";
	}
	text_add(out, *between == ',' ? ". " : "");
	if (c->khz_known)
		text_printf(out, "Its frequency was %.3f GHz on average, as far as it is known. ",
			    c->khz_time / (double)c->khz_known / 1e6);
}

static void say_cpu(const struct view *v, const struct cpu_sums *c, struct text *out)
{
	int64_t rest = v->now.span * (c->cpus ? c->cpus : 1) - c->busy - c->idle;

	if (v->now.figures.switches) {
		text_add(out, "Tasks ran for ");
		shared_span(v->shared, c->busy, out);
		text_add(out, ", none ran for ");
		shared_span(v->shared, c->idle, out);
		text_add(out, ". ");
		if (rest > 0 && v->scope.of.nr_filters)
			say_time(v, "The other ", rest,
				 " do not count, because no match ends them. ", out);
		else if (rest > 0)
			say_time(v, "Another ", rest,
				 " are not known: before its first event, after its last, "
				 "or where events are lost or disagree. ",
				 out);
	} else {
		text_printf(out, "%s: run times are not known here. ",
			    trace_lacks_switches(v->shared->trace, (int)v->file));
	}
	say_lost(v, out);
	say_queue(v, &c->queue, out);
	say_power(v, c, out);
	if (!v->now.figures.has_irqs)
		text_add(out, "No interrupts were recorded. ");
	text_add(out, "Enter shows its row in the Timeline.");
}

static void say_type(const struct view *v, uint32_t row, struct text *out)
{
	uint64_t events = v->now.types[row].events;

	text_counted(out, events, "event");
	text_add(out, ", ");
	table_share((double)events, (double)v->now.all, out);
	text_add(out, " % of ");
	text_count(out, v->now.all);
	text_add(out, v->scope.of.nr_filters ? " that match the filters" : "");
	text_add(out, v->scope.of.has_from ? " in the range. " : ". ");
	text_add(out, "Enter goes to the next one in Events; i e shows only these.");
}

/* "wl-pong-77 was preempted by wl-ping-75 34 times: it waited 13.92 ms, …" */
static void say_pair(const struct view *v, struct tasks_pair here, struct text *out)
{
	struct task_pair_row row = tasks_pair_row(v, here);
	const struct task_pair *pair = row.pair;

	task_pair_task(&row, out);
	text_add(out, here.kind == TASK_WOKEN_BY ? " was woken by " : " was preempted by ");
	task_pair_by(&row, out);
	text_char(out, ' ');
	text_counted(out, pair->count, "time");
	if (pair->count > 1) {
		say_time(v, ": it waited ", pair->total, " until it ran", out);
		say_time(v, ", ", pair->total / (int64_t)pair->count, " on average", out);
		text_add(out, "; ");
		say_longest(v, pair->max, pair->max_ts, out);
	} else if (pair->count) {
		say_time(v, ": it waited ", pair->max, "", out);
		text_add(out, ", at ");
		shared_time(v->shared, pair->max_ts, 6, out);
	}
	text_add(out, ". ");
	if (pair->doubtful) {
		text_char(out, '~');
		text_counted(out, pair->doubtful, "more wait");
		text_add(out, " may be of another kind, as records are missing. ");
	}
	say_lost(v, out);
	text_add(out, pair->count > 1 ? "Enter shows the longest wait in the Timeline." :
					"Enter shows it in the Timeline.");
}

static void say_row(const struct view *v, uint32_t row, struct text *out)
{
	struct tasks_pair pair;

	if (tasks_pair_here(v, &pair))
		say_pair(v, pair, out);
	else if (v->list == TASKS_OF_TYPES)
		say_type(v, row, out);
	else if (v->list == TASKS_OF_CPUS)
		say_cpu(v, &v->now.figures.cpus[row], out);
	else
		say_task(v, row, out);
}

void tasks_say(struct view *v, struct text *heading, struct text *words)
{
	if (tasks_has_nothing(v))
		return;
	tasks_name(v, tasks_row(v), heading);
	if (tasks_is_by_chance(v, tasks_row(v)))
		text_add(heading, "  the difference is within noise");
	if (tasks_is_recorder(v, tasks_row(v)))
		text_printf(heading, "  a task of the recorder itself%s",
			    v->is_now ? ": listed last" : "");
	say_row(v, tasks_row(v), words);
}
