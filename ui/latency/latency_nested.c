/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * latency_nested - a slow call is in the list once, as the outermost: calls in it that took more
 * than half of its time are not listed, but counted.
 */
#include <stdlib.h>

#include "src/base/memory.h"
#include "ui/latency/view_latency.h"

#define FOLDED	UINT32_MAX		/* in view.inside: it is in another one */

/* What a task ran, one in the other: by task, then the outer before the inner one. */
static int by_nesting(const void *a, const void *b, void *list)
{
	const struct latency_instance *x = (struct latency_instance *)list + *(const uint32_t *)a,
				      *y = (struct latency_instance *)list + *(const uint32_t *)b;

	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	if (!x->pid && x->cpu != y->cpu)	/* idle tasks */
		return x->cpu < y->cpu ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->end != y->end)
		return x->end > y->end ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

static bool holds(const struct latency_instance *outer, const struct latency_instance *inner)
{
	return outer->pid == inner->pid && (outer->pid || outer->cpu == inner->cpu) &&
	       outer->start <= inner->start && outer->end >= inner->end;
}

struct nested_call {
	uint32_t	 row;
	uint32_t	 listed;	/* the row that stands for it: its own or an outer call's */
};

/* @order: the rows in the order of nesting; @open: room for as many. */
static void fold(const struct latency_instance *list, const uint32_t *order, uint32_t nr,
		 struct nested_call *open, uint32_t *inside)
{
	uint32_t depth = 0;

	for (uint32_t i = 0; i < nr; i++) {
		uint32_t row = order[i], outer;

		while (depth && !holds(&list[open[depth - 1].row], &list[row]))
			depth--;
		outer = depth ? open[depth - 1].listed : row;
		if (outer != row &&
		    latency_duration(&list[row]) > latency_duration(&list[outer]) / 2) {
			inside[row] = FOLDED;
			inside[outer]++;
		} else {
			outer = row;
		}
		open[depth++] = (struct nested_call){ row, outer };
	}
}

void latency_find_nested(struct view *v)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	uint32_t nr = kind ? kind->worst.nr : 0, *order;
	struct nested_call *open;

	free(v->inside);
	v->inside = NULL;
	if (v->kind != LATENCY_CALL || v->by != LATENCY_INSTANCES || latency_in_group(v) || !nr)
		return;
	v->inside = mem_array(nr, sizeof(*v->inside));
	order = mem_array(nr, sizeof(*order));
	open = mem_array(nr, sizeof(*open));
	for (uint32_t i = 0; i < nr; i++)
		order[i] = i;
	qsort_r(order, nr, sizeof(*order), by_nesting, kind->worst.list);
	fold(kind->worst.list, order, nr, open, v->inside);
	free(order);
	free(open);
}

bool latency_is_folded(const struct view *v, uint32_t row)
{
	return v->inside && v->inside[row] == FOLDED;
}

uint32_t latency_nr_inside(const struct view *v, uint32_t row)
{
	return v->inside && v->inside[row] != FOLDED ? v->inside[row] : 0;
}
