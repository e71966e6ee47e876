/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/latency/latency_list.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define FEW	256u	/* instances: lists of small groups have no room for each short duration */

void latency_list_fini(struct latency_list *list)
{
	duration_set_fini(&list->durations);
	free(list->short_ones);
	free(list->worst.list);
	free(list->opens.list);
	*list = (struct latency_list){ 0 };
}

/* --- adding ----------------------------------------------------------------------------------- */

/* In the order of struct latency_kind. */
static int by_order(const void *a, const void *b)
{
	const struct latency_instance *x = a, *y = b;
	bool is_open = x->flags & LATENCY_OPEN;
	uint64_t x_duration = is_open ? 0 : latency_duration(x),
		 y_duration = is_open ? 0 : latency_duration(y);

	if (x_duration != y_duration)
		return x_duration > y_duration ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->cpu != y->cpu)
		return x->cpu < y->cpu ? -1 : 1;
	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

static void drop_last(struct latency_kept *kept, uint32_t keep)
{
	if (kept->nr)
		qsort(kept->list, kept->nr, sizeof(*kept->list), by_order);
	if (kept->nr <= keep)
		return;
	kept->nr = keep;
	kept->left_out = true;
}

static void keep_instance(struct latency_kept *kept, const struct latency_instance *instance,
			  uint32_t keep)
{
	if (!keep || (kept->left_out && by_order(instance, &kept->list[keep - 1]) >= 0))
		return;
	mem_grow(&kept->list, kept->nr, &kept->cap);
	kept->list[kept->nr++] = *instance;
	if (kept->nr >= keep * 2 + 64)
		drop_last(kept, keep);
}

static void move_duration(void *arg, uint64_t value, uint64_t count)
{
	struct latency_list *list = arg;

	if (value < LATENCY_SHORT)
		list->short_ones[value] = (uint32_t)count;
	else
		for (uint64_t i = 0; i < count; i++)
			duration_set_add(&list->durations, value);
}

void latency_list_begin(struct latency_list *list, uint64_t duration)
{
	struct duration_set few = list->durations;

	if (!list->sums.n)
		list->sums.min = duration;
	if (list->sums.n < FEW)
		return;
	list->short_ones = mem_array(LATENCY_SHORT, sizeof(*list->short_ones));
	list->durations = (struct duration_set){ .bits = few.bits };
	duration_set_each(&few, move_duration, list);
	duration_set_fini(&few);
}

void latency_list_add(struct latency_list *list, const struct latency_instance *instance,
		      uint32_t keep, const struct latency_instance *after)
{
	if (__builtin_expect(instance->flags & LATENCY_SHARED, 0)) {
		bool counts = latency_counts(instance);

		list->sums.unsettled |= !counts;
		list->sums.shared += counts && !(instance->flags & LATENCY_OPEN);
	}
	if (instance->flags & LATENCY_OPEN) {
		list->sums.open++;
		keep_instance(&list->opens, instance, keep);
		return;
	}
	list->sums.doubtful += !!(instance->flags & LATENCY_DOUBTFUL);
	list->sums.early += !!(instance->flags & LATENCY_EARLY);
	if (latency_counts(instance))
		latency_list_count(list, latency_duration(instance));
	if (!after || by_order(instance, after) > 0)
		keep_instance(&list->worst, instance, keep);
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

/* The list keeps a copy unless it is done. */
static struct latency_kept result_of(struct latency_kept *kept, uint32_t keep, bool done)
{
	struct latency_kept result;

	drop_last(kept, keep);
	result = *kept;
	if (done) {	/* --sort needs the room of what was dropped */
		result.list = mem_resize(result.list, result.nr, sizeof(*result.list));
		*kept = (struct latency_kept){ 0 };
		return result;
	}
	kept->list = mem_array(kept->cap, sizeof(*kept->list));
	for (uint32_t i = 0; i < kept->nr; i++)
		kept->list[i] = result.list[i];
	return result;
}

void latency_list_result(struct latency_list *list, uint32_t keep, bool done,
			 struct latency_kind *kind)
{
	*kind = (struct latency_kind){
		.sums = list->sums,
		.worst = result_of(&list->worst, keep, done),
		.opens = result_of(&list->opens, keep, done),
	};
	kind->sums.unsettled &= !!list->sums.shared;
	find_percentiles(list, &kind->sums);
	make_histogram(list, kind->sums.histogram);
	if (done)
		latency_list_fini(list);
}
