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
#include <stddef.h>
#include "parsers/pages/page_reader.h"

struct page_sequence {
	struct page_reader	*reader;	/* borrowed; used for nothing else meanwhile */
	unsigned int		 stream;	/* its number in the file */
	uint32_t		 page_size;
	uint64_t		 page, end;	/* the next one, which may be
						   changed; past the last one */
	const uint8_t		*bytes;		/* the window: sub-buffers from `first` on */
	uint64_t		 first;
	uint32_t		 nr, last_bytes;
};

/* How many sub-buffers from s->page on the window has. */
static inline uint32_t page_sequence_left(const struct page_sequence *s)
{
	uint64_t at = s->page - s->first;

	return at < s->nr ? s->nr - (uint32_t)at : 0;
}

/**
 * page_sequence_next() - the sub-buffer at s->page; advances s->page
 * @bytes: receives its bytes, valid until the window has moved; NULL if it cannot be read
 * @len:   receives their number, at most the size of a sub-buffer
 *
 * Return: false after the last one.
 */
static inline bool page_sequence_next(struct page_sequence *s, const uint8_t **bytes, uint32_t *len)
{
	uint32_t left = page_sequence_left(s);

	*bytes = NULL;
	*len = 0;
	if (s->page >= s->end)
		return false;
	if (!left) {
		s->bytes = page_reader_get(s->reader, s->stream, s->page, &s->nr, &s->last_bytes);
		s->nr = left = s->bytes ? s->nr : 0;
		s->first = s->page;
	}
	if (left) {
		*bytes = s->bytes + (s->page - s->first) * s->page_size;
		*len = left > 1 ? s->page_size : s->last_bytes;
	}
	s->page++;
	return true;
}
#endif
