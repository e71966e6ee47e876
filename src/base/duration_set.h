/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_DURATION_SET_H
#define FTOP_SRC_BASE_DURATION_SET_H
/*
 * duration_set - counts how often each duration occurred: exact percentiles of millions of values
 * in little memory, because the durations of a function are much alike.
 *
 * New values are collected in a buffer; when it is full it is sorted into a list of distinct values
 * with their counts, packed into some two bytes each.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/memory.h"

struct duration_set {			/* all zero: empty */
	uint64_t	 nr;		/* values */
	uint64_t	*buffer;	/* owned: values not yet in the list */
	uint32_t	 nr_buffer, cap_buffer;
	uint8_t		*packed;	/* owned: ascending pairs of the difference from the
					 * previous value and a count */
	uint32_t	 packed_bytes;
	uint32_t	 distinct;	/* values in packed */
	uint8_t		 bits;		/* leading bits kept of each value; 0 = all: exact */
};

void duration_set_fini(struct duration_set *set);

/* Sort the buffered values into the list; grows the buffer if the list is long. */
void duration_set_pack(struct duration_set *set);

static inline void duration_set_add(struct duration_set *set, uint64_t value)
{
	if (__builtin_expect(set->nr_buffer == set->cap_buffer, 0))
		duration_set_pack(set);
	set->buffer[set->nr_buffer++] = value;
	set->nr++;
}

/* Add all of another set to this one; the result is as exact as the coarser of the two. */
void duration_set_merge(struct duration_set *set, struct duration_set *from);

/* Keep this many leading bits of each value (2..63) from now on. */
void duration_set_coarsen(struct duration_set *set, unsigned int bits);

/*
 * The values with these ranks, ascending from 1 to nr; 0 for an empty set.  Several ascending ranks
 * take one pass.
 */
void duration_set_ranks(struct duration_set *set, const uint64_t *ranks, uint64_t *values,
			unsigned int nr);

/* The rank of percentile @percent of @nr values: ceil(percent * nr / 100). */
static inline uint64_t duration_set_rank(uint64_t nr, unsigned int percent)
{
	return nr / 100 * percent + (nr % 100 * percent + 99) / 100;
}

/* Call @each for the distinct values, ascending. */
void duration_set_each(struct duration_set *set,
		       void (*each)(void *arg, uint64_t value, uint64_t count), void *arg);

static inline uint64_t duration_set_bytes(const struct duration_set *set)
{
	return set->packed_bytes + (uint64_t)set->cap_buffer * sizeof(*set->buffer);
}
#endif
