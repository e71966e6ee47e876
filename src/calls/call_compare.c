/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_compare.h"

#include <stdlib.h>

#include "src/base/memory.h"

struct call_parts {
	struct call_part *list;
	unsigned int	 nr, cap;
};

static struct call_part *part_of(struct call_parts *parts, enum call_part_kind kind, uint64_t func)
{
	struct call_part *part;

	for (unsigned int i = 0; i < parts->nr; i++)
		if (parts->list[i].kind == kind && parts->list[i].func == func)
			return &parts->list[i];
	mem_grow(&parts->list, parts->nr, &parts->cap);
	part = &parts->list[parts->nr++];
	*part = (struct call_part){ .kind = kind, .func = func };
	return part;
}

static void add_child(struct call_parts *parts, unsigned int side, const struct call_tree *tree,
		      uint32_t number)
{
	const struct call *child = call_tree_call(tree, number);
	struct call_part *part;

	if (child->kind == CALL_AWAY)
		part = part_of(parts, CALL_PART_AWAY, 0);
	else if (call_is_call(child))
		part = part_of(parts, CALL_PART_CALLS, call_tree_function(tree, child->func));
	else
		return;
	part->nr[side]++;
	if (call_is_call(child) && !call_is_timed(child))
		return;
	part->ns[side] += call_duration(child);
	if (call_is_call(child) &&
	    (!part->longest[side] ||
	     call_duration(child) > call_duration(call_tree_call(tree, part->longest[side]))))
		part->longest[side] = number;
}

/* Add its children; a child without an exit is replaced by its own children. */
static void add_call(struct call_parts *parts, unsigned int side, const struct call_of_tree *of)
{
	uint32_t *waiting = NULL;
	unsigned int nr = 0, cap = 0;

	const struct call *whole = call_tree_call(of->tree, of->number);

	part_of(parts, CALL_PART_SELF, 0)->ns[side] = whole->self;
	part_of(parts, CALL_PART_SELF, 0)->unknown[side] = whole->doubtful;
	mem_grow(&waiting, nr, &cap);
	waiting[nr++] = of->number;
	while (nr) {
		const struct call *call = call_tree_call(of->tree, waiting[--nr]);

		for (uint32_t n = call->last; n; n = call_tree_call(of->tree, n)->before) {
			const struct call *child = call_tree_call(of->tree, n);

			add_child(parts, side, of->tree, n);
			if (!call_is_call(child) || call_is_timed(child))
				continue;
			mem_grow(&waiting, nr, &cap);
			waiting[nr++] = n;
		}
	}
	free(waiting);
}

static uint64_t difference(const struct call_part *part)
{
	if (part->unknown[0] || part->unknown[1])
		return 0;
	return part->ns[0] > part->ns[1] ? part->ns[0] - part->ns[1] : part->ns[1] - part->ns[0];
}

static int most_first(const void *a, const void *b)
{
	const struct call_part *x = a, *y = b;

	if (difference(x) != difference(y))
		return difference(x) > difference(y) ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->func < y->func ? -1 : x->func > y->func;
}

unsigned int call_compare(const struct call_of_tree calls[2], struct call_part **list)
{
	struct call_parts parts = { 0 };

	for (unsigned int side = 0; side < 2; side++)
		add_call(&parts, side, &calls[side]);
	if (parts.nr)
		qsort(parts.list, parts.nr, sizeof(*parts.list), most_first);
	*list = parts.list;
	return parts.nr;
}
