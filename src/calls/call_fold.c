/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_fold - handles a task that stays in one function for the whole trace: its finished calls are
 * shown to the visitor and freed, and a group stores what the calls above need to know about them.
 *
 * The result is exact, with two exceptions: a call that adopts some of them takes the whole group
 * or nothing, and calls never move out of a group; and a call in it is not known to be in an
 * interrupt that has not ended by then.
 */
#include "src/calls/call_tree_private.h"

/* last children of an open call that are not folded, because they may still move */
#define KEEP 16u

/* Make one group of @first and all siblings before it; @behind is the next sibling. */
static void fold_children(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above,
			  uint32_t first, uint32_t behind)
{
	uint32_t parent = nr_above ? task->frames[nr_above - 1].call : CALL_NONE;
	struct call group = {
		.kind = CALL_GROUP, .parent = parent, .start = UINT64_MAX, .depth = INT32_MAX
	};
	struct call_sums sums = { 0 };
	uint32_t number, next;

	for (uint32_t n = call_reverse(tree, first); n; n = next) {
		const struct call *call = call_at(tree, n);

		next = call->before;
		if (call->start < group.start)
			group.start = call->start;
		if (call->depth < group.depth)
			group.depth = call->depth;
		if (!call_is_timed(call) && call->kind != CALL_GROUP)
			group.depth = INT32_MIN;	/* no call can become its parent */
		call_finish(tree, task, nr_above, n, &sums);
	}
	group.end = sums.children;
	for (unsigned int i = 0; i < 4; i++)
		group.group_net[i] = sums.net[i];
	group.net_unsure = sums.net_unsure & 7;
	number = call_tree_alloc(tree);
	*call_at(tree, number) = group;
	if (behind)
		call_at(tree, behind)->before = number;
	else
		*call_last(tree, task, parent) = number;
}

/* Fold finished children of the open call @nr_above (0: the roots), except the last @keep. */
static void fold_below(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above,
		       unsigned int keep)
{
	uint32_t parent = nr_above ? task->frames[nr_above - 1].call : CALL_NONE;
	uint32_t n = *call_last(tree, task, parent), behind = CALL_NONE;

	for (unsigned int i = 0; n && (i < keep || call_at(tree, n)->kind == CALL_OPEN); i++) {
		behind = n;
		n = call_at(tree, n)->before;
	}
	/* a single group needs no folding */
	if (n && (call_at(tree, n)->before || call_at(tree, n)->kind != CALL_GROUP))
		fold_children(tree, task, nr_above, n, behind);
}

static void fold_tasks(struct call_tree *tree, unsigned int keep)
{
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		struct call_task_state *task = tree->tasks[i];

		call_away_settle(tree, task);
		for (uint32_t nr_above = 0; nr_above <= task->task.nr_open; nr_above++)
			fold_below(tree, task, nr_above, keep);
	}
}

void call_fold(struct call_tree *tree)
{
	fold_tasks(tree, KEEP);
	if (tree->nr_live < tree->max_calls / 2)
		return;
	fold_tasks(tree, 0);
	if (tree->nr_live < tree->max_calls / 2)
		return;
	/* Invented depths: end everything. */
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		call_pair_end(tree, tree->tasks[i]);
		call_finish_roots(tree, tree->tasks[i]);
	}
}
