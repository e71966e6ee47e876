/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_PYRAMID_PRIVATE_H
#define FTOP_SRC_SCHED_PYRAMID_PRIVATE_H
/*
 * pyramid_private - how states are stored, for pyramid.c (adds and finds states) and
 * pyramid_columns.c (sums of windows).
 *
 * A chunk begins with a header byte for each of its states, with room for all of them.  After these
 * come, for each state, the time since the previous one (in the chunk) and the argument, in as few
 * bytes as possible:
 *
 *   7 6   bytes of the argument: 0, 1, 2 or 4
 *   5 4   bytes of the time: 2, 3, 4 or 8
 *   3     the state is doubtful
 *   2 1 0 kind
 *
 * The argument's lowest bit marks a continuation (again).  Because the lengths are stored
 * separately, no state has to wait for the previous one's bytes; loading too much and masking
 * avoids the branches of variable-length bytes.
 */
#include <string.h>

#include "src/sched/pyramid.h"

#define PYRAMID_CHUNK_STATES	64u
#define PYRAMID_FANOUT		4u
#define PYRAMID_KIND		0x07u
#define PYRAMID_IN_DOUBT	0x08u

static const uint8_t pyramid_time_bytes[] = { 2, 3, 4, 8 }, pyramid_arg_bytes[] = { 0, 1, 2, 4 };
/* Length of time and argument together, by the upper half of the header. */
static const uint8_t pyramid_lengths[] = { 2, 3, 4, 8, 3, 4, 5, 9, 4, 5, 6, 10, 6, 7, 8, 12 };
static const uint64_t pyramid_masks[] = {
	0, 0xff, 0xffff, 0xffffff, 0xffffffff, 0, 0, 0, UINT64_MAX
};

/* The kind that sums count a state as, by its header. */
static inline unsigned int pyramid_counted_kind(unsigned int head)
{
	return head & PYRAMID_IN_DOUBT ? PYRAMID_DOUBT : head & PYRAMID_KIND;
}

/* Majority vote (Boyer and Moore): what has more than half of the total weight is left. */
static inline void pyramid_vote(uint32_t *top, uint64_t *weight, uint32_t arg, uint64_t more)
{
	if (*top == arg || !*weight) {
		*top = arg;
		*weight += more;
	} else if (*weight >= more) {
		*weight -= more;
	} else {
		*top = arg;
		*weight = more - *weight;
	}
}

/* The lowest bytes of a number; may read eight. */
static inline uint64_t pyramid_get_bytes(const uint8_t *bytes, unsigned int nr)
{
	uint64_t v;

	memcpy(&v, bytes, sizeof(v));
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
	v = __builtin_bswap64(v);
#endif
	return v & pyramid_masks[nr];
}

static inline uint32_t pyramid_chunk_states(const struct pyramid *p, uint32_t chunk)
{
	return chunk + 1 < p->nr_chunks ? PYRAMID_CHUNK_STATES : p->in_chunk;
}

/* Totals of everything before a chunk. */
static inline struct pyramid_totals pyramid_totals_before(const struct pyramid *p, uint32_t chunk)
{
	struct pyramid_totals totals = { 0 };

	if (chunk)
		memcpy(&totals, p->bytes + p->chunks[chunk].at - sizeof(totals), sizeof(totals));
	return totals;
}

/* The last chunk, from @from on, that begins before ts (@at: at or before it); or @from. */
uint32_t pyramid_find_chunk(const struct pyramid *pyramid, uint32_t from, int64_t ts, bool at);
#endif
