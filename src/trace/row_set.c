/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 *   stream   an array of blocks
 *   block    PAGES sub-buffers: a bit for each that has rows, followed by the rows of each of
 *            these:
 *
 *     first    a number: number of the first byte of bits stored; earlier bytes are 0
 *     nr       a number: how many bytes follow; further ones are 0
 *     bits     one bit per item
 *
 * Numbers have 7 bits per byte; the highest bit is set if more bytes follow.
 */
#include "src/trace/row_set.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

#define PAGES		32u		/* of a block */
#define LOG_ROWS	(32u << 10)
#define HEAD_BYTES	6u		/* per page, at most */

struct block {
	uint32_t	 pages;		/* bit set of the pages that have rows */
	uint32_t	 nr_bytes;
	uint8_t		*bytes;		/* owned */
};

struct row_set {
	unsigned int	 nr_streams;
	struct rows_of {
		struct block	*blocks;	/* owned, [nr] */
		uint64_t	 nr;
		uint64_t	 forgotten;	/* number of blocks freed by row_set_forget() */
	}		*streams;	/* owned; followed by an empty one */
	uint64_t	 bytes;
	/* While rows are added: */
	trace_ref	*log;		/* owned, [LOG_ROWS] */
	unsigned int	 nr_log;
	uint8_t		*bits;		/* owned, [cap_bits]: bits of a page; 0 between calls */
	uint32_t	 cap_bits;
	uint8_t		*out;		/* owned, [cap_out]: bytes of a block being rebuilt */
	uint32_t	 nr_out, cap_out;
};

struct row_set *row_set_new(unsigned int nr_streams)
{
	struct row_set *set = mem_alloc(sizeof(*set));

	set->nr_streams = nr_streams;
	set->streams = mem_array(nr_streams + 1, sizeof(*set->streams));
	return set;
}

static void free_scratch(struct row_set *set)
{
	free(set->log);
	free(set->bits);
	free(set->out);
	set->log = NULL;
	set->bits = set->out = NULL;
	set->cap_bits = set->cap_out = 0;
}

void row_set_free(struct row_set *set)
{
	if (!set)
		return;
	for (unsigned int i = 0; i < set->nr_streams; i++) {
		for (uint64_t k = 0; k < set->streams[i].nr; k++)
			free(set->streams[i].blocks[k].bytes);
		free(set->streams[i].blocks);
	}
	free(set->streams);
	free_scratch(set);
	free(set);
}

/* --- a page's bytes ------------------------------------------------------------------ */

static inline uint32_t next_number(const uint8_t **at)
{
	unsigned int shift = 0;
	uint32_t v = 0;

	do
		v |= (uint32_t)(**at & 0x7f) << shift, shift += 7;
	while (*(*at)++ & 0x80);
	return v;
}

static inline uint8_t *put_number(uint8_t *at, uint32_t v)
{
	for (; v >= 0x80; v >>= 7)
		*at++ = (uint8_t)(0x80 | (v & 0x7f));
	*at++ = (uint8_t)v;
	return at;
}

/* The bits of a page: @nr bytes, from byte @first on; NULL if it has none. */
static const uint8_t *page_bits(const struct block *block, unsigned int page, uint32_t *first,
				uint32_t *nr)
{
	const uint8_t *at = block->bytes;

	if (!(block->pages >> page & 1))
		return NULL;
	for (uint32_t before = block->pages & ((1u << page) - 1);; before &= before - 1) {
		*first = next_number(&at);
		*nr = next_number(&at);
		if (!before)
			return at;
		at += *nr;
	}
}

static const uint8_t *find_page(const struct row_set *set, unsigned int stream, uint64_t page,
				uint32_t *first, uint32_t *nr)
{
	const struct rows_of *rows =
		&set->streams[stream < set->nr_streams ? stream : set->nr_streams];

	return page / PAGES < rows->nr ?
		       page_bits(&rows->blocks[page / PAGES], page % PAGES, first, nr) :
		       NULL;
}

bool row_set_has(const struct row_set *set, trace_ref ref)
{
	uint32_t item = trace_ref_item(ref), first, nr;
	const uint8_t *bits = find_page(set, trace_ref_stream(ref), trace_ref_page(ref), &first,
					&nr);

	return bits && item / 8 - first < nr && bits[item / 8 - first] >> item % 8 & 1;
}

void row_set_page(const struct row_set *set, unsigned int stream, uint64_t page,
		  void (*see)(void *arg, uint32_t item), void *arg)
{
	uint32_t first, nr;
	const uint8_t *bits = find_page(set, stream, page, &first, &nr);

	for (uint32_t i = 0; bits && i < nr; i++)
		for (unsigned int byte = bits[i]; byte; byte &= byte - 1)
			see(arg, (first + i) * 8 + (unsigned int)__builtin_ctz(byte));
}

/* --- making them ------------------------------------------------------------------------ */

static void reserve_bits(struct row_set *set, uint32_t nr)
{
	uint32_t cap = nr + nr / 2 + 64;

	if (nr <= set->cap_bits)
		return;
	set->bits = mem_resize(set->bits, cap, 1);
	memset(set->bits + set->cap_bits, 0, cap - set->cap_bits);
	set->cap_bits = cap;
}

/* Append a page's bits to the block being built, and clear them; @end: bytes that may be set. */
static void pack_page(struct row_set *set, uint32_t end)
{
	uint32_t first = 0, room = set->nr_out + HEAD_BYTES + end;
	uint8_t *at;

	if (room > set->cap_out) {
		set->cap_out = room * 2;
		set->out = mem_resize(set->out, set->cap_out, 1);
	}
	while (!set->bits[first])
		first++;
	at = put_number(set->out + set->nr_out, first);
	at = put_number(at, end - first);
	memcpy(at, set->bits + first, end - first);
	set->nr_out = (uint32_t)(at - set->out) + end - first;
	memset(set->bits, 0, end);
}

static void reserve_blocks(struct row_set *set, struct rows_of *rows, uint64_t nr)
{
	uint64_t more = nr + nr / 8 + 8;

	if (nr <= rows->nr)
		return;
	rows->blocks = mem_resize(rows->blocks, more, sizeof(*rows->blocks));
	memset(rows->blocks + rows->nr, 0, (more - rows->nr) * sizeof(*rows->blocks));
	set->bytes += (more - rows->nr) * sizeof(*rows->blocks);
	rows->nr = more;
}

/* Add rows of one block, in ascending order. */
static void add_to_block(struct row_set *set, const trace_ref *refs, unsigned int nr)
{
	struct rows_of *rows = &set->streams[trace_ref_stream(refs[0])];
	uint64_t number = trace_ref_page(refs[0]) / PAGES;
	uint32_t pages = 0, first, end, item;
	struct block *block;

	reserve_blocks(set, rows, number + 1);
	block = &rows->blocks[number];
	set->nr_out = 0;
	for (unsigned int page = 0, i = 0; page < PAGES; page++) {
		const uint8_t *former = page_bits(block, page, &first, &end);

		end = former ? first + end : 0;
		reserve_bits(set, end);
		if (former)
			memcpy(set->bits + first, former, end - first);
		for (; i < nr && trace_ref_page(refs[i]) % PAGES == page; i++) {
			item = trace_ref_item(refs[i]);
			reserve_bits(set, item / 8 + 1);
			set->bits[item / 8] |= (uint8_t)(1u << item % 8);
			if (item / 8 >= end)
				end = item / 8 + 1;
		}
		if (!end)
			continue;
		pack_page(set, end);
		pages |= 1u << page;
	}
	set->bytes += set->nr_out - block->nr_bytes;
	free(block->bytes);
	block->bytes = mem_array(set->nr_out, 1);
	memcpy(block->bytes, set->out, set->nr_out);
	block->nr_bytes = set->nr_out;
	block->pages = pages;
}

static int compare_refs(const void *a, const void *b)
{
	trace_ref x = *(const trace_ref *)a, y = *(const trace_ref *)b;

	return x < y ? -1 : x > y;
}

static bool same_block(trace_ref a, trace_ref b)
{
	return trace_ref_stream(a) == trace_ref_stream(b) &&
	       trace_ref_page(a) / PAGES == trace_ref_page(b) / PAGES;
}

static void empty_log(struct row_set *set)
{
	if (set->nr_log)
		qsort(set->log, set->nr_log, sizeof(*set->log), compare_refs);
	for (unsigned int i = 0, end; i < set->nr_log; i = end) {
		for (end = i + 1; end < set->nr_log && same_block(set->log[i], set->log[end]);)
			end++;
		add_to_block(set, set->log + i, end - i);
	}
	set->nr_log = 0;
}

void row_set_add(struct row_set *set, trace_ref ref)
{
	if (trace_ref_stream(ref) >= set->nr_streams)
		return;
	if (!set->log)
		set->log = mem_array(LOG_ROWS, sizeof(*set->log));
	set->log[set->nr_log++] = ref;
	if (set->nr_log == LOG_ROWS)
		empty_log(set);
}

void row_set_end(struct row_set *set)
{
	if (set->nr_log)
		empty_log(set);
	free_scratch(set);
}

/* --- what is let go ----------------------------------------------------------------------- */

void row_set_forget(struct row_set *set, unsigned int stream, uint64_t page)
{
	struct rows_of *rows = &set->streams[stream];

	for (; rows->forgotten < rows->nr && rows->forgotten < page / PAGES; rows->forgotten++) {
		struct block *block = &rows->blocks[rows->forgotten];

		set->bytes -= block->nr_bytes;
		free(block->bytes);
		*block = (struct block){ 0 };
	}
}

uint64_t row_set_bytes(const struct row_set *set)
{
	return sizeof(*set) + set->nr_streams * sizeof(*set->streams) + set->bytes +
	       (set->log ? LOG_ROWS * sizeof(*set->log) : 0) + set->cap_bits + set->cap_out;
}
