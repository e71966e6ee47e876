/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_MAY_HOLD_H
#define FTOP_TESTS_LIB_MAY_HOLD_H
/* may_hold - may a page of the directory hold records of a type? */
#include "parsers/pages/page_kinds.h"

static inline bool may_hold(const struct page_kinds *kinds, const struct page_sets *sets,
			    int type_id)
{
	uint32_t kind = (unsigned int)type_id < PAGE_KINDS_MAX ?
				atomic_load(&kinds->kinds[type_id]) :
				0;

	if (!kind)
		return false;
	for (uint32_t i = 0; i < sets->nr_rare; i++)
		if (page_rare_kind(sets->rare[i]) == PAGE_KIND_DENSE(kind))
			return true;
	return sets->types & page_kinds_bits(kinds, PAGE_KIND_DENSE(kind));
}
#endif
