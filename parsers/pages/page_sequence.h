/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_PAGE_SEQUENCE_H
#define FTOP_PARSERS_PAGES_PAGE_SEQUENCE_H
/*
 * page_sequence - the sub-buffers of a stream one after the other, from a page_reader's window.
 *
 * A sub-buffer that cannot be read has no bytes: sub_buffer_open() treats it as damaged and without
 * records.
 */
#include <stdbool.h>
#include "parsers/pages/page_reader.h"

struct page_sequence {
	struct page_reader	*reader;	/* borrowed; used for nothing else meanwhile */
	unsigned int		 stream;	/* of the file */
	uint32_t		 page_size;
	uint64_t		 page, end;	/* the next one; past the last one */
	const uint8_t		*bytes;		/* of the next one, followed by others: */
	uint32_t		 nr, last_bytes;
};

/* Continue at another sub-buffer. */
static inline void page_sequence_seek(struct page_sequence *s, uint64_t page)
{
	if (page != s->page)
		s->nr = 0;
	s->page = page;
}

/**
 * page_sequence_next() - the sub-buffer at s->page; advances s->page
 * @bytes: receives its bytes, valid until the next call; NULL if it cannot be read
 * @len:   receives their number, at most the size of a sub-buffer
 *
 * Return: false after the last one.
 */
static inline bool page_sequence_next(struct page_sequence *s, const uint8_t **bytes, uint32_t *len)
{
	*bytes = NULL;
	*len = 0;
	if (s->page >= s->end)
		return false;
	if (!s->nr)
		s->bytes = page_reader_get(s->reader, s->stream, s->page, &s->nr, &s->last_bytes, NULL);
	s->page++;
	if (!s->bytes) {
		s->nr = 0;
		return true;
	}
	*bytes = s->bytes;
	*len = --s->nr ? s->page_size : s->last_bytes;
	s->bytes += s->page_size;
	return true;
}
#endif
