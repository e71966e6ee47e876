/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/base/merge.h"

#include <stdlib.h>

#include "src/base/memory.h"

void merge_init(struct merge *merge, uint32_t nr)
{
	merge->nr = nr;
	merge->heads = mem_array((size_t)nr + 1, sizeof(*merge->heads));
	merge->losers = mem_array((size_t)nr + 1, sizeof(*merge->losers));
	for (uint32_t i = 0; i <= nr; i++)
		merge_end(merge, i);
}

void merge_fini(struct merge *merge)
{
	free(merge->heads);
	free(merge->losers);
	*merge = (struct merge){ 0 };
}

/* Play all matches below a node; the winner is returned.  Leaves are the nodes nr … 2 nr - 1. */
static uint32_t play(struct merge *merge, uint32_t node)
{
	uint32_t a, b;

	if (node >= merge->nr)
		return node - merge->nr;
	a = play(merge, 2 * node);
	b = play(merge, 2 * node + 1);
	if (merge_less(&merge->heads[a], &merge->heads[b])) {
		merge->losers[node] = b;
		return a;
	}
	merge->losers[node] = a;
	return b;
}

void merge_begin(struct merge *merge)
{
	if (merge->nr)
		merge->losers[0] = play(merge, 1);
}
