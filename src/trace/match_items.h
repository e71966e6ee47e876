/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_MATCH_ITEMS_H
#define FTOP_SRC_TRACE_MATCH_ITEMS_H
/*
 * match_items - the matching rows of some sub-buffers: their number, and a bit for each row of the
 * sub-buffers where some rows match, but not all.
 *
 *   item    the pages of a slab of the directory (page_index.h); immutable once made
 *   block   64 pages: masks of those where all rows and where some rows match, number of matches
 *           before it, its first bit
 *   bits    of the `some` pages, consecutive, without gaps
 *
 * The first bit of a page follows from the numbers of rows of the earlier `some` pages in its
 * block, which the directory knows.  Memory: at most one bit per row, and 3/8 of a byte per page.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/pages/page_index.h"

#define MATCH_BLOCK	64u

struct match_block {
	uint64_t	some, all;	/* bit = page of the block */
	uint32_t	before;		/* matches of the item before the block */
	uint32_t	bit;		/* first bit of its first `some` page */
};

struct match_item {
	atomic_uint	 refs;
	uint32_t	 nr_pages;	/* pages examined */
	uint32_t	 nr_matches;	/* matching rows */
	uint32_t	 nr_extra;	/* matching rows that are lost events or damage */
	uint32_t	 nr_bits;
	uint32_t	 bytes;		/* memory */
	struct match_block *blocks;	/* [nr_pages / MATCH_BLOCK, rounded up]; NULL: no matches */
	uint64_t	*bits;
	uint32_t	*counts;	/* [nr_pages] as page_index_count(); NULL: in directory */
};

/* The place of an item's pages; the directory has their counts if the item does not. */
struct match_place {
	const struct match_item	*item;
	const struct page_index	*index;
	uint64_t		 first;		/* page of the stream that is page 0 of the item */
};

enum match_state { MATCH_NONE, MATCH_ALL, MATCH_SOME };

static inline struct match_item *match_item_ref(struct match_item *item)
{
	if (item)
		atomic_fetch_add_explicit(&item->refs, 1, memory_order_relaxed);
	return item;
}
void match_item_unref(struct match_item *item);		/* NULL is allowed */

static inline uint32_t match_page_count(const struct match_place *place, uint32_t page)
{
	return place->item->counts ? place->item->counts[page] :
				     page_index_count(place->index, place->first + page);
}

/* How many rows of a page (of the item) match; for MATCH_SOME, *bit receives its first bit. */
enum match_state match_page_state(const struct match_place *place, uint32_t page, uint32_t *bit);

/* The matching rows of a page, for a walk over its rows. */
struct match_page {
	enum match_state state;
	uint32_t	 count;		/* match_page_count() */
	uint32_t	 rows;
	uint32_t	 bit;		/* first bit, for MATCH_SOME */
};
struct match_page match_page_of(const struct match_place *place, uint32_t page);

/* 64 bits from @bit on; bits past the item's last are undefined. */
static inline uint64_t match_bits(const struct match_item *item, uint32_t bit)
{
	const uint64_t *word = &item->bits[bit / 64];

	return bit % 64 ? word[0] >> bit % 64 | word[1] << (64 - bit % 64) : word[0];
}

/*
 * Number of matches in the item before a page; before a row of a page (row 0 is the row of lost
 * events if there is one).
 */
uint32_t match_before_page(const struct match_place *place, uint32_t page);
uint32_t match_before_row(const struct match_place *place, uint32_t page, uint32_t row);

/* First matching row of a page from @row on; last one before @row.  UINT32_MAX = none. */
uint32_t match_next_row(const struct match_item *item, const struct match_page *page, uint32_t row);
uint32_t match_prev_row(const struct match_item *item, const struct match_page *page, uint32_t row);

/* First page with a match from @page on (last one before @page); UINT32_MAX = none. */
uint32_t match_next_page(const struct match_item *item, uint32_t page);
uint32_t match_prev_page(const struct match_item *item, uint32_t page);

/* Convert between rows of a page and items of refs (trace.h). */
uint32_t match_row_of_item(uint32_t count, uint32_t item);
uint32_t match_item_of_row(uint32_t count, uint32_t row);

/* --- making one, page by page ----------------------------------------------- */

struct match_builder {			/* zero it before use */
	uint32_t	 nr_pages;
	uint32_t	 nr_matches, nr_extra, nr_bits;
	bool		 keep_counts;
	struct match_block *blocks;	/* owned */
	uint32_t	 cap_blocks;
	uint64_t	*bits;		/* owned; zero after nr_bits */
	uint32_t	 cap_words;
	uint32_t	*counts;	/* owned */
	uint32_t	 cap_counts;
};

void match_builder_fini(struct match_builder *builder);
/* Begin an item, reusing the whole blocks of an older one.  Return: the number of pages reused. */
uint32_t match_builder_begin(struct match_builder *builder, bool keep_counts,
			     const struct match_item *old);
void match_builder_none(struct match_builder *builder, uint32_t count);
/* Add a page.  @words: the bits of its rows; bits after the last row are zero. */
void match_builder_page(struct match_builder *builder, uint32_t count, const uint64_t *words);
struct match_item *match_builder_end(struct match_builder *builder);
#endif
