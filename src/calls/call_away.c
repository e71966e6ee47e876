/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_away - what a task's calls did not do: times off the CPU, from the switch away from it to
 * the next switch to it; and interrupts that are recorded as events, from entry to exit.
 *
 * Such a gap belongs to the innermost call that contains it completely. Calls get their times from
 * the inside out, so the first call that contains it takes it; the gap is kept until then.
 *
 * A time off the CPU becomes a row of the tree. Of interrupts only the sums matter: what lies in
 * one is marked, so that nothing is counted twice (call.inside). An event in an interrupt that is
 * not in such a gap proves that one ran that is not recorded: it is a gap without a length, and the
 * net time of the call that takes it is unknown.
 */
#include <string.h>

#include "src/calls/call_tree_private.h"
#include "src/base/memory.h"

/* Gaps of a task, of all tasks; one that no traced function contains waits forever. */
#define MAX_GAPS	65536u
#define MAX_ALL_GAPS	1000000u

void call_away_leave(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record)
{
	tree->has_away = true;
	task->is_away = task->switched = task->left = true;
	task->away = (struct call_gap){ .start = record->ts, .away = record->ref,
					.stream_away = record->stream,
					.wakeup = TRACE_REF_NONE };
}

void call_away_woken(struct call_task_state *task, const struct graph_record *record)
{
	if (!task->is_away || task->away.wakeup != TRACE_REF_NONE)
		return;			/* the first wakeup counts */
	task->away.woken = record->ts;
	task->away.wakeup = record->ref;
}

/* Drop the oldest half: a call that contains these would have had to last all this time. */
static void forget_half(struct call_tree *tree, struct call_task_state *task,
			struct call_gaps *gaps)
{
	uint32_t half = gaps->nr / 2;

	memmove(gaps->list, gaps->list + half, (gaps->nr - half) * sizeof(*gaps->list));
	gaps->nr -= half;
	task->nr_gaps -= half;
	tree->nr_gaps -= half;
}

static void add_gap(struct call_tree *tree, struct call_task_state *task, enum graph_level level,
		    const struct call_gap *gap)
{
	struct call_gaps *gaps = &task->gaps[level];

	if (gaps->nr >= MAX_GAPS || (tree->nr_gaps >= MAX_ALL_GAPS && gaps->nr > 16)) {
		call_away_settle(tree, task);
		if (gaps->nr >= MAX_GAPS / 2 || tree->nr_gaps >= MAX_ALL_GAPS)
			forget_half(tree, task, gaps);
	}
	if (!gaps->nr)
		gaps->disordered = false;
	else if (gap->end < gaps->max_end)
		gaps->disordered = true;
	if (!gaps->nr || gap->end > gaps->max_end)
		gaps->max_end = gap->end;
	if (gap->end > task->gaps_end)
		task->gaps_end = gap->end;
	mem_grow(&gaps->list, gaps->nr, &gaps->cap);
	gaps->list[gaps->nr++] = *gap;
	task->nr_gaps++;
	tree->nr_gaps++;
}

void call_away_return(struct call_tree *tree, struct call_task_state *task,
		      const struct graph_record *record)
{
	struct call_gap *gap = &task->away;

	task->switched = true;
	if (!task->is_away)
		return;
	task->is_away = false;
	if (!tree->options.local_clock || record->ts <= gap->start)
		return;
	gap->end = record->ts;
	gap->back = record->ref;
	gap->stream_back = record->stream;
	add_gap(tree, task, GRAPH_TASK, gap);
}

/* Gaps from @at on are gone. */
static void cut_gaps(struct call_tree *tree, struct call_task_state *task, struct call_gaps *gaps,
		     uint32_t at, uint32_t end)
{
	if (gaps->nr > end)
		memmove(gaps->list + at, gaps->list + end, (gaps->nr - end) * sizeof(*gaps->list));
	gaps->nr -= end - at;
	task->nr_gaps -= end - at;
	tree->nr_gaps -= end - at;
}

bool call_away_since(const struct call_task_state *task, uint64_t ts)
{
	const struct call_gaps *gaps = &task->gaps[GRAPH_TASK];

	return !task->switched || (gaps->nr && gaps->max_end > ts);
}

/* Insert the row among the call's children, sorted by time. */
static void add_row(struct call_tree *tree, uint32_t number, const struct call_gap *gap)
{
	uint32_t row = call_tree_alloc(tree), behind = CALL_NONE, n = call_at(tree, number)->last;
	struct call *r = call_at(tree, row);

	*r = (struct call){ .kind = CALL_AWAY, .start = gap->start, .end = gap->end,
			    .entry = gap->away, .exit = gap->back,
			    .away_woken = gap->woken, .away_wakeup = gap->wakeup, .parent = number,
			    .stream_in = gap->stream_away, .stream_out = gap->stream_back };
	for (; n && call_at(tree, n)->start >= gap->end; n = call_at(tree, n)->before)
		behind = n;
	r->before = n;
	if (behind)
		call_at(tree, behind)->before = row;
	else
		call_at(tree, number)->last = row;
}

/* Times off the CPU in [start, end]. */
static void take_away(struct call_tree *tree, struct call_task_state *task, uint32_t number,
		      uint64_t start, uint64_t end)
{
	struct call_gaps *gaps = &task->gaps[GRAPH_TASK];
	uint32_t i = gaps->nr;

	while (i-- > 0) {
		const struct call_gap gap = gaps->list[i];

		if (gap.end <= start && !gaps->disordered)
			break;
		if (gap.start < start || gap.end > end)
			continue;
		cut_gaps(tree, task, gaps, i, i + 1);
		add_row(tree, number, &gap);
	}
}

/* --- interrupts ---------------------------------------------------------------------------- */

static void add_irq(struct call_tree *tree, struct call_task_state *task, enum graph_level level,
		    uint64_t start, uint64_t end)
{
	add_gap(tree, task, level, &(struct call_gap){ .start = start, .end = end });
}

/*
 * Of the events between two records of calls, the first and the last one prove as much as all;
 * those in an open interrupt may turn out to be no proof.
 */
static void add_proof(struct call_tree *tree, struct call_task_state *task,
		      const struct graph_record *record)
{
	struct call_gaps *gaps = &task->gaps[record->level];
	struct call_gap *last = gaps->nr > 1 ? &gaps->list[gaps->nr - 1] : NULL;

	if (last && last->start == last->end && last[-1].start == last[-1].end &&
	    last[-1].start >= task->graph_ts && last[-1].start >= task->irq_began[record->level] &&
	    record->ts >= last->start)
		cut_gaps(tree, task, gaps, gaps->nr - 1, gaps->nr);
	add_irq(tree, task, record->level, record->ts, record->ts);
}

/* A call that was entered in the interrupt has not returned: this is not the interrupt's end. */
static bool is_end(const struct call_tree *tree, const struct call_task_state *task,
		   const struct graph_record *record)
{
	uint64_t began = task->irq_began[record->level];
	uint32_t nr = task->task.nr_open;

	return record->kind == GRAPH_IRQ_END && began && began < record->ts &&
	       (nr == task->nr_slices ||
		call_at(tree, task->frames[nr - 1].call)->entry_ts <= began);
}

void call_away_irq(struct call_tree *tree, struct call_task_state *task,
		   const struct graph_record *record)
{
	struct call_gaps *gaps = &task->gaps[record->level];
	uint64_t *began = &task->irq_began[record->level];
	uint32_t at = gaps->nr;

	if (!tree->options.local_clock)
		return;
	if (is_end(tree, task, record)) {
		while (at && gaps->list[at - 1].start >= *began)
			at--;
		cut_gaps(tree, task, gaps, at, gaps->nr);
		add_irq(tree, task, record->level, *began, record->ts);
		tree->has_irqs = true;
		*began = 0;
		return;
	}
	if (record->kind != GRAPH_IRQ)
		*began = record->kind == GRAPH_IRQ_BEGIN ? record->ts : 0;
	add_proof(tree, task, record);
}

/* The gaps of one level that lie in a call: list[first] to list[end - 1], read backwards. */
struct irq_span {
	const struct call_gap *list;
	uint32_t	 first, end;
	uint32_t	 at;		/* those from here on begin too late */
};

static struct irq_span span_in(const struct call_gaps *gaps, uint64_t from, uint64_t to)
{
	struct irq_span span = { .list = gaps->list, .end = gaps->nr };

	while (span.end && gaps->list[span.end - 1].end > to)
		span.end--;
	span.first = span.end;
	while (span.first && gaps->list[span.first - 1].start >= from)
		span.first--;
	span.at = span.end;
	return span;
}

/*
 * Is a gap in one of another level?  Asked of one gap after the other, from the last one on.  If
 * two lie partly in each other, an end was taken for that of another interrupt.
 */
static bool is_in_span(const struct call_gap *gap, struct irq_span *span, bool *partly)
{
	const struct call_gap *near;

	while (span->at > span->first && span->list[span->at - 1].start > gap->start)
		span->at--;
	near = &span->list[span->at];
	*partly |= span->at < span->end && near->start < gap->end && near->end > gap->end;
	if (span->at == span->first)
		return false;
	near--;
	*partly |= near->end > gap->start && near->end < gap->end;
	return near->end > near->start && near->end >= gap->end;
}

/*
 * What lies in a gap is marked: calls, also those in calls without an exit, and times off the CPU.
 * Return: is something partly in it?
 */
static bool mark_inside(struct call_tree *tree, uint32_t number, struct irq_span span,
			enum graph_level level)
{
	uint32_t n = call_at(tree, number)->last;
	bool partly = false;

	while (n) {
		struct call *call = call_at(tree, n);

		if (call->kind == CALL_UNCLOSED && call->last) {
			n = call->last;
			continue;
		}
		if (call_is_timed(call) || call->kind == CALL_AWAY) {
			const struct call_gap *gap;

			while (span.at > span.first && span.list[span.at - 1].start >= call->end)
				span.at--;
			if (span.at == span.first)
				break;
			gap = &span.list[span.at - 1];
			if (gap->start <= call->start && call->end <= gap->end)
				call->inside = call->inside > level ? call->inside : level;
			else
				partly |= call->start < gap->end && gap->start < gap->end;
		}
		while (n != number && !call_at(tree, n)->before)
			n = call_at(tree, n)->parent;
		n = n == number ? CALL_NONE : call_at(tree, n)->before;
	}
	return partly;
}

/* A call takes the interrupts in [from, to] that no call in it has taken. */
static void take_irqs(struct call_tree *tree, struct call_task_state *task, uint32_t number,
		      uint64_t from, uint64_t to)
{
	struct irq_span spans[GRAPH_NMI + 1];
	struct call_irqs sums = { 0 };
	struct call *call = call_at(tree, number);
	bool any = false, partly = false;

	for (unsigned int level = GRAPH_SOFTIRQ; level <= GRAPH_NMI; level++) {
		struct irq_span *span = &spans[level];

		*span = span_in(&task->gaps[level], from, to);
		any |= span->end > span->first;
		if (span->first && span->list[span->first - 1].end > from) {
			call->net_unsure |= (1u << level) - 1;	/* partly in it */
			any = true;
		}
	}
	if (!any)
		return;
	for (unsigned int level = GRAPH_SOFTIRQ; level <= GRAPH_NMI; level++) {
		struct irq_span soft = spans[GRAPH_SOFTIRQ], hard = spans[GRAPH_HARDIRQ];

		for (uint32_t i = spans[level].end; i-- > spans[level].first;) {
			const struct call_gap *gap = &spans[level].list[i];
			bool in_hard = level != GRAPH_HARDIRQ && is_in_span(gap, &hard, &partly),
			     in_soft = level != GRAPH_SOFTIRQ && is_in_span(gap, &soft, &partly);

			for (unsigned int of = 0; of < level; of++) {
				if (of < GRAPH_HARDIRQ && (in_hard || (!of && in_soft)))
					continue;
				if (gap->start < gap->end)
					sums.net[of] += gap->end - gap->start;
				else
					call->net_unsure |= 1u << of;
			}
		}
		if (level < GRAPH_NMI && spans[level].first < spans[level].end &&
		    mark_inside(tree, number, spans[level], level))
			call->net_unsure |= (1u << level) - 1;
	}
	call->net_unsure |= partly;
	for (unsigned int level = GRAPH_SOFTIRQ; level <= GRAPH_NMI; level++)
		cut_gaps(tree, task, &task->gaps[level], spans[level].first, spans[level].end);
	mem_reach(&tree->irqs, &tree->nr_irqs, number);
	for (unsigned int of = 0; of < GRAPH_HARDIRQ; of++)
		tree->irqs[number].net[of] = sums.net[of] +
					     (call->has_irqs ? tree->irqs[number].net[of] : 0);
	call->has_irqs = true;
}

void call_away_settle(struct call_tree *tree, struct call_task_state *task)
{
	uint64_t to = UINT64_MAX;

	for (unsigned int i = GRAPH_SOFTIRQ; i <= GRAPH_HARDIRQ; i++)
		if (task->irq_began[i] && task->irq_began[i] < to)
			to = task->irq_began[i] - 1;
	for (uint32_t i = task->task.nr_open; i-- > 0;)
		take_irqs(tree, task, task->frames[i].call,
			  call_at(tree, task->frames[i].call)->entry_ts, to);
}

void call_away_take_some(struct call_tree *tree, struct call_task_state *task, uint32_t number)
{
	const struct call *call = call_at(tree, number);
	uint64_t start = call->start, end = call->end;

	if (call->gap_cut)
		start = call->entry_ts;
	else
		take_away(tree, task, number, start, end);
	take_irqs(tree, task, number, start, end);
}
