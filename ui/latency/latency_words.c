/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_words - the row under the cursor, in words. */
#include <string.h>

#include "ui/latency/view_latency.h"

/* What is measured, and a sentence about an instance: @before what @after duration. */
static const struct words {
	const char	*kind;
	const char	*measures;	/* "wakeup: …" */
	const char	*before, *after;
} all_words[] = {
	{ "call", "from the entry of a function to its return", "The call of ", " took " },
	{ "wakeup", "from the wake-up of a task until it runs", NULL, NULL },
	{ "preempted", "from the preemption of a task until it runs again", NULL, NULL },
	{ "blocked", "how long tasks could not be woken by signals (D)", NULL, NULL },
	{ "sleep", "from going to sleep until the wake-up", NULL, NULL },
	{ "irq", "how long the handlers of interrupts ran", "The handler of ", " ran for " },
	{ "softirq", "how long softirqs and tasklets ran", "The softirq ", " ran for " },
	{ "softirq_raise", "from the first raise of a softirq until it runs", "The softirq ",
	  " waited for its run for " },
	{ "timer", "how long the functions of timers ran", "The timer's function ", " ran for " },
	{ "timer_late", "how much later than asked for timers expired", "The timer of ",
	  " expired too late by " },
	{ "work", "how long the functions of work items ran", "The work ", " ran for " },
	{ "work_delay", "how long work items waited in their queues", "The work ",
	  " waited in its queue for " },
	{ "vector", "how long the handlers of vectors ran, interrupts between CPUs among them",
	  "The handler of the vector ", " ran for " },
	{ "syscall", "from the entry of a system call to its return", "The system call ",
	  " took " },
	{ "lock", "how long tasks waited for contended locks", "The wait for the lock ", " took " },
	{ "irqsoff", "how long interrupts were off", "Interrupts were off, ", ", for " },
	{ "preemptoff", "how long preemption was off", "Preemption was off, ", ", for " },
	{ "block", "from the issue of a block request to the device until its end",
	  "The device had the request ", " for " },
	{ "block_queue", "from queueing a block request until its end", "The request ", " took " },
};

static const struct words *find_words(const struct view *v, unsigned int kind)
{
	static const struct words pair = { NULL, "a pair of events", "The pair ", " took " };

	for (size_t i = 0; i < sizeof(all_words) / sizeof(all_words[0]); i++)
		if (!strcmp(all_words[i].kind, v->kinds.names[kind]))
			return &all_words[i];
	return &pair;
}

static void say_span(const struct view *v, const struct latency_instance *i, struct text *out)
{
	shared_span(v->shared, (int64_t)latency_duration(i), out);
}

/* "The wake-up of sh-78 by <idle>-0 took 143 µs; it ran on CPU 3, moved from another one." */
static void say_wakeup(const struct view *v, const struct latency_instance *i, struct text *out)
{
	bool is_open = i->flags & LATENCY_OPEN;

	text_add(out, "The wake-up of ");
	latency_add_task(v, i, out);
	text_add(out, " by ");
	latency_add_what(v, i, false, out);
	text_add(out, is_open ? " is not followed by a run, for at least " : " took ");
	say_span(v, i, out);
	if (!is_open)
		text_printf(out, "; it ran on CPU %u%s", i->cpu,
			    i->flags & LATENCY_MOVED ? ", moved from another CPU" : "");
	text_printf(out, ", with priority %d. ", i->prio);
	if (!is_open && (i->flags & LATENCY_HAS_VALUE) && i->value > 0) {
		shared_span(v->shared, i->value, out);
		text_add(out, " of that passed before it was in the queue of that CPU. ");
	}
}

/* "sh-78 was preempted by cat-72 on CPU 1 and waited 143 µs." "sh-78 slept (S) for 143 µs." */
static void say_state(const struct view *v, const struct latency_instance *i, struct text *out)
{
	latency_add_task(v, i, out);
	text_add(out, v->kind == LATENCY_PREEMPTED ? " was preempted by " :
		      v->kind == LATENCY_BLOCKED   ? " was blocked (" :
						     " slept (");
	latency_add_what(v, i, false, out);
	text_add(out, v->kind == LATENCY_PREEMPTED ? "" : ")");
	if (i->cpu != UINT16_MAX)
		text_printf(out, v->kind == LATENCY_PREEMPTED ? " on CPU %u" : ", last on CPU %u,",
			    i->cpu);
	text_add(out, v->kind == LATENCY_PREEMPTED ? " and waited " : " for ");
	say_span(v, i, out);
	text_add(out, i->flags & LATENCY_OPEN ? ", to the end of the trace. " : ". ");
}

static void say_other(const struct view *v, const struct latency_instance *i, struct text *out)
{
	const struct words *words = find_words(v, (unsigned int)v->kind);

	text_add(out, words->before);
	latency_add_what(v, i, true, out);
	text_add(out, i->flags & LATENCY_OPEN ? " has no end in the trace: it took at least " :
						words->after);
	say_span(v, i, out);
	if (i->cpu != UINT16_MAX)
		text_printf(out, " on CPU %u", i->cpu);
	text_add(out, ", task ");
	latency_add_task(v, i, out);
	text_add(out, ". ");
}

static void say_instance(struct view *v, const struct latency_instance *i, struct text *out)
{
	if (v->kind == LATENCY_WAKEUP)
		say_wakeup(v, i, out);
	else if (v->kind < LATENCY_OWN_KINDS && v->kind != LATENCY_CALL)
		say_state(v, i, out);
	else
		say_other(v, i, out);
	text_add(out, "It began at ");
	shared_time(v->shared, i->start, 9, out);
	text_add(out, ". ");
	if (i->flags & LATENCY_DOUBTFUL)
		text_add(out, i->flags & LATENCY_EXACT ?
				      "Events were lost meanwhile. " :
				      "It is doubtful: events were lost meanwhile, so it may have "
				      "been shorter. ");
	text_printf(out, "Enter sets A and B and shows it in %s.",
		    v->kind == LATENCY_CALL     ? "Graph" :
		    v->kind < LATENCY_OWN_KINDS ? "the Timeline" :
						  "Events");
}

static void say_sums(const struct view *v, const struct latency_sums *sums, struct text *out)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	bool is_part = kind && !kind->all;

	text_count(out, sums->n);
	text_add(out, sums->n == 1 ? " instance" : " instances");
	if (sums->n) {
		text_add(out, sums->n == 1 ? ", of " : ", the longest ");
		shared_span(v->shared, (int64_t)sums->max, out);
	}
	if (sums->doubtful) {
		text_add(out, "; ");
		text_count(out, sums->doubtful);
		text_add(out, " doubtful, since events were lost meanwhile");
	}
	if (sums->open) {
		text_add(out, "; ");
		text_count(out, sums->open);
		text_add(out, " open, without an end in the trace");
	}
	text_add(out, is_part ? " among the worst ones. Enter lists them." : ". Enter lists them.");
}

static void say_row(struct view *v, struct text *out)
{
	const struct latency_instance *i = latency_here(v);
	const struct table *table = latency_table(v);
	uint32_t row;

	if (!table->nr)
		return;
	if (i) {
		say_instance(v, i, out);
		return;
	}
	row = table_row(table, table->window.at);
	if (v->kind < 0) {
		text_printf(out, "%s: %s. ", v->kinds.names[row], find_words(v, row)->measures);
		say_sums(v, &v->result.kinds[row].sums, out);
	} else {
		latency_group_name(v, &v->groups[row].first, v->by, out);
		text_add(out, ": ");
		say_sums(v, &v->groups[row].sums, out);
	}
}

void latency_draw_detail(struct view *v, const struct view_area *area, int max_rows)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	const struct table *table = latency_table(v);

	(void)max_rows;
	if (!table->nr || area->rows < 1)
		return;
	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	text_add(&t, v->kinds.names[v->kind < 0 ? table_row(table, table->window.at) :
						  (uint32_t)v->kind]);
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	say_row(v, &t);
	canvas_words(c, area->top + 1, area->top + area->rows, text_str(&t));
	text_fini(&t);
}
