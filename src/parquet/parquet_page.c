/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet_page - encodings: definition levels, plain numbers, places of strings in a dictionary.
 * See Encodings.md of the format.
 */
#include <endian.h>

#include "src/base/memory.h"
#include "src/parquet/parquet_private.h"

#define STATISTICS_BYTES 64u		/* longer strings are in no statistics */

/* --- numbers as bytes ----------------------------------------------------------------------- */

static void add_u32(struct text *out, uint32_t v)
{
	v = htole32(v);
	text_bytes(out, (const char *)&v, sizeof(v));
}

/* --- runs: the hybrid of RLE and bit packing ------------------------------------------------ */

/* A run of @nr equal values, each below 256. */
static void add_same(struct text *out, unsigned int value, uint32_t nr)
{
	thrift_varint(out, (uint64_t)nr << 1);
	text_char(out, (char)value);
}

/* Whole groups of eight values follow, packed. */
static void begin_packed(struct text *out, uint32_t nr)
{
	thrift_varint(out, (uint64_t)(nr + 7) / 8 << 1 | 1);
}

static void add_levels(const struct column_page *page, uint32_t rows, struct text *out)
{
	size_t start = out->len;
	uint32_t length;

	add_u32(out, 0);
	if (!page->nr || page->nr == rows) {
		add_same(out, page->nr != 0, rows);
	} else {
		begin_packed(out, rows);
		text_bytes(out, (const char *)page->levels, (rows + 7) / 8);
	}
	length = htole32((uint32_t)(out->len - start - sizeof(length)));
	memcpy(out->data + start, &length, sizeof(length));
}

/* Places in the dictionary, of as many bits as its last one has, the lowest bits first. */
static void add_places(const struct column_page *page, struct text *out)
{
	unsigned int width = 32 - (unsigned int)__builtin_clz((page->nr_entries - 1) | 1), used = 0;
	uint64_t bits = 0;
	char *to;

	text_char(out, (char)width);
	if (page->nr_entries == 1) {
		add_same(out, 0, page->nr);
		return;
	}
	begin_packed(out, page->nr);
	text_reserve(out, (size_t)(page->nr + 7) / 8 * width);
	to = out->data + out->len;
	for (uint32_t i = 0; i < page->nr || i % 8; i++) {
		bits |= (i < page->nr ? (uint64_t)page->values[i] : 0) << used;
		for (used += width; used >= 8; used -= 8, bits >>= 8)
			*to++ = (char)bits;
	}
	out->len = (size_t)(to - out->data);
}

/* --- values --------------------------------------------------------------------------------- */

static void add_numbers(struct column *c, struct text *out)
{
	const struct column_page *page = &c->ended;
	int64_t min = c->min, max = c->max;
	char *to;

	text_reserve(out, page->nr * sizeof(uint64_t));
	to = out->data + out->len;
	for (uint32_t i = 0; i < page->nr; i++) {
		int64_t value = page->values[i];
		uint64_t bytes = htole64((uint64_t)value);

		min = value < min ? value : min;
		max = value > max ? value : max;
		memcpy(to + i * sizeof(bytes), &bytes, sizeof(bytes));
	}
	out->len += page->nr * sizeof(uint64_t);
	c->min = min;
	c->max = max;
}

int page_body(struct column *c, uint32_t rows, struct text *out)
{
	struct column_page *page = &c->ended;
	int encoding = ENCODING_PLAIN;

	add_levels(page, rows, out);
	if (c->def->kind == PARQUET_INT) {
		add_numbers(c, out);
	} else if (page->nr) {
		encoding = ENCODING_RLE_DICTIONARY;
		add_places(page, out);
	}
	c->nr_nulls += rows - page->nr;
	page->nr = 0;
	memset(page->levels, 0, sizeof(page->levels));
	return encoding;
}

/* --- strings -------------------------------------------------------------------------------- */

static struct cell entry_of(const struct column *c, uint32_t i)
{
	const char *entry = c->dictionary.data + c->entries[i];
	uint32_t len;

	memcpy(&len, entry, sizeof(len));
	return cell_bytes(entry + sizeof(len), le32toh(len));
}

static bool is_entry(const struct column *c, uint32_t i, const char *s, size_t len)
{
	struct cell entry = entry_of(c, i);

	return entry.len == len && !memcmp(entry.s, s, len);
}

uint32_t column_string(struct column *c, const char *s, size_t len)
{
	uint32_t hash = index_map_hash_bytes(s, len);

	index_map_each (&c->map, hash, i)
		if (is_entry(c, i, s, len))
			return i;
	mem_grow(&c->entries, c->nr_entries, &c->cap_entries);
	c->entries[c->nr_entries] = (uint32_t)c->dictionary.len;
	add_u32(&c->dictionary, (uint32_t)len);
	text_bytes(&c->dictionary, s, len);
	index_map_add(&c->map, hash, c->nr_entries);
	return c->nr_entries++;
}

/* --- statistics ----------------------------------------------------------------------------- */

static int compare(struct cell a, struct cell b)
{
	int order = memcmp(a.s, b.s, a.len < b.len ? a.len : b.len);

	return order ? order : (a.len > b.len) - (a.len < b.len);
}

/* Strings in the order of their bytes; none of long ones. */
static void add_strings(const struct column *c, struct thrift *t)
{
	struct cell most = entry_of(c, 0), least = most;

	for (uint32_t i = 1; i < c->nr_entries; i++) {
		struct cell s = entry_of(c, i);

		most = compare(s, most) > 0 ? s : most;
		least = compare(s, least) < 0 ? s : least;
	}
	if (most.len > STATISTICS_BYTES || least.len > STATISTICS_BYTES)
		return;
	thrift_bytes(t, 5, most.s, most.len);
	thrift_bytes(t, 6, least.s, least.len);
}

void column_statistics(const struct column *c, uint32_t rows, struct thrift *t)
{
	struct thrift s = thrift_struct(t, 12);
	uint64_t min = htole64((uint64_t)c->min), max = htole64((uint64_t)c->max);

	thrift_i64(&s, 3, (int64_t)c->nr_nulls);
	if (c->nr_entries) {
		add_strings(c, &s);
	} else if (c->nr_nulls < rows) {
		thrift_bytes(&s, 5, &max, sizeof(max));
		thrift_bytes(&s, 6, &min, sizeof(min));
	}
	thrift_end(&s);
}
