/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TIME_SLICES_H
#define FTOP_SRC_SCHED_TIME_SLICES_H
/*
 * time_slices - the earlier slices of time for which a pass keeps separate sums.  Those of several
 * slices make a window.  The list does not have the present slice: that is the range of the pass.
 *
 * A record counts in the slice of its time stamp, a stay in the slice where it began.  Times are
 * divided among the slices that they overlap.
 */
#include "src/base/time_math.h"

struct time_slices {			/* zeroed: none */
	struct time_range *list;	/* owned, [nr]: each ends where the next one begins */
	uint32_t	 nr, cap;
};

/* Index of the first slice that ends after @ts; nr: none does.  @slices: NULL: there are none. */
static inline uint32_t time_slices_after(const struct time_slices *slices, int64_t ts)
{
	uint32_t nr = slices ? slices->nr : 0;

	while (nr && slices->list[nr - 1].to > ts)
		nr--;
	return nr;
}

/* Index of the slice that has @ts, which is not in the present one; nr: none has it. */
static inline uint32_t time_slices_at(const struct time_slices *slices, int64_t ts)
{
	uint32_t nr = slices ? slices->nr : 0, at = time_slices_after(slices, ts);

	return at < nr && ts >= slices->list[at].from ? at : nr;
}
#endif
