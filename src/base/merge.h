/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_MERGE_H
#define FTOP_SRC_BASE_MERGE_H
/*
 * merge - finds the one of several ordered lanes that has the next item, by a loser tree over the
 * keys of the lanes' next items.  A step costs log2(lanes) comparisons.
 *
 * 	merge_init(&m, nr), merge_set() for each lane that has an item, merge_begin();
 * 	while (merge_any(&m)) {
 * 		lane = merge_first(&m);
 * 		take its item; merge_set() the next one, or merge_end();
 * 		merge_replay(&m);
 * 	}
 */
#include <stdbool.h>
#include <stdint.h>

struct merge_head {			/* key of a lane's next item */
	int64_t		key;
	uint32_t	order;		/* for equal keys; nr or more: the lane has no item, and
					 * comes last */
};

struct merge {				/* free it with merge_fini() */
	uint32_t	 nr;		/* lanes */
	struct merge_head *heads;	/* owned, [nr + 1] */
	uint32_t	*losers;	/* owned, [nr + 1]; [0] is the winner */
};

void merge_init(struct merge *merge, uint32_t nr);	/* no lane has an item */
void merge_fini(struct merge *merge);

/* Find the winner after all lanes are set.  Cost grows with the lanes. */
void merge_begin(struct merge *merge);

static inline bool merge_less(const struct merge_head *a, const struct merge_head *b)
{
	return a->key < b->key || (a->key == b->key && a->order < b->order);
}

/* Set the key of the lane's next item.  @order: below nr, different for each lane. */
static inline void merge_set(struct merge *merge, uint32_t lane, int64_t key, uint32_t order)
{
	merge->heads[lane] = (struct merge_head){ key, order };
}

static inline void merge_end(struct merge *merge, uint32_t lane)
{
	merge->heads[lane] = (struct merge_head){ INT64_MAX, merge->nr + lane };
}

/* The head of the first lane, and no other, has changed: find the winner again. */
static inline void merge_replay(struct merge *merge)
{
	uint32_t winner = merge->losers[0];
	struct merge_head head = merge->heads[winner];

	for (uint32_t node = (winner + merge->nr) / 2; node > 0; node /= 2) {
		uint32_t loser = merge->losers[node];

		if (merge_less(&merge->heads[loser], &head)) {
			merge->losers[node] = winner;
			winner = loser;
			head = merge->heads[loser];
		}
	}
	merge->losers[0] = winner;
}

/* The lane with the first item; 0 if no lane has an item. */
static inline uint32_t merge_first(const struct merge *merge)
{
	return merge->losers[0];
}

static inline bool merge_any(const struct merge *merge)
{
	return merge->heads[merge->losers[0]].order < merge->nr;
}

/* The second head, at which the first lane has to stop.  The end of time if there is none. */
static inline struct merge_head merge_second(const struct merge *merge)
{
	struct merge_head second = { INT64_MAX, UINT32_MAX };

	for (uint32_t node = (merge->losers[0] + merge->nr) / 2; node > 0; node /= 2)
		if (merge_less(&merge->heads[merge->losers[node]], &second))
			second = merge->heads[merge->losers[node]];
	return second;
}
#endif
