/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_PAGE_BYTES_H
#define FTOP_TESTS_PAGE_BYTES_H
/*
 * page_bytes - writes the bytes of one sub-buffer, header word by header word,
 * in either byte order and with either size of long.  For tests.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "parsers/io/byte_reader.h"
#include "parsers/source/source.h"

struct page_bytes {
	struct sub_buffer_layout layout;
	uint8_t		*page;		/* borrowed, layout.page_size bytes */
	uint32_t	 pos;		/* next byte */
};

static inline struct sub_buffer_layout page_bytes_layout(uint32_t page_size, int long_size,
							 bool big_endian)
{
	return (struct sub_buffer_layout){
		.page_size = page_size, .data_offset = 8 + long_size, .commit_offset = 8,
		.long_size = long_size,
		.big_endian = big_endian, .swap = big_endian != HOST_BIG_ENDIAN,
	};
}

static inline void page_bytes_put(struct page_bytes *b, uint32_t at, uint64_t value, int width)
{
	for (int i = 0; i < width; i++)
		b->page[at + i] = value >> 8 * (b->layout.big_endian ? width - 1 - i : i);
}

static inline void page_bytes_begin(struct page_bytes *b, struct sub_buffer_layout layout,
				    uint8_t *page, uint64_t ts)
{
	*b = (struct page_bytes){ .layout = layout, .page = page, .pos = layout.data_offset };
	memset(page, 0, layout.page_size);
	page_bytes_put(b, 0, ts, 8);
}

static inline uint32_t page_bytes_left(const struct page_bytes *b)
{
	return b->layout.page_size - b->pos;
}

static inline void page_bytes_u32(struct page_bytes *b, uint32_t value)
{
	page_bytes_put(b, b->pos, value, 4);
	b->pos += 4;
}

/* The header word of an event: 5 bits of type_len, 27 of time delta. */
static inline void page_bytes_word(struct page_bytes *b, uint32_t type_len, uint32_t delta)
{
	page_bytes_u32(b, b->layout.big_endian ? type_len << 27 | delta : delta << 5 | type_len);
}

/*
 * A record with common_type, flags, preempt_count and pid, then a counter up to @size bytes (a
 * multiple of 4, >= 8).
 */
static inline void page_bytes_record(struct page_bytes *b, uint32_t delta, uint16_t type,
				     int32_t pid, uint32_t size)
{
	if (size / 4 <= 28) {
		page_bytes_word(b, size / 4, delta);
	} else {
		page_bytes_word(b, 0, delta);
		page_bytes_u32(b, size + 4);
	}
	page_bytes_put(b, b->pos, type, 2);
	page_bytes_put(b, b->pos + 2, 1, 1);
	page_bytes_put(b, b->pos + 3, 2, 1);
	page_bytes_put(b, b->pos + 4, (uint32_t)pid, 4);
	for (uint32_t i = 8; i < size; i++)
		b->page[b->pos + i] = (uint8_t)i;
	b->pos += size;
}

static inline void page_bytes_extend(struct page_bytes *b, uint64_t delta)
{
	page_bytes_word(b, 30, delta & ((1u << 27) - 1));
	page_bytes_u32(b, delta >> 27);
}

static inline void page_bytes_stamp(struct page_bytes *b, uint64_t ts)
{
	page_bytes_word(b, 31, ts & ((1u << 27) - 1));
	page_bytes_u32(b, ts >> 27 & 0xffffffff);
}

/* A discarded event of @size payload bytes. */
static inline void page_bytes_discard(struct page_bytes *b, uint32_t delta, uint32_t size)
{
	page_bytes_word(b, 29, delta);
	page_bytes_u32(b, size);
	b->pos += size - 4;
}

/*
 * Write the commit word.  @flags: TRACE_COMMIT_LOST …, sign-extended as 64-bit kernels do; @lost:
 * their number.
 */
static inline void page_bytes_end(struct page_bytes *b, uint32_t flags, uint64_t lost)
{
	uint64_t commit = (uint64_t)(int64_t)(int32_t)(flags | (b->pos - b->layout.data_offset));

	page_bytes_put(b, b->layout.commit_offset, commit, b->layout.long_size);
	if (flags & TRACE_COMMIT_LOST_STORED)
		page_bytes_put(b, b->pos, lost, b->layout.long_size);
}
#endif
