/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/census_strings.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

const char *census_string_at(const struct census_strings *strings, uint32_t number, size_t *len)
{
	const struct census_piece *piece = &strings->pieces[number - 1];

	*len = piece->len;
	return text_str(&strings->bytes) + piece->at;
}

uint32_t census_string(struct census_strings *strings, const char *s, size_t len)
{
	uint32_t hash = index_map_hash_bytes(s, len);

	index_map_each (&strings->map, hash, i) {
		size_t n;
		const char *at = census_string_at(strings, i + 1, &n);

		if (n == len && !memcmp(at, s, len))
			return i + 1;
	}
	if (!len)
		return 0;
	if (len > strings->most_bytes - strings->bytes.len) {
		strings->is_full = true;
		return 0;
	}
	mem_grow(&strings->pieces, strings->nr, &strings->cap);
	index_map_add(&strings->map, hash, strings->nr);
	strings->pieces[strings->nr++] =
		(struct census_piece){ .at = strings->bytes.len, .len = (uint32_t)len };
	text_bytes(&strings->bytes, s, len);
	return strings->nr;
}

void census_strings_text(const struct census_strings *strings, uint32_t told, struct text *out)
{
	for (uint32_t i = told + 1; i <= strings->nr; i++) {
		size_t len;
		const char *s = census_string_at(strings, i, &len);

		text_printf(out, "string %zu\n", len);
		text_bytes(out, s, len);
		text_char(out, '\n');
	}
}

void census_strings_fini(struct census_strings *strings)
{
	text_fini(&strings->bytes);
	free(strings->pieces);
	index_map_fini(&strings->map);
}
