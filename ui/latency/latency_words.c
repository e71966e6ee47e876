/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_words - the row under the cursor, in words. */
#include <string.h>

#include "ui/latency/view_latency.h"

/*
 * What is measured, and a sentence about an instance, and about an open one: %t the task, %w what
 * it was, %d its duration, %c " on CPU 1", %m whether it moved, %p its priority.
 */
static const struct words {
	const char	*kind;
	const char	*measures;	/* "wakeup: …" */
	const char	*sentence, *open;
} all_words[] = {
#define SAID(before, after) \
	before "%w" after "%d%c, task %t. ", \
		before "%w has no end in the trace: it took at least %d%c, task %t. "
	{ "call", "from the entry of a function to its return", SAID("The call of ", " took ") },
	{ "wakeup", "from the wake-up of a task until it runs",
	  "The wake-up of %t by %w took %d; it ran%c%m, with priority %p. ",
	  "The wake-up of %t by %w is not followed by a run, for at least %d, with priority %p. " },
	{ "preempted", "from the preemption of a task until it runs again",
	  "%t was preempted by %w%c and waited %d. ",
	  "%t was preempted by %w%c and waited %d, to the end of the trace. " },
	{ "blocked", "how long tasks could not be woken by signals (D)",
	  "%t was blocked (%w), last%c, for %d. ",
	  "%t was blocked (%w), last%c, for %d, to the end of the trace. " },
	{ "sleep", "from going to sleep until the wake-up", "%t slept (%w), last%c, for %d. ",
	  "%t slept (%w), last%c, for %d, to the end of the trace. " },
	{ "irq", "how long the handlers of interrupts ran", SAID("The handler of ", " ran for ") },
	{ "softirq", "how long softirqs and tasklets ran", SAID("The softirq ", " ran for ") },
	{ "softirq_raise", "from the first raise of a softirq until it runs",
	  SAID("The softirq ", " waited for its run for ") },
	{ "timer", "how long the functions of timers ran",
	  SAID("The timer's function ", " ran for ") },
	{ "timer_late", "how much later than asked for timers expired",
	  SAID("The timer of ", " expired too late by ") },
	{ "work", "how long the functions of work items ran", SAID("The work ", " ran for ") },
	{ "work_delay", "how long work items waited in their queues",
	  SAID("The work ", " waited in its queue for ") },
	{ "vector", "how long the handlers of vectors ran, interrupts between CPUs among them",
	  SAID("The handler of the vector ", " ran for ") },
	{ "syscall", "from the entry of a system call to its return",
	  SAID("The system call ", " took ") },
	{ "lock", "how long tasks waited for contended locks",
	  SAID("The wait for the lock ", " took ") },
	{ "irqsoff", "how long interrupts were off", SAID("Interrupts were off, ", ", for ") },
	{ "preemptoff", "how long preemption was off", SAID("Preemption was off, ", ", for ") },
	{ "block", "from the issue of a block request to the device until its end",
	  SAID("The device had the request ", " for ") },
	{ "block_queue", "from queueing a block request until its end",
	  SAID("The request ", " took ") },
	{ "marker", "slices that programs wrote to trace_marker",
	  SAID("The slice ", " took ") },
	{ NULL, "a pair of events", SAID("The pair ", " took ") },
};

static const struct words *find_words(const struct view *v, unsigned int kind)
{
	const struct words *words = all_words;

	while (words->kind && strcmp(words->kind, v->kinds.names[kind]) != 0)
		words++;
	return words;
}

static void fill_in(const struct view *v, const struct latency_instance *i, char letter,
		    struct text *out)
{
	if (letter == 't')
		latency_add_task(v, i, out);
	else if (letter == 'w')
		latency_add_what(v, i, v->kind == LATENCY_CALL || v->kind >= LATENCY_OWN_KINDS,
				 out);
	else if (letter == 'd')
		shared_measured(v->shared, latency_duration(i), out);
	else if (letter == 'c' && i->cpu != UINT16_MAX)
		text_printf(out, " on CPU %u", i->cpu);
	else if (letter == 'm' && i->flags & LATENCY_MOVED)
		text_add(out, ", moved from another CPU");
	else if (letter == 'p')
		text_printf(out, "%d", i->prio);
}

static void say_instance(struct view *v, const struct latency_instance *i, struct text *out)
{
	const struct words *words = find_words(v, (unsigned int)v->kind);

	for (const char *s = i->flags & LATENCY_OPEN ? words->open : words->sentence; *s; s++) {
		if (*s == '%')
			fill_in(v, i, *++s, out);
		else
			text_char(out, *s);
	}
	if (v->kind == LATENCY_WAKEUP && (i->flags & LATENCY_HAS_VALUE) && i->value > 0) {
		shared_measured(v->shared, (uint64_t)i->value, out);
		text_add(out, " of that passed before it was in the queue of that CPU. ");
	} else if (v->kind == LATENCY_CALL && (i->flags & LATENCY_HAS_VALUE)) {
		text_add(out, "Without interrupts and time off the CPU: ");
		shared_measured(v->shared, (uint64_t)i->value, out);
		text_add(out, ". ");
	}
	text_add(out, "It began at ");
	shared_time(v->shared, i->start, 9, out);
	text_add(out, ". ");
	if (i->flags & LATENCY_DOUBTFUL)
		text_add(out, i->flags & LATENCY_EXACT ?
				      "Records are missing, so its net time is unknown. " :
				      "It is doubtful: records are missing, so it may have been "
				      "shorter. ");
	text_printf(out, "Enter sets A and B and shows it in %s.",
		    v->kind == LATENCY_CALL     ? "Graph" :
		    v->kind < LATENCY_OWN_KINDS ? "the Timeline" :
						  "Events");
}

static void say_count(uint64_t nr, const char *what, struct text *out)
{
	if (!nr)
		return;
	text_add(out, "; ");
	text_count(out, nr);
	text_add(out, what);
}

static void say_sums(const struct view *v, uint32_t row, struct text *out)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	const struct latency_sums *sums = &v->now.groups[row].sums;

	text_count(out, sums->n);
	text_add(out, sums->n == 1 ? " instance" : " instances");
	if (sums->n) {
		text_add(out, sums->n == 1 ? ", of " : ", the longest ");
		shared_measured(v->shared, sums->max, out);
	}
	say_count(sums->doubtful, " doubtful, since records are missing", out);
	say_count(sums->open, " open, without an end in the trace", out);
	if (latency_is_noise(v, row))
		text_add(out, "; the difference is within noise");
	text_add(out, kind && !kind->all ? " among the worst ones. Enter lists them." :
					   ". Enter lists them.");
}

static void say_culprit(const struct view *v, const struct why_node *c, struct text *out)
{
	shared_span(v->shared, c->total, out);
	text_add(out, " of the time that tasks waited, in ");
	text_count(out, c->count);
	text_add(out, c->count == 1 ? " part, at " : " parts, the longest ");
	if (c->count > 1) {
		shared_span(v->shared, c->max, out);
		text_add(out, ", at ");
	}
	shared_time(v->shared, c->max_from, 9, out);
	text_add(out, ". Enter lists the instances that waited for it.");
}

void latency_say(struct view *v, struct text *heading, struct text *words)
{
	const struct latency_instance *i = latency_here(v);
	uint32_t row = latency_row_here(v);

	text_add(heading, v->kinds.names[v->kind < 0 ? row : (uint32_t)v->kind]);
	if (i) {
		say_instance(v, i, words);
		return;
	}
	table_name(&v->table, row, words);
	text_add(words, ": ");
	if (v->kind < 0)
		text_printf(words, "%s. ", find_words(v, row)->measures);
	if (v->by == LATENCY_BY_CULPRIT)
		say_culprit(v, &v->culprits.list[row], words);
	else
		say_sums(v, row, words);
}
