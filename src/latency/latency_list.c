/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_list.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

void latency_list_fini(struct latency_list *list)
{
	duration_set_fini(&list->durations);
	free(list->short_ones);
	free(list->worst);
	free(list->opens);
	*list = (struct latency_list){ 0 };
}

/* --- adding ----------------------------------------------------------------------------------- */

/* The oldest first. */
static int by_start(const void *a, const void *b)
{
	const struct latency_instance *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	return x->from < y->from ? -1 : x->from > y->from;
}

/* In the order of latency_kind.worst. */
static int by_order(const void *a, const void *b)
{
	const struct latency_instance *x = a, *y = b;
	int order = (latency_duration(x) < latency_duration(y)) -
		    (latency_duration(x) > latency_duration(y));

	if (!order)
		order = by_start(a, b);
	return order ? order : x->to < y->to ? -1 : x->to > y->to;
}

/* Keep the first ones of the worst. */
static void drop_least(struct latency_list *list, uint32_t keep)
{
	if (list->nr_worst <= keep)
		return;
	if (keep) {
		qsort(list->worst, list->nr_worst, sizeof(*list->worst), by_order);
		list->least = list->worst[keep - 1];
	}
	list->nr_worst = keep;
	list->left_out = true;
}

static void keep_worst(struct latency_list *list, const struct latency_instance *instance,
		       uint32_t keep, const struct latency_instance *after)
{
	if ((after && by_order(instance, after) <= 0) ||
	    (list->left_out && by_order(instance, &list->least) >= 0))
		return;
	mem_grow(&list->worst, list->nr_worst, &list->cap_worst);
	list->worst[list->nr_worst++] = *instance;
	if (list->nr_worst >= keep * 2 + 64)
		drop_least(list, keep);
}

static void keep_open(struct latency_list *list, const struct latency_instance *instance,
		      uint32_t keep)
{
	list->sums.open++;
	if (!keep)
		return;
	mem_grow(&list->opens, list->nr_opens, &list->cap_opens);
	list->opens[list->nr_opens++] = *instance;
	if (list->nr_opens < keep * 2)
		return;
	qsort(list->opens, list->nr_opens, sizeof(*list->opens), by_start);
	list->nr_opens = keep;
}

void latency_list_add(struct latency_list *list, const struct latency_instance *instance,
		      uint32_t keep, const struct latency_instance *after)
{
	bool doubtful = instance->flags & LATENCY_DOUBTFUL;

	if (instance->flags & LATENCY_OPEN) {
		keep_open(list, instance, keep);
		return;
	}
	list->sums.doubtful += doubtful;
	if (!doubtful || (instance->flags & LATENCY_EXACT))
		latency_list_count(list, latency_duration(instance));
	if (keep)
		keep_worst(list, instance, keep, after);
}

/* --- durations -------------------------------------------------------------------------------- */

static void add_to_bin(void *arg, uint64_t value, uint64_t count)
{
	((uint64_t *)arg)[value ? 64 - __builtin_clzll(value) : 0] += count;
}

static void make_histogram(struct latency_list *list, uint64_t *histogram)
{
	for (uint32_t i = 0; list->short_ones && i < LATENCY_SHORT && i <= list->sums.max; i++)
		if (list->short_ones[i])
			add_to_bin(histogram, i, list->short_ones[i]);
	duration_set_each(&list->durations, add_to_bin, histogram);
}

/* The values with these ranks, ascending. */
static void find_ranks(struct latency_list *list, uint64_t *ranks, uint64_t *values,
		       unsigned int nr)
{
	uint64_t seen = 0, nr_short = list->sums.n - list->durations.nr;
	uint32_t value = 0;
	unsigned int i;

	for (i = 0; i < nr && ranks[i] <= nr_short; i++) {
		while (seen + list->short_ones[value] < ranks[i])
			seen += list->short_ones[value++];
		values[i] = value;
	}
	for (unsigned int k = i; k < nr; k++)
		ranks[k] -= nr_short;
	duration_set_ranks(&list->durations, ranks + i, values + i, nr - i);
}

/* --- the result ------------------------------------------------------------------------------- */

static void find_percentiles(struct latency_list *list, struct latency_sums *sums)
{
	uint64_t ranks[4], values[4];

	if (!sums->n)
		return;
	ranks[0] = duration_set_rank(sums->n, 50);
	ranks[1] = duration_set_rank(sums->n, 95);
	ranks[2] = duration_set_rank(sums->n, 99);
	ranks[3] = sums->n - sums->n / 1000;
	find_ranks(list, ranks, values, 4);
	sums->average = sums->total / sums->n;
	sums->p50 = values[0];
	sums->p95 = values[1];
	sums->p99 = values[2];
	sums->p999 = values[3];
}

static struct latency_instance *copy(const struct latency_instance *list, uint32_t nr)
{
	struct latency_instance *new = mem_array(nr, sizeof(*list));

	for (uint32_t i = 0; i < nr; i++)
		new[i] = list[i];
	return new;
}

void latency_list_result(struct latency_list *list, uint32_t keep, bool done,
			 struct latency_kind *kind)
{
	uint32_t nr_opens = list->nr_opens < keep ? list->nr_opens : keep;

	drop_least(list, keep);
	if (list->nr_worst)
		qsort(list->worst, list->nr_worst, sizeof(*list->worst), by_order);
	if (list->nr_opens)
		qsort(list->opens, list->nr_opens, sizeof(*list->opens), by_start);
	*kind = (struct latency_kind){
		.sums = list->sums, .nr_worst = list->nr_worst, .nr_opens = nr_opens,
		.worst = done ? list->worst : copy(list->worst, list->nr_worst),
		.opens = done ? list->opens : copy(list->opens, nr_opens),
		.all = !list->left_out,
	};
	find_percentiles(list, &kind->sums);
	make_histogram(list, kind->sums.histogram);
	if (!done)
		return;
	list->worst = NULL;
	list->opens = NULL;
	latency_list_fini(list);
}
