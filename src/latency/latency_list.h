/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_LIST_H
#define FTOP_SRC_LATENCY_LATENCY_LIST_H
/* latency_list - adds up instances, and keeps the worst of them. */
#include "src/base/duration_set.h"
#include "src/latency/latency.h"

#define LATENCY_SHORT	(1u << 16)	/* ns */

#define LATENCY_RECENT	512u

struct latency_list {			/* zero it; of one rule, or of a kind without rules */
	unsigned int	kind;		/* for its owner */
	struct latency_sums sums;	/* without percentiles and histogram */
	/*
	 * Durations: the last ones, which are in none of the sums yet; how often each of the short
	 * ones occurs; the others.  Counting many at a time waits for memory only once.
	 */
	uint64_t	recent[LATENCY_RECENT];
	uint32_t	nr_recent;
	uint32_t	*short_ones;	/* owned, [LATENCY_SHORT]; NULL: none yet */
	uint64_t	nr_short;
	struct duration_set durations;
	struct latency_instance *worst;	/* owned, [nr_worst] in any order */
	uint32_t	nr_worst, cap_worst;
	bool		left_out;	/* there were others */
	struct latency_instance least;	/* left_out: the last one that is kept */
	struct latency_instance *opens;	/* owned, [nr_opens] */
	uint32_t	nr_opens, cap_opens;
};

void latency_list_fini(struct latency_list *list);

/* Add up the recent durations. */
void latency_list_flush(struct latency_list *list);

/* For latency_list_add(): one with an end; one without. */
void latency_list_keep(struct latency_list *list, const struct latency_instance *instance,
		       uint32_t keep, const struct latency_instance *after);
void latency_list_keep_open(struct latency_list *list, const struct latency_instance *instance,
			    uint32_t keep);

/* Add to the sums only. */
static inline void latency_list_count(struct latency_list *list, uint64_t duration)
{
	if (__builtin_expect(list->nr_recent == LATENCY_RECENT, 0))
		latency_list_flush(list);
	list->recent[list->nr_recent++] = duration;
}

/* @keep: worst ones to keep; @after: only those that come after it, or NULL. */
static inline void latency_list_add(struct latency_list *list,
				    const struct latency_instance *instance, uint32_t keep,
				    const struct latency_instance *after)
{
	uint64_t duration = latency_duration(instance);
	bool doubtful = instance->flags & LATENCY_DOUBTFUL;

	if (instance->flags & LATENCY_OPEN) {
		latency_list_keep_open(list, instance, keep);
		return;
	}
	list->sums.doubtful += doubtful;
	if (__builtin_expect(!doubtful || (instance->flags & LATENCY_EXACT), 1))
		latency_list_count(list, duration);
	if (keep && (!list->left_out || duration >= latency_duration(&list->least)))
		latency_list_keep(list, instance, keep, after);
}

/* The number of instances with an end. */
uint64_t latency_list_nr(struct latency_list *list);

/* Add all of @from, which stays as it is. */
void latency_list_merge(struct latency_list *list, struct latency_list *from, uint32_t keep);

/* What is to be shown of it; the list is empty afterwards. */
void latency_list_result(struct latency_list *list, uint32_t keep, struct latency_kind *kind);
#endif
