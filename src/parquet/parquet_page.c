/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * parquet_page - encodings: definition levels, differences of numbers, plain numbers, places of
 * strings in a dictionary.  See Encodings.md of the format.
 */
#include <endian.h>

#include "src/base/memory.h"
#include "src/parquet/parquet_private.h"

#define BLOCK		128u		/* differences in a block: one miniblock */
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
		for (uint32_t i = 0; i < rows; i += 8)
			text_char(out, (char)~page->nulls[i / 8]);
		if (rows % 8)
			out->data[out->len - 1] &= (char)((1u << rows % 8) - 1);
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

/* --- differences of numbers: DELTA_BINARY_PACKED -------------------------------------------- */

/* A block of numbers of @width bits each, the lowest bits first. */
static void pack(const uint64_t *numbers, unsigned int width, struct text *out)
{
	unsigned int used = 0;
	uint64_t bits = 0;
	char *to;

	text_reserve(out, BLOCK / 8 * width);
	to = out->data + out->len;
	for (uint32_t i = 0; width && i < BLOCK; i++) {
		bits |= numbers[i] << used;
		used += width;
		if (used >= 64) {
			bits = htole64(bits);
			memcpy(to, &bits, sizeof(bits));
			to += sizeof(bits);
			used -= 64;
			bits = used ? numbers[i] >> (width - used) : 0;
		}
	}
	out->len += BLOCK / 8 * width;
}

/* The least of @nr differences, then what each has above it. */
static void add_block(const int64_t *values, uint32_t nr, struct text *out)
{
	uint64_t above[BLOCK] = { 0 }, all = 0;
	int64_t least = INT64_MAX;
	unsigned int width;

	for (uint32_t i = 0; i < nr; i++) {
		above[i] = (uint64_t)values[i + 1] - (uint64_t)values[i];
		least = (int64_t)above[i] < least ? (int64_t)above[i] : least;
	}
	for (uint32_t i = 0; i < nr; i++)
		all |= above[i] -= (uint64_t)least;
	width = all ? 64 - (unsigned int)__builtin_clzll(all) : 0;
	thrift_zigzag(out, least);
	text_char(out, (char)width);
	pack(above, width, out);
}

static void add_differences(const struct column_page *page, struct text *out)
{
	thrift_varint(out, BLOCK);
	thrift_varint(out, 1);		/* miniblock in a block */
	thrift_varint(out, page->nr);
	thrift_zigzag(out, page->values[0]);
	for (uint32_t i = 0; i + 1 < page->nr; i += BLOCK)
		add_block(page->values + i, page->nr - 1 - i < BLOCK ? page->nr - 1 - i : BLOCK,
			  out);
}

/* --- values --------------------------------------------------------------------------------- */

static void add_plain(const struct column_page *page, struct text *out)
{
	char *to;

	text_reserve(out, page->nr * sizeof(uint64_t));
	to = out->data + out->len;
	for (uint32_t i = 0; i < page->nr; i++) {
		uint64_t bytes = htole64((uint64_t)page->values[i]);

		memcpy(to + i * sizeof(bytes), &bytes, sizeof(bytes));
	}
	out->len += page->nr * sizeof(uint64_t);
}

static void see_numbers(struct column *c)
{
	const struct column_page *page = &c->ended;
	int64_t min = c->min, max = c->max;

	for (uint32_t i = 0; i < page->nr; i++) {
		min = page->values[i] < min ? page->values[i] : min;
		max = page->values[i] > max ? page->values[i] : max;
	}
	c->min = min;
	c->max = max;
}

static int add_values(struct column *c, struct text *out)
{
	const struct column_page *page = &c->ended;

	if (c->def->kind == PARQUET_STRING) {
		add_places(page, out);
		return ENCODING_RLE_DICTIONARY;
	}
	see_numbers(c);
	if (c->def->kind == PARQUET_PLAIN) {
		add_plain(page, out);
		return ENCODING_PLAIN;
	}
	add_differences(page, out);
	return ENCODING_DELTA_BINARY_PACKED;
}

int page_body(struct column *c, uint32_t rows, struct text *out)
{
	struct column_page *page = &c->ended;
	int encoding = ENCODING_PLAIN;

	add_levels(page, rows, out);
	if (page->nr)
		encoding = add_values(c, out);
	c->nr_nulls += rows - page->nr;
	page->nr = 0;
	memset(page->nulls, 0, sizeof(page->nulls));
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
