/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SOURCE_PAGE_MAKER_H
#define FTOP_PARSERS_SOURCE_PAGE_MAKER_H
/*
 * page_maker - makes a sub-buffer of records, for a source whose file has none: a time stamp of its
 * own before each record.
 *
 *   struct page_maker page;
 *
 *   page_maker_begin(&page, &layout, to);
 *   while ((payload = page_maker_room(&page, size))) {
 *           … write the payload …
 *           page_maker_add(&page, ts, size);
 *   }
 *   bytes = page_maker_end(&page);
 *
 * page_maker_put() adds a record whose payload is complete.  Its header is shorter.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/source/source.h"

#define PAGE_MAKER_MAX_TS	((1ull << 59) - 1)	/* what a stamp can hold */

struct page_maker {
	uint8_t		*page;		/* borrowed */
	uint8_t		*at;		/* where the next record goes */
	uint8_t		*limit;		/* records end here */
	uint64_t	 first;		/* stamp of the page */
	uint64_t	 last;		/* stamp of the last record */
	uint64_t	 lost;		/* events lost before the page; 0 = number unknown */
	bool		 is_lost;
	bool		 swap;
};

/*
 * The layout that a source's buffer has if its pages are made here.  @big_endian: the byte order of
 * the records.
 */
struct sub_buffer_layout page_maker_layout(uint32_t page_size, bool big_endian);

/* Append what the kernel's events/header_page and events/header_event say of such pages. */
void page_maker_headers(uint32_t page_size, struct text *header_page, struct text *header_event);

/* @layout: of page_maker_layout(); @to: [layout->page_size] */
void page_maker_begin(struct page_maker *maker, const struct sub_buffer_layout *layout,
		      uint8_t *to);
/* Events were lost before the first record, at @ts.  @lost: 0 = number unknown. */
void page_maker_lost(struct page_maker *maker, uint64_t ts, uint64_t lost);
/* Where the next payload of at most @size bytes goes; NULL: the page is full. */
uint8_t *page_maker_room(const struct page_maker *maker, uint32_t size);
/* Add the record whose payload is written.  @size: bytes, a multiple of 4.  @ts: raw stamp. */
void page_maker_add(struct page_maker *maker, uint64_t ts, uint32_t size);
/*
 * Add a record, with the kernel's shortest header.  @bytes: of it; it is filled up with zeros to a
 * multiple of 4.  False: the page is full.
 */
bool page_maker_put(struct page_maker *maker, uint64_t ts, const void *record, uint32_t bytes);
/* Return: the bytes of the page. */
uint32_t page_maker_end(const struct page_maker *maker);
#endif
