/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/trace/match_items.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/trace/trace.h"

void match_item_unref(struct match_item *item)
{
	if (item && atomic_fetch_sub_explicit(&item->refs, 1, memory_order_acq_rel) == 1)
		free(item);
}

/* --- bits --------------------------------------------------------------------- */

static inline uint64_t low_mask(uint32_t nr)
{
	return nr >= 64 ? UINT64_MAX : (1ull << nr) - 1;
}

static uint32_t popcount_range(const struct match_item *item, uint32_t from, uint32_t to)
{
	uint32_t sum = 0;

	for (; to - from >= 64; from += 64)
		sum += __builtin_popcountll(match_bits(item, from));
	return to > from ?
		       sum + __builtin_popcountll(match_bits(item, from) & low_mask(to - from)) :
		       sum;
}

/* --- rows and items -------------------------------------------------------------- */

uint32_t match_row_of_item(uint32_t count, uint32_t item)
{
	uint32_t events = count & PAGE_EVENTS_MASK, lost = !!(count & PAGE_LOST);

	if (item == 0)
		return 0;
	if (item > TRACE_REF_ITEM_LAST)
		return page_rows(count);
	return lost + (item - 1 < events ? item - 1 : events);
}

uint32_t match_item_of_row(uint32_t count, uint32_t row)
{
	uint32_t lost = !!(count & PAGE_LOST);

	if (row < lost)
		return 0;
	return row - lost < (count & PAGE_EVENTS_MASK) ? row - lost + 1 : TRACE_REF_ITEM_LAST;
}

/* --- asking ---------------------------------------------------------------------- */

/* First bit of page @page of a block. */
static uint32_t first_bit(const struct match_place *place, uint32_t block, uint32_t page)
{
	const struct match_block *b = &place->item->blocks[block];
	uint32_t bit = b->bit;

	for (uint64_t some = b->some & low_mask(page); some; some &= some - 1)
		bit += page_rows(
			match_page_count(place, block * MATCH_BLOCK + __builtin_ctzll(some)));
	return bit;
}

enum match_state match_page_state(const struct match_place *place, uint32_t page, uint32_t *bit)
{
	const struct match_block *block;

	if (!place->item->blocks)
		return MATCH_NONE;
	block = &place->item->blocks[page / MATCH_BLOCK];
	if (block->all >> page % MATCH_BLOCK & 1)
		return MATCH_ALL;
	if (!(block->some >> page % MATCH_BLOCK & 1))
		return MATCH_NONE;
	if (bit)
		*bit = first_bit(place, page / MATCH_BLOCK, page % MATCH_BLOCK);
	return MATCH_SOME;
}

uint32_t match_before_page(const struct match_place *place, uint32_t page)
{
	const struct match_item *item = place->item;
	uint32_t nr = page / MATCH_BLOCK, sum;
	const struct match_block *block;

	if (!item->blocks)
		return 0;
	if (page >= item->nr_pages)
		return item->nr_matches;
	block = &item->blocks[nr];
	sum = block->before +
	      popcount_range(item, block->bit, first_bit(place, nr, page % MATCH_BLOCK));
	for (uint64_t all = block->all & low_mask(page % MATCH_BLOCK); all; all &= all - 1)
		sum += page_rows(match_page_count(place, nr * MATCH_BLOCK + __builtin_ctzll(all)));
	return sum;
}

uint32_t match_before_row(const struct match_place *place, uint32_t page, uint32_t row)
{
	uint32_t before = match_before_page(place, page), bit;

	switch (match_page_state(place, page, &bit)) {
	case MATCH_NONE:
		return before;
	case MATCH_ALL:
		return before + row;
	case MATCH_SOME:
		return before + popcount_range(place->item, bit, bit + row);
	}
	return before;
}

struct match_page match_page_of(const struct match_place *place, uint32_t page)
{
	struct match_page p = { .bit = 0 };

	p.state = match_page_state(place, page, &p.bit);
	if (p.state == MATCH_NONE)
		return p;
	p.count = match_page_count(place, page);
	p.rows = page_rows(p.count);
	return p;
}

uint32_t match_next_row(const struct match_item *item, const struct match_page *page, uint32_t row)
{
	switch (page->state) {
	case MATCH_NONE:
		return UINT32_MAX;
	case MATCH_ALL:
		return row < page->rows ? row : UINT32_MAX;
	case MATCH_SOME:
		break;
	}
	for (; row < page->rows; row += 64) {
		uint64_t word = match_bits(item, page->bit + row) & low_mask(page->rows - row);

		if (word)
			return row + __builtin_ctzll(word);
	}
	return UINT32_MAX;
}

uint32_t match_prev_row(const struct match_item *item, const struct match_page *page, uint32_t row)
{
	if (row > page->rows)
		row = page->rows;
	switch (page->state) {
	case MATCH_NONE:
		return UINT32_MAX;
	case MATCH_ALL:
		return row - 1;		/* UINT32_MAX: no row precedes row 0 */
	case MATCH_SOME:
		break;
	}
	while (row) {
		uint32_t nr = row < 64 ? row : 64;
		uint64_t word = match_bits(item, page->bit + row - nr) & low_mask(nr);

		if (word)
			return row - nr + 63 - __builtin_clzll(word);
		row -= nr;
	}
	return UINT32_MAX;
}

uint32_t match_next_page(const struct match_item *item, uint32_t page)
{
	if (!item->blocks || page >= item->nr_pages)
		return UINT32_MAX;
	for (uint32_t nr = page / MATCH_BLOCK; nr * MATCH_BLOCK < item->nr_pages; nr++) {
		uint64_t any = item->blocks[nr].some | item->blocks[nr].all;

		if (nr == page / MATCH_BLOCK)
			any &= ~low_mask(page % MATCH_BLOCK);
		if (any)
			return nr * MATCH_BLOCK + __builtin_ctzll(any);
	}
	return UINT32_MAX;
}

uint32_t match_prev_page(const struct match_item *item, uint32_t page)
{
	if (page > item->nr_pages)
		page = item->nr_pages;
	if (!item->blocks || !page)
		return UINT32_MAX;
	for (uint32_t nr = (page - 1) / MATCH_BLOCK + 1; nr--;) {
		uint64_t any = item->blocks[nr].some | item->blocks[nr].all;

		if (page - nr * MATCH_BLOCK < MATCH_BLOCK)
			any &= low_mask(page - nr * MATCH_BLOCK);
		if (any)
			return nr * MATCH_BLOCK + 63 - __builtin_clzll(any);
	}
	return UINT32_MAX;
}

/* --- making one ------------------------------------------------------------------ */

void match_builder_fini(struct match_builder *b)
{
	free(b->blocks);
	free(b->bits);
	free(b->counts);
}

/* Make room for bits; words after nr_bits are zero. */
static void reserve_bits(struct match_builder *b, uint32_t more)
{
	mem_reach(&b->bits, &b->cap_words, ((uint64_t)b->nr_bits + more) / 64 + 1);
}

uint32_t match_builder_begin(struct match_builder *b, bool keep_counts,
			     const struct match_item *old)
{
	/* reuse the old item's blocks, unless it counts matches that are no records */
	uint32_t pages = old && !old->nr_extra && !keep_counts ?
				 old->nr_pages / MATCH_BLOCK * MATCH_BLOCK :
				 0;
	uint32_t blocks = pages / MATCH_BLOCK;
	bool partial = pages && old->blocks && pages < old->nr_pages;

	if (b->bits)
		memset(b->bits, 0, (size_t)(b->nr_bits / 64 + 1) * sizeof(*b->bits));
	b->nr_pages = pages;
	b->nr_extra = 0;
	b->keep_counts = keep_counts;
	b->nr_matches = !pages ? 0 : partial ? old->blocks[blocks].before : old->nr_matches;
	b->nr_bits = 0;
	if (!pages)
		return 0;
	while (b->cap_blocks < blocks)
		mem_grow(&b->blocks, b->cap_blocks, &b->cap_blocks);
	memset(b->blocks, 0, blocks * sizeof(*b->blocks));
	if (old->blocks) {
		uint32_t bits = partial ? old->blocks[blocks].bit : old->nr_bits;

		memcpy(b->blocks, old->blocks, blocks * sizeof(*b->blocks));
		reserve_bits(b, bits);
		memcpy(b->bits, old->bits, (size_t)(bits + 63) / 64 * sizeof(*b->bits));
		if (bits % 64)
			b->bits[bits / 64] &= low_mask(bits % 64);
		b->nr_bits = bits;
	}
	return pages;
}

/* The block of the page being added. */
static struct match_block *add_page(struct match_builder *b, uint32_t count)
{
	uint32_t nr = b->nr_pages / MATCH_BLOCK;

	if (b->keep_counts) {
		mem_grow(&b->counts, b->nr_pages, &b->cap_counts);
		b->counts[b->nr_pages] = count;
	}
	if (b->nr_pages++ % MATCH_BLOCK == 0) {
		mem_grow(&b->blocks, nr, &b->cap_blocks);
		b->blocks[nr] = (struct match_block){ .before = b->nr_matches, .bit = b->nr_bits };
	}
	return &b->blocks[nr];
}

void match_builder_none(struct match_builder *b, uint32_t count)
{
	add_page(b, count);
}

static void add_all(struct match_builder *b, uint32_t count)
{
	struct match_block *block = add_page(b, count);

	if (!page_rows(count))
		return;
	block->all |= 1ull << (b->nr_pages - 1) % MATCH_BLOCK;
	b->nr_matches += page_rows(count);
	b->nr_extra += page_rows(count) - (count & PAGE_EVENTS_MASK);
}

static void append_bits(struct match_builder *b, const uint64_t *words, uint32_t nr)
{
	uint32_t shift = b->nr_bits % 64;
	uint64_t *to;

	reserve_bits(b, nr);
	to = &b->bits[b->nr_bits / 64];
	for (uint32_t i = 0; i < (nr + 63) / 64; i++) {
		to[i] |= words[i] << shift;
		if (shift)
			to[i + 1] |= words[i] >> (64 - shift);
	}
	b->nr_bits += nr;
}

void match_builder_page(struct match_builder *b, uint32_t count, const uint64_t *words)
{
	uint32_t rows = page_rows(count), matches = 0, last = rows - 1;
	struct match_block *block;

	for (uint32_t i = 0; i < (rows + 63) / 64; i++)
		if (words[i])	/* most pages have no matches */
			matches += __builtin_popcountll(words[i]);
	if (!matches) {
		match_builder_none(b, count);
		return;
	}
	if (matches == rows) {
		add_all(b, count);
		return;
	}
	block = add_page(b, count);
	block->some |= 1ull << (b->nr_pages - 1) % MATCH_BLOCK;
	b->nr_matches += matches;
	if (count & PAGE_LOST)
		b->nr_extra += words[0] & 1;
	if (count & PAGE_DAMAGED)
		b->nr_extra += words[last / 64] >> last % 64 & 1;
	append_bits(b, words, rows);
}

struct match_item *match_builder_end(struct match_builder *b)
{
	uint32_t nr_blocks = b->nr_matches ? (b->nr_pages + MATCH_BLOCK - 1) / MATCH_BLOCK : 0;
	/* match_bits() may read one more */
	uint32_t words = b->nr_matches ? b->nr_bits / 64 + 2 : 0;
	uint32_t counts = b->keep_counts && b->nr_matches ? b->nr_pages : 0;
	size_t bytes = sizeof(struct match_item) + nr_blocks * sizeof(struct match_block) +
		       words * sizeof(uint64_t) + counts * sizeof(uint32_t);
	struct match_item *item = mem_alloc(bytes);

	atomic_init(&item->refs, 1);
	item->nr_pages = b->nr_pages;
	item->nr_matches = b->nr_matches;
	item->nr_extra = b->nr_extra;
	item->nr_bits = b->nr_bits;
	item->bytes = bytes;
	if (!b->nr_matches)
		return item;
	item->blocks = (struct match_block *)(item + 1);
	item->bits = (uint64_t *)(item->blocks + nr_blocks);
	memcpy(item->blocks, b->blocks, nr_blocks * sizeof(*b->blocks));
	if (b->nr_bits)
		memcpy(item->bits, b->bits, (size_t)(b->nr_bits + 63) / 64 * sizeof(*item->bits));
	if (counts) {
		item->counts = (uint32_t *)(item->bits + words);
		memcpy(item->counts, b->counts, counts * sizeof(*item->counts));
	}
	return item;
}
