/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet_page - encodings: definition levels, plain numbers, places of strings in a dictionary.
 * See Encodings.md of the format.
 */
#include <endian.h>

#include "src/base/memory.h"
#include "src/parquet/parquet_private.h"

#define STATISTICS_BYTES 64u		/* of a string */

/* --- numbers as bytes ----------------------------------------------------------------------- */

static void add_u32(struct text *out, uint32_t v)
{
	v = htole32(v);
	text_bytes(out, (const char *)&v, sizeof(v));
}

static void add_u64(struct text *out, uint64_t v)
{
	v = htole64(v);
	text_bytes(out, (const char *)&v, sizeof(v));
}

/* A group of eight values of @width bits, 1 to 32, the lowest bits first. */
static void pack(struct text *out, const int64_t *values, unsigned int width)
{
	uint64_t bits = 0;
	unsigned int used = 0;

	for (unsigned int i = 0; i < 8; i++) {
		bits |= (uint64_t)values[i] << used;
		for (used += width; used >= 8; used -= 8, bits >>= 8)
			text_char(out, (char)bits);
	}
}

/* --- definition levels ---------------------------------------------------------------------- */

/* Runs of the hybrid of RLE and bit packing: equal ones, or groups of eight. */
static void add_levels(const struct column *c, uint32_t rows, struct text *out)
{
	size_t start = out->len;
	uint32_t length, groups = (rows + 7) / 8;

	add_u32(out, 0);
	if (!c->nr || c->nr == rows) {
		thrift_varint(out, (uint64_t)rows << 1);
		text_char(out, c->nr != 0);
	} else {
		thrift_varint(out, (uint64_t)groups << 1 | 1);
		for (uint32_t i = 0; i < groups; i++) {
			unsigned int bits = 0;

			for (unsigned int k = 0; k < 8 && i * 8 + k < rows; k++)
				bits |= (unsigned int)c->set[i * 8 + k] << k;
			text_char(out, (char)bits);
		}
	}
	length = htole32((uint32_t)(out->len - start - 4));
	memcpy(out->data + start, &length, sizeof(length));
}

/* --- values --------------------------------------------------------------------------------- */

static void add_numbers(struct column *c, struct text *out)
{
	for (uint32_t i = 0; i < c->nr; i++) {
		c->min = c->values[i] < c->min ? c->values[i] : c->min;
		c->max = c->values[i] > c->max ? c->values[i] : c->max;
		add_u64(out, (uint64_t)c->values[i]);
	}
}

/* RLE_DICTIONARY: a run of the only entry, or one that is packed. */
static void add_places(struct column *c, struct text *out)
{
	unsigned int width = c->nr_entries > 1 ?
				     32 - (unsigned int)__builtin_clz(c->nr_entries - 1) :
				     0;
	uint32_t groups = (c->nr + 7) / 8;

	if (!width) {
		text_char(out, 1);
		thrift_varint(out, (uint64_t)c->nr << 1);
		text_char(out, 0);
		return;
	}
	for (uint32_t i = c->nr; i < groups * 8; i++)
		c->values[i] = 0;	/* PAGE_ROWS is a multiple of 8 */
	text_char(out, (char)width);
	thrift_varint(out, (uint64_t)groups << 1 | 1);
	for (uint32_t i = 0; i < groups; i++)
		pack(out, c->values + i * 8, width);
}

int page_body(struct column *c, uint32_t rows, struct text *out)
{
	int encoding = ENCODING_PLAIN;

	add_levels(c, rows, out);
	if (c->def->kind == PARQUET_INT) {
		add_numbers(c, out);
	} else if (c->nr) {
		encoding = ENCODING_RLE_DICTIONARY;
		add_places(c, out);
	}
	c->nr_nulls += rows - c->nr;
	c->nr = 0;
	if (c->set)
		memset(c->set, 0, rows);
	return encoding;
}

/* --- strings -------------------------------------------------------------------------------- */

static int compare(const struct text *a, const char *s, size_t len)
{
	int order = memcmp(text_str(a), s, a->len < len ? a->len : len);

	return order ? order : (a->len > len) - (a->len < len);
}

static void see_string(struct column *c, const char *s, size_t len)
{
	if (len > STATISTICS_BYTES)
		c->is_long = true;
	if (c->is_long)
		return;
	if (!c->has_strings || compare(&c->least, s, len) > 0) {
		text_clear(&c->least);
		text_bytes(&c->least, s, len);
	}
	if (!c->has_strings || compare(&c->most, s, len) < 0) {
		text_clear(&c->most);
		text_bytes(&c->most, s, len);
	}
	c->has_strings = true;
}

static bool is_entry(const struct column *c, uint32_t i, const char *s, size_t len)
{
	const char *entry = c->dictionary.data + c->entries[i];
	uint32_t had;

	memcpy(&had, entry, sizeof(had));
	return le32toh(had) == len && !memcmp(entry + sizeof(had), s, len);
}

/* The string's place in the dictionary, added if need be. */
static uint32_t place_of(struct column *c, const char *s, size_t len)
{
	uint32_t hash = index_map_hash_bytes(s, len);

	index_map_each (&c->map, hash, i)
		if (is_entry(c, i, s, len))
			return i;
	see_string(c, s, len);
	mem_grow(&c->entries, c->nr_entries, &c->cap_entries);
	c->entries[c->nr_entries] = (uint32_t)c->dictionary.len;
	add_u32(&c->dictionary, (uint32_t)len);
	text_bytes(&c->dictionary, s, len);
	index_map_add(&c->map, hash, c->nr_entries);
	return c->nr_entries++;
}

void column_string(struct column *c, const char *s, size_t len)
{
	uint32_t *recent = &c->recent[(uintptr_t)s / 8 % RECENT];

	if (*recent >= c->nr_entries || !is_entry(c, *recent, s, len))
		*recent = place_of(c, s, len);
	c->values[c->nr++] = *recent;
}
