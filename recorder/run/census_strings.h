/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_CENSUS_STRINGS_H
#define FTOP_RECORDER_RUN_CENSUS_STRINGS_H
/*
 * census_strings - the strings of a census, each once; lines name them by number.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/base/text.h"

struct census_strings {			/* zeroed, but for most_bytes: empty */
	struct text	bytes;		/* one after the other */
	struct census_piece {
		size_t	 at;
		uint32_t len;
	}		*pieces;	/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map;
	size_t		most_bytes;
	bool		is_full;	/* a string had no room */
};

/* The number of a string of any bytes, from 1; 0: it is empty, or there is no room. */
uint32_t census_string(struct census_strings *strings, const char *s, size_t len);

/* The bytes of a string.  Valid until the next census_string(). */
const char *census_string_at(const struct census_strings *strings, uint32_t number, size_t *len);

/* Append them as "string LEN" lines, behind the first @told. */
void census_strings_text(const struct census_strings *strings, uint32_t told, struct text *out);
void census_strings_fini(struct census_strings *strings);
#endif
