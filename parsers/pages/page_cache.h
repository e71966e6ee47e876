/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGE_CACHE_H
#define FTOP_PARSERS_PAGE_CACHE_H
/*
 * page_cache - single sub-buffers of a file, as far as they were read lately.
 *
 * For looking here and there: searching by time, one row's bytes.  Bounded in
 * bytes; belongs to one thread.  Knows nothing of what is inside a sub-buffer.
 */
#include <stdint.h>
#include "parsers/pages/page_reader.h"

struct page_cache;

/* @limit: bytes kept; at least the page asked for last is. */
struct page_cache *page_cache_new(const struct trace_file *file, uint64_t limit);
void page_cache_free(struct page_cache *cache);	/* NULL is allowed */

/**
 * page_cache_get() - a sub-buffer
 * @len: receives its bytes: fewer than the page size at a cut end of the stream; 0 if it cannot be read
 *
 * Return: bytes valid until the next call with this cache; NULL if it cannot be read (which is kept in mind, too).
 */
const uint8_t *page_cache_get(struct page_cache *cache, unsigned int stream, uint64_t page, uint32_t *len);

/* File offset of a page; of its chunk where the stream is chunked. */
uint64_t page_cache_offset(const struct page_cache *cache, unsigned int stream, uint64_t page);
#endif
