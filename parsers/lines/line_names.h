/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_NAMES_H
#define FTOP_PARSERS_LINES_LINE_NAMES_H
/* line_names - names of event types or functions, found by their text: each has a number. */
#include "parsers/lines/text_slice.h"
#include "src/base/index_map.h"

struct line_names {			/* zeroed: empty */
	struct index_map map;
	struct text_slice *names;	/* owned, [nr]; their texts are the caller's */
	unsigned int	 nr, cap;
};

/* UINT32_MAX: there is none. */
static inline unsigned int line_names_find(const struct line_names *names, struct text_slice name)
{
	index_map_each (&names->map, index_map_hash_bytes(name.s, name.len), i)
		if (slice_same(names->names[i], name))
			return i;
	return UINT32_MAX;
}

/* @name: lives as long as the table. */
static inline void line_names_add(struct line_names *names, struct text_slice name)
{
	mem_grow(&names->names, names->nr, &names->cap);
	names->names[names->nr] = name;
	index_map_add(&names->map, index_map_hash_bytes(name.s, name.len), names->nr++);
}

static inline void line_names_fini(struct line_names *names)
{
	index_map_fini(&names->map);
	free(names->names);
}
#endif
