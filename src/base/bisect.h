/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_BISECT_H
#define FTOP_SRC_BASE_BISECT_H
/*
 * bisect - how many elements at the start of a sorted array fulfil a condition that no later
 * element fulfils:
 *
 * 	nr = bisect(t->nr, i, t->runs[i].from <= ts);
 *
 * @i is a new variable, for the condition.
 */
#define bisect(nr, i, condition)                                                                   \
	({                                                                                         \
		typeof((nr) + 0) low_ = 0, high_ = (nr);                                           \
                                                                                                   \
		while (low_ < high_) {                                                             \
			typeof(low_) i = low_ + (high_ - low_) / 2;                                \
                                                                                                   \
			if (condition)                                                             \
				low_ = i + 1;                                                      \
			else                                                                       \
				high_ = i;                                                         \
		}                                                                                  \
		low_;                                                                              \
	})
#endif
