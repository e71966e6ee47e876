/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_TIME_MATH_H
#define FTOP_SRC_BASE_TIME_MATH_H
/*
 * time_math - sums and differences of moments.  A file may claim any stamp, so the
 * results stop at the ends of int64_t instead of wrapping around.
 */
#include <stdbool.h>
#include <stdint.h>

/* @ts plus @distance. */
static inline int64_t time_after(int64_t ts, int64_t distance)
{
	int64_t sum;

	if (__builtin_add_overflow(ts, distance, &sum))
		return distance < 0 ? INT64_MIN : INT64_MAX;
	return sum;
}

/* The distance from @from to @to; negative if @to comes first. */
static inline int64_t time_between(int64_t from, int64_t to)
{
	int64_t distance;

	if (__builtin_sub_overflow(to, from, &distance))
		return to < from ? INT64_MIN : INT64_MAX;
	return distance;
}

/* Add @v to a sum of any type of number; a sum of times stops at the ends of int64_t. */
#define SUM_ADD(sum, v)                                                                            \
	((sum) = _Generic((sum), int64_t: time_after((int64_t)(sum), (int64_t)(v)),                \
			  default: (__typeof__(sum))((sum) + (v))))

struct time_range {			/* zeroed: all of the time */
	bool		set;
	int64_t		from, to;	/* both in it; from <= to */
};

static inline bool time_range_has(const struct time_range *range, int64_t ts)
{
	return !range->set || (ts >= range->from && ts <= range->to);
}

/*
 * The part of an interval that is in the range; without one, all of it, negative if it goes back.
 */
static inline int64_t time_range_part(const struct time_range *range, int64_t from, int64_t to)
{
	if (__builtin_expect(range->set, 0)) {
		from = from < range->from ? range->from : from;
		to = to > range->to ? range->to : to;
		if (to < from)
			return 0;
	}
	return (int64_t)((uint64_t)to - (uint64_t)from);
}
#endif
