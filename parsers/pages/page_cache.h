/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_CACHE_H
#define FTOP_PARSERS_PAGES_PAGE_CACHE_H
/*
 * page_cache - recently read single sub-buffers of a file.
 *
 * For random access: searching by time, one row's bytes.  Limited in bytes; belongs to one thread.
 * Does not look inside the sub-buffers.
 */
#include <stdint.h>
#include "parsers/pages/page_reader.h"

struct page_cache;

/* @limit: bytes to keep; the last page read is always kept. */
struct page_cache *page_cache_new(const struct source *file, uint64_t limit);
void page_cache_free(struct page_cache *cache);	/* NULL is allowed */

/* Keep so many bytes from now on.  0: a page is dropped when the next one is read. */
void page_cache_set_limit(struct page_cache *cache, uint64_t limit);

/**
 * page_cache_get() - a sub-buffer
 * @len: receives its bytes: fewer than the page size at the end of a truncated stream; 0 if it
 *        cannot be read
 *
 * Return: bytes valid until the next call with this cache; NULL if it cannot be read (failures are
 * cached, too).
 */
const uint8_t *page_cache_get(struct page_cache *cache, unsigned int stream, uint64_t page,
			      uint32_t *len);

/* File offset of a page; in a chunked stream, that of its chunk. */
uint64_t page_cache_offset(const struct page_cache *cache, unsigned int stream, uint64_t page);
#endif
