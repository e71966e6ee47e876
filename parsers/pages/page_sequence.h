/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGE_SEQUENCE_H
#define FTOP_PARSERS_PAGE_SEQUENCE_H
/*
 * page_sequence - sub-buffers of a stream one after the other, as a page_reader's window holds them.
 *
 * One that cannot be read has no bytes: sub_buffer_open() takes it for one that is damaged and has no records.
 */
#include <stdbool.h>
#include "parsers/pages/page_reader.h"

struct page_sequence {
	struct page_reader	*reader;	/* borrowed; reads nothing else meanwhile */
	unsigned int		 stream;	/* of the file */
	uint32_t		 page_size;
	uint64_t		 page, end;	/* the next one; behind the last one */
	const uint8_t		*bytes;		/* of the next one, and those behind it: */
	uint32_t		 nr, last_bytes;
};

/* Go on at another one. */
static inline void page_sequence_seek(struct page_sequence *s, uint64_t page)
{
	if (page != s->page)
		s->nr = 0;
	s->page = page;
}

/**
 * page_sequence_next() - the sub-buffer at .page, which is one further then
 * @bytes: receives what it holds, until the next call; NULL: it cannot be read
 * @len:   receives how many, at most the size of a sub-buffer
 *
 * Return: false: there is none.
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
