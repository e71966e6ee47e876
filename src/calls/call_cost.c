/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_cost.h"

#include <stdlib.h>

#include "src/base/memory.h"

#define ENOUGH	50u			/* calls with children that are needed */

/* Self time per child; 0 if it includes anything else. */
static uint64_t share_of(const struct call_tree *tree, const struct call *call)
{
	uint64_t children = 0;

	if (call->kind != CALL_CLOSED || call->doubtful || call->gap_cut)
		return 0;
	for (uint32_t n = call->last; n; n = call_tree_call(tree, n)->before) {
		const struct call *child = call_tree_call(tree, n);

		/* recording an event takes time, too; so does returning from an interrupt */
		if (child->kind != CALL_CLOSED || child->level != call->level)
			return 0;
		children++;
	}
	return children ? call->self / children : 0;
}

static int ascending(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

uint64_t call_cost_estimate(const struct call_tree *tree)
{
	uint32_t limit = call_tree_limit(tree), nr = 0;
	uint64_t *shares = mem_array(limit + 1, sizeof(*shares)), cost = 0;

	for (uint32_t n = 1; n < limit; n++) {
		shares[nr] = share_of(tree, call_tree_call(tree, n));
		nr += shares[nr] != 0;
	}
	if (nr >= ENOUGH) {
		qsort(shares, nr, sizeof(*shares), ascending);
		cost = shares[(nr + 99) / 100 - 1];
	}
	free(shares);
	return cost;
}
