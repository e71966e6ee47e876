/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_fold - what becomes of a task that stays in a function for the whole trace:
 * its finished calls are shown to the visitor and let go, and a group keeps of them
 * what the calls above need to know.
 *
 * Exact, but for one thing: a call that is to adopt some of them takes all of the
 * group or nothing, and what is in a group never moves out of it.
 */
#include "src/calls/call_tree_private.h"

#define KEEP	16u			/* last children of an open call that are not folded: what may still move */

/* One group of @first and all before it, of which @behind is the next one. */
static void fold_children(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above, uint32_t first,
			  uint32_t behind)
{
	uint32_t parent = nr_above ? task->frames[nr_above - 1].call : CALL_NONE;
	struct call group = { .kind = CALL_GROUP, .parent = parent, .start = UINT64_MAX, .depth = INT32_MAX };
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
			group.depth = INT32_MIN;	/* adopted by nobody */
		call_finish(tree, task, nr_above, n, &sums);
	}
	group.end = sums.children;
	for (unsigned int i = 0; i < 4; i++)
		group.group_net[i] = sums.net[i];
	number = call_tree_alloc(tree);
	*call_at(tree, number) = group;
	if (behind)
		call_at(tree, behind)->before = number;
	else
		*call_last(tree, task, parent) = number;
}

/* The finished children of the open call number @nr_above (0: the roots), but the last @keep. */
static void fold_below(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above, unsigned int keep)
{
	uint32_t parent = nr_above ? task->frames[nr_above - 1].call : CALL_NONE;
	uint32_t n = *call_last(tree, task, parent), behind = CALL_NONE;

	for (unsigned int i = 0; n && (i < keep || call_at(tree, n)->kind == CALL_OPEN); i++) {
		behind = n;
		n = call_at(tree, n)->before;
	}
	/* A group alone is one already. */
	if (n && (call_at(tree, n)->before || call_at(tree, n)->kind != CALL_GROUP))
		fold_children(tree, task, nr_above, n, behind);
}

static void fold_tasks(struct call_tree *tree, unsigned int keep)
{
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		struct call_task_state *task = tree->tasks[i];

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
	/* Made-up depths: end it all. */
	for (unsigned int i = 0; i < tree->nr_tasks; i++) {
		call_pair_end(tree, tree->tasks[i]);
		call_finish_roots(tree, tree->tasks[i]);
	}
}
