/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * call_figures - self and net time of calls, from the leaves up.
 *
 * A walk descends to the last children first, unless its visitor asks for the order of time, and
 * needs one step per level.  Going up, each call passes to its parent what the parent loses by it:
 *
 *   self    the call's whole duration, of a slice without what the calls beside it have of it, too;
 *           for a call without times, the durations of its children
 *   net     its whole duration if its level is higher; else the net time that it lost itself;
 *           nothing if it is in an interrupt that the parent took, and loses as a whole
 *
 * A call that would lose more than it has is doubtful.
 */
#include <stdlib.h>

#include "src/calls/call_tree_private.h"
#include "src/base/memory.h"

/* The call is in an interrupt that is left out of its parent: then this call is, too. */
static __attribute__((noinline, cold)) void
add_inside(struct call_sums *sums, const struct call *call, const struct call_sums *own)
{
	for (unsigned int i = call->inside; i < 4; i++)
		sums->net[i] += call->kind == CALL_AWAY || call->level > i ? call_duration(call) :
									     own->net[i];
	if (call->kind != CALL_AWAY)
		sums->net_unsure |= own->net_unsure & ~((1u << call->inside) - 1) &
				    ~((1u << call->level) - 1);
}

static inline void add_call(struct call_sums *sums, const struct call *call,
			    const struct call_sums *own)
{
	sums->has_calls = true;
	if (!call_is_timed(call)) {
		sums->children += own->children;
		for (unsigned int i = 0; i < 4; i++)
			sums->net[i] += own->net[i];
		sums->net_unsure |= own->net_unsure;
		return;
	}
	sums->children += call_duration(call) > call->overlap ?
				  call_duration(call) - call->overlap :
				  0;
	if (__builtin_expect(call->inside, 0)) {
		add_inside(sums, call, own);
		return;
	}
	for (unsigned int i = 0; i < 4; i++)
		sums->net[i] += call->level > i ? call_duration(call) : own->net[i];
	if (__builtin_expect(own->net_unsure, 0))
		sums->net_unsure |= own->net_unsure & ~((1u << call->level) - 1);
}

/* Rows without children. */
static inline void add_row(struct call_sums *sums, const struct call *row)
{
	if (row->kind == CALL_AWAY) {
		sums->away += call_duration(row);
		add_inside(sums, row, NULL);
	} else if (row->kind == CALL_GROUP) {
		sums->has_calls = true;
		sums->children += row->end;
		for (unsigned int i = 0; i < 4; i++)
			sums->net[i] += row->group_net[i];
		sums->net_unsure |= row->net_unsure;
	}
}

/* The innermost call of a function among the first @nr open calls. */
static struct call_frame *open_frame(struct call_task_state *task, uint32_t nr, uint32_t func)
{
	for (uint32_t i = nr; i-- > 0;)
		if (task->frames[i].func == func)
			return &task->frames[i];
	return NULL;
}

static inline void push_step(struct call_tree *tree, uint32_t *nr, uint32_t number, bool in_order)
{
	struct call *call = call_at(tree, number);
	struct call_step *step;

	mem_grow(&tree->steps, *nr, &tree->cap_steps);
	step = &tree->steps[(*nr)++];
	*step = (struct call_step){ .call = number, .next = call->last };
	if (in_order)
		step->next = call_reverse(tree, call->last);
	if (call_is_timed(call))
		step->outer = tree->active[call->func]++ == 0;
	if (__builtin_expect(call->has_irqs, 0)) {
		for (unsigned int i = 0; i < GRAPH_HARDIRQ; i++)
			step->sums.net[i] = tree->irqs[number].net[i];
		step->sums.net_unsure = call->net_unsure;
	}
}

static inline struct call_figures figures_of(struct call *call, const struct call_step *step)
{
	uint64_t inside = step->sums.children + step->sums.away,
		 elsewhere = step->sums.net[call->level];
	struct call_figures figures = { 0 };

	if (!call_is_timed(call))
		return figures;
	figures.duration = call_duration(call);
	call->doubtful |= inside > figures.duration || elsewhere > figures.duration;
	figures.doubtful = call->doubtful;
	figures.self = call->self = call->doubtful ? 0 : figures.duration - inside;
	if (__builtin_expect(step->sums.net_unsure, 0))
		call->no_net = step->sums.net_unsure >> call->level & 1;
	figures.no_net = call->doubtful || call->no_net;
	figures.net = call->net = figures.no_net ? 0 : figures.duration - elsewhere;
	figures.leaf = !step->sums.has_calls && !call->lone;	/* faster ones left out */
	figures.outer = step->outer;
	return figures;
}

/* An open call may turn out to be the outermost of its function: then this one is not. */
static void check_open(struct call_task_state *task, uint32_t nr_above, const struct call *call,
		       struct call_figures *figures)
{
	struct call_frame *frame = figures->outer ? open_frame(task, nr_above, call->func) : NULL;

	if (!frame)
		return;
	figures->outer = false;
	if (!call->wanted)
		return;
	frame->late_duration += figures->duration;
	frame->late_net += figures->net;
}

/* Descend into a call, or take a row without children. */
static inline void step_down(struct call_tree *tree, const struct call_visitor *visitor,
			     uint32_t *nr, uint32_t number, struct call_sums *sums)
{
	const struct call *call = call_at(tree, number);

	if (call_is_call(call)) {
		push_step(tree, nr, number, visitor && visitor->in_order);
		if (visitor && visitor->enter)
			visitor->enter(visitor->arg, call);
		return;
	}
	add_row(sums, call);
	if (visitor)
		call_tree_release(tree, number);
}

/* The open calls above a walk, or their functions. */
static const uint32_t *list_above(struct call_tree *tree, const struct call_task_state *task,
				  uint32_t nr_above, bool functions)
{
	if (nr_above > tree->cap_above) {
		tree->above = mem_resize(tree->above, nr_above, sizeof(*tree->above));
		tree->cap_above = nr_above;
	}
	for (uint32_t i = 0; i < nr_above; i++)
		tree->above[i] = functions ? task->frames[i].func : task->frames[i].call;
	return tree->above;
}

/*
 * Walk over a call and everything below it.  With a visitor, show them and let them go.  @nr_above:
 * number of open calls above it.
 */
static void walk(struct call_tree *tree, struct call_task_state *task,
		 const struct call_visitor *visitor, uint32_t nr_above, uint32_t number,
		 struct call_sums *sums)
{
	uint32_t nr = 0;

	step_down(tree, visitor, &nr, number, sums);
	while (nr) {
		struct call_step *step = &tree->steps[nr - 1];
		struct call *call = call_at(tree, step->call);
		uint32_t child = step->next;
		struct call_figures figures;

		if (child) {
			step->next = call_at(tree, child)->before;
			step_down(tree, visitor, &nr, child, &step->sums);
			continue;
		}
		figures = figures_of(call, step);
		if (call_is_timed(call))
			tree->active[call->func]--;
		add_call(nr > 1 ? &step[-1].sums : sums, call, &step->sums);
		nr--;
		if (!visitor)
			continue;
		if (__builtin_expect(nr_above != 0, 0))
			check_open(task, nr_above, call, &figures);
		if (visitor->leave)
			visitor->leave(visitor->arg, call, &figures);
		call_tree_release(tree, (uint32_t)(call - tree->calls));
	}
}

void call_finish(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above,
		 uint32_t number, struct call_sums *sums)
{
	static const struct call_visitor release;
	const struct call_visitor *visitor = tree->options.visitor;
	struct call_sums again = { 0 };

	if (visitor->subtree) {
		walk(tree, task, NULL, nr_above, number, sums);
		visitor->subtree(visitor->arg, tree, &task->task,
				 list_above(tree, task, nr_above, false), nr_above, number);
		walk(tree, task, &release, 0, number, &again);
		return;
	}
	if (visitor->task)
		visitor->task(visitor->arg, &task->task);
	if (visitor->begin)
		visitor->begin(visitor->arg, list_above(tree, task, nr_above, true), nr_above);
	walk(tree, task, visitor, nr_above, number, sums);
}

uint32_t call_reverse(struct call_tree *tree, uint32_t number)
{
	uint32_t behind = CALL_NONE, before;

	for (; number; number = before) {
		before = call_at(tree, number)->before;
		call_at(tree, number)->before = behind;
		behind = number;
	}
	return behind;
}

void call_finish_roots(struct call_tree *tree, struct call_task_state *task)
{
	uint32_t number = call_reverse(tree, task->task.last_root), next;
	struct call_sums sums = { 0 };

	task->task.last_root = CALL_NONE;
	for (; number; number = next) {
		next = call_at(tree, number)->before;
		call_finish(tree, task, 0, number, &sums);
	}
}

void call_pass_late(struct call_tree *tree, struct call_task_state *task,
		    const struct call_frame *frame)
{
	struct call_frame *below = open_frame(task, task->task.nr_open, frame->func);
	const struct call_visitor *visitor = tree->options.visitor;

	if (below) {
		below->late_duration += frame->late_duration;
		below->late_net += frame->late_net;
		return;
	}
	if (!visitor || !visitor->late_outer)
		return;
	if (visitor->task)
		visitor->task(visitor->arg, &task->task);
	visitor->late_outer(visitor->arg, frame->func, frame->late_duration, frame->late_net);
}

void call_tree_figures(struct call_tree *tree)
{
	struct call_sums sums = { 0 };

	for (unsigned int i = 0; i < tree->nr_tasks; i++)
		for (uint32_t n = tree->tasks[i]->task.last_root; n; n = call_at(tree, n)->before)
			walk(tree, tree->tasks[i], NULL, 0, n, &sums);
}
