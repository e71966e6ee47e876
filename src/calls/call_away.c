/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_away - times off the CPU: from the switch away from a task to the next switch to it.
 *
 * A time belongs to the innermost call that contains it completely. Calls get their times from the
 * inside out, so the first call that contains it takes it; the time is kept until then.
 */
#include <string.h>

#include "src/calls/call_tree_private.h"
#include "src/base/memory.h"

/* Waiting times of a task, of all tasks; one that no traced function contains waits forever. */
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
static void forget_half(struct call_tree *tree, struct call_task_state *task)
{
	uint32_t half = task->nr_gaps / 2;

	memmove(task->gaps, task->gaps + half, (task->nr_gaps - half) * sizeof(*task->gaps));
	task->nr_gaps -= half;
	tree->nr_gaps -= half;
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
	if (task->nr_gaps >= MAX_GAPS || (tree->nr_gaps >= MAX_ALL_GAPS && task->nr_gaps > 16))
		forget_half(tree, task);
	if (!task->nr_gaps)
		task->gaps_disordered = false;
	else if (gap->end < task->max_gap_end)
		task->gaps_disordered = true;
	if (!task->nr_gaps || gap->end > task->max_gap_end)
		task->max_gap_end = gap->end;
	mem_grow(&task->gaps, task->nr_gaps, &task->cap_gaps);
	task->gaps[task->nr_gaps++] = *gap;
	tree->nr_gaps++;
}

bool call_away_since(const struct call_task_state *task, uint64_t ts)
{
	return !task->switched || (task->nr_gaps && task->max_gap_end > ts);
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

void call_away_take(struct call_tree *tree, struct call_task_state *task, uint32_t number)
{
	uint64_t start = call_at(tree, number)->start, end = call_at(tree, number)->end;
	uint32_t i = task->nr_gaps;

	if (call_at(tree, number)->gap_cut)
		return;
	while (i-- > 0) {
		const struct call_gap gap = task->gaps[i];

		if (gap.end <= start && !task->gaps_disordered)
			break;
		if (gap.start < start || gap.end > end)
			continue;
		memmove(&task->gaps[i], &task->gaps[i + 1],
			(task->nr_gaps - i - 1) * sizeof(*task->gaps));
		task->nr_gaps--;
		tree->nr_gaps--;
		add_row(tree, number, &gap);
	}
}
