/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_LIST_H
#define FTOP_SRC_LATENCY_LATENCY_LIST_H
/* latency_list - adds up instances, and keeps the worst of them. */
#include "src/base/duration_set.h"
#include "src/latency/latency.h"

#define LATENCY_SHORT	(1u << 14)	/* ns */

struct latency_list {			/* zero it */
	unsigned int	kind;		/* for its owner */
	/*
	 * Instances with both ends that the range, the CPUs or the tasks exclude; it stops at
	 * UINT32_MAX.  It fills the gap after kind: 8 more bytes cost 4 % of a pass.
	 */
	uint32_t	left_out;
	struct latency_sums sums;	/* without percentiles and histogram */
	uint32_t	*short_ones;	/* owned, [LATENCY_SHORT]: how often each of these durations
					 * occurs; NULL while there are few instances */
	struct duration_set durations;	/* the others; of few instances all */
	/* In any order; left_out: as many as are to be kept are sorted, and the first. */
	struct latency_kept worst, opens;
};

void latency_list_fini(struct latency_list *list);

/* Without short_ones: makes them, if there will be many instances; sets the first minimum. */
void latency_list_begin(struct latency_list *list, uint64_t duration);

/* Add to the sums only. */
static inline void latency_list_count(struct latency_list *list, uint64_t duration)
{
	struct latency_sums *sums = &list->sums;

	if (__builtin_expect(!list->short_ones, 0))
		latency_list_begin(list, duration);
	sums->n++;
	sums->total += duration;
	sums->min = duration < sums->min ? duration : sums->min;
	sums->max = duration > sums->max ? duration : sums->max;
	if (duration < LATENCY_SHORT && list->short_ones)
		list->short_ones[duration]++;
	else
		duration_set_add(&list->durations, duration);
}

/* @keep: worst ones to keep; @after: only those that come after it, or NULL. */
void latency_list_add(struct latency_list *list, const struct latency_instance *instance,
		      uint32_t keep, const struct latency_instance *after);

/* What is to be shown of it; @done: the list is empty afterwards. */
void latency_list_result(struct latency_list *list, uint32_t keep, bool done,
			 struct latency_kind *kind);
#endif
