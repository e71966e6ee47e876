/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TIME_SLICES_H
#define FTOP_SRC_SCHED_TIME_SLICES_H
/*
 * time_slices - the slices of time of which a pass keeps the sums apart, so that those of several
 * windows can be put together.  The present slice is the range of the pass; these came before it.
 *
 * A record counts in the slice of its stamp, a stay in the slice where it began.  A time is divided
 * among the slices that it overlaps.
 */
#include "src/base/time_math.h"

struct time_slices {			/* zeroed: none */
	struct time_range *list;	/* owned, [nr]: each ends where the next one begins */
	uint32_t	 nr, cap;
};

/* The first one that ends after a moment; @slices: NULL: none. */
static inline uint32_t time_slices_after(const struct time_slices *slices, int64_t ts)
{
	uint32_t nr = slices ? slices->nr : 0;

	while (nr && slices->list[nr - 1].to > ts)
		nr--;
	return nr;
}

/* The one with a moment that is not in the present slice; nr: none. */
static inline uint32_t time_slices_at(const struct time_slices *slices, int64_t ts)
{
	uint32_t nr = slices ? slices->nr : 0, at = time_slices_after(slices, ts);

	return at < nr && ts >= slices->list[at].from ? at : nr;
}
#endif
