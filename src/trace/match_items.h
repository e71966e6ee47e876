/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_ITEMS_H
#define FTOP_SRC_MATCH_ITEMS_H
/*
 * match_items - which rows of some sub-buffers match: how many, and a bit for each
 * row of those sub-buffers of which some match, but not all.
 *
 *   item    the pages of a slab of the directory (page_index.h); never changed once made
 *   block   64 pages of it: masks of those with all and with some rows, matches before it, where its bits begin
 *   bits    of the `some` pages, one behind the other, without gaps
 *
 * Where a page's bits begin follows from the numbers of rows of the pages before it in its block, which the directory
 * knows.  Memory: at most a bit for a row, and 3/8 of a byte for a page.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "parsers/pages/page_index.h"

#define MATCH_BLOCK	64u

struct match_block {
	uint64_t	some, all;	/* bit = page of the block */
	uint32_t	before;		/* matches of the item before it */
	uint32_t	bit;		/* where the bits of its first `some` page are */
};

struct match_item {
	atomic_uint	 refs;
	uint32_t	 nr_pages;	/* looked at */
	uint32_t	 nr_matches;	/* rows */
	uint32_t	 nr_extra;	/* of them: lost events and damage */
	uint32_t	 nr_bits;
	uint32_t	 bytes;		/* of memory */
	struct match_block *blocks;	/* [nr_pages / MATCH_BLOCK, rounded up]; NULL: nothing matches */
	uint64_t	*bits;
	uint32_t	*counts;	/* [nr_pages] of the pages, as page_index_count(); NULL: the directory has them */
};

/* The pages an item is of: the directory has their counts, where the item has none. */
struct match_place {
	const struct match_item	*item;
	const struct page_index	*index;
	uint64_t		 first;		/* page of the stream that is the item's page 0 */
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
	return place->item->counts ? place->item->counts[page] : page_index_count(place->index, place->first + page);
}

/* What of a page (of the item) matches; of MATCH_SOME, *bit is where its bits begin. */
enum match_state match_page_state(const struct match_place *place, uint32_t page, uint32_t *bit);

/* The same, for going from row to row of a page. */
struct match_page {
	enum match_state state;
	uint32_t	 count;		/* as match_page_count() */
	uint32_t	 rows;
	uint32_t	 bit;		/* of MATCH_SOME */
};
struct match_page match_page_of(const struct match_place *place, uint32_t page);

/* 64 bits from @bit on; those behind the item's last are rubbish. */
static inline uint64_t match_bits(const struct match_item *item, uint32_t bit)
{
	const uint64_t *word = &item->bits[bit / 64];

	return bit % 64 ? word[0] >> bit % 64 | word[1] << (64 - bit % 64) : word[0];
}

/* Matches of the item before a page; before a row of a page (row 0: the lost one where there is one). */
uint32_t match_before_page(const struct match_place *place, uint32_t page);
uint32_t match_before_row(const struct match_place *place, uint32_t page, uint32_t row);

/* First matching row of a page from @row on, last one before @row; UINT32_MAX: none. */
uint32_t match_next_row(const struct match_item *item, const struct match_page *page, uint32_t row);
uint32_t match_prev_row(const struct match_item *item, const struct match_page *page, uint32_t row);

/* The first page from @page on (last one before @page) with a match; UINT32_MAX: none. */
uint32_t match_next_page(const struct match_item *item, uint32_t page);
uint32_t match_prev_page(const struct match_item *item, uint32_t page);

/* The nr-th match of an item: its page and row. */
void match_select(const struct match_place *place, uint32_t nr, uint32_t *page, uint32_t *row);

/* Rows of a page and items of refs (trace.h). */
uint32_t match_row_of_item(uint32_t count, uint32_t item);
uint32_t match_item_of_row(uint32_t count, uint32_t row);

/* --- making one, page by page ----------------------------------------------- */

struct match_builder {			/* zero it before use */
	uint32_t	 nr_pages;
	uint32_t	 nr_matches, nr_extra, nr_bits;
	bool		 keep_counts;
	struct match_block *blocks;	/* owned */
	uint32_t	 cap_blocks;
	uint64_t	*bits;		/* owned; zero behind nr_bits */
	uint32_t	 cap_words;
	uint32_t	*counts;	/* owned */
	uint32_t	 cap_counts;
};

void match_builder_fini(struct match_builder *builder);
/* Begin an item, with the first pages of another one: as many whole blocks as it has; how many pages is returned. */
uint32_t match_builder_begin(struct match_builder *builder, bool keep_counts, const struct match_item *old);
void match_builder_none(struct match_builder *builder, uint32_t count);
void match_builder_all(struct match_builder *builder, uint32_t count);
/* @words: bits of the page's rows; those behind the last row are clear. */
void match_builder_page(struct match_builder *builder, uint32_t count, const uint64_t *words);
struct match_item *match_builder_end(struct match_builder *builder);
#endif
