/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_READER_H
#define FTOP_PARSERS_PAGES_PAGE_READER_H
/*
 * page_reader - reads sub-buffers of a source's streams.  One reader belongs to one thread.  It
 * does not look inside the sub-buffers.
 */
#include <stdint.h>
#include "parsers/source/source.h"

struct page_reader;			/* opaque */

/**
 * page_reader_new() - a reader with a window of its own
 * @window_bytes: bytes read at once when pages are read in sequence (256 KiB for scans, one page
 *        for browsing);
 *                at least one sub-buffer is always held
 */
struct page_reader *page_reader_new(const struct source *source, uint32_t window_bytes);
/* Another window, from the next sub-buffer on that is not in memory. */
void page_reader_set_window(struct page_reader *reader, uint32_t window_bytes);
/*
 * Keep this many unpacked chunks (40 KiB each in trace-cmd's files), for reading several CPUs in
 * turns; default 2.
 */
void page_reader_keep_chunks(struct page_reader *reader, unsigned int nr);
void page_reader_free(struct page_reader *reader);	/* NULL is allowed */

/**
 * page_reader_get() - sub-buffers of a stream, in memory
 * @page:   number of the first one, < source_stream_pages()
 * @nr:     receives the number of consecutive sub-buffers at the returned address, at least 1, at
 *        most as many as fit in the window
 * @last:   receives the bytes of the last of them: less than the page size only at the end of a
 *        truncated stream
 *
 * Return: bytes valid until the next call with this reader; NULL where they cannot be read (the
 * file shrank, a chunk does not unpack).
 */
const uint8_t *page_reader_get(struct page_reader *reader, unsigned int stream, uint64_t page,
			       uint32_t *nr, uint32_t *last);

/*
 * Read such sub-buffers into the caller's memory at @to, which has room for @max of them.  Return:
 * how many were read, at least 1; 0 if the first one cannot be read.
 */
uint32_t page_reader_copy(struct page_reader *reader, unsigned int stream, uint64_t page,
			  uint32_t max, uint8_t *to, uint32_t *last);

/* What a page has, if the source knows it without reading the page; else false. */
bool page_reader_sum(const struct page_reader *reader, unsigned int stream, uint64_t page,
		     struct page_sum *sum, const struct type_count **counts);

/* File offset of a page; in a chunked stream, that of its chunk. */
uint64_t page_reader_offset(const struct page_reader *reader, unsigned int stream, uint64_t page);
#endif
