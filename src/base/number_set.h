/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_NUMBER_SET_H
#define FTOP_SRC_BASE_NUMBER_SET_H
/* number_set - different numbers, in the order in which they were added. */
#include <stdbool.h>
#include "src/base/index_map.h"

struct number_set {			/* zeroed: empty; free it with number_set_fini() */
	uint64_t	*numbers;	/* owned, [nr] */
	uint32_t	 nr, cap;
	struct index_map map;
};

/* Return: its index.  *is_new: it was not there. */
static inline uint32_t number_set_add(struct number_set *set, uint64_t number, bool *is_new)
{
	uint32_t hash = index_map_hash(number);

	*is_new = false;
	index_map_each (&set->map, hash, i)
		if (set->numbers[i] == number)
			return i;
	*is_new = true;
	mem_grow(&set->numbers, set->nr, &set->cap);
	index_map_add(&set->map, hash, set->nr);
	set->numbers[set->nr] = number;
	return set->nr++;
}

static inline bool number_set_has(const struct number_set *set, uint64_t number)
{
	index_map_each (&set->map, index_map_hash(number), i)
		if (set->numbers[i] == number)
			return true;
	return false;
}

static inline void number_set_fini(struct number_set *set)
{
	free(set->numbers);
	index_map_fini(&set->map);
}
#endif
