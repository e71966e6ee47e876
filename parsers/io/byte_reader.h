/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_BYTE_READER_H
#define FTOP_PARSERS_IO_BYTE_READER_H
/*
 * byte_reader - reads numbers and strings from bytes in memory, never past their end.
 *
 * A read past the end gives 0 (or "" or NULL) and sets `failed`, which stays set, so one check
 * after a group of reads is enough.  The reader knows the byte order and the file offset of its
 * bytes.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct byte_reader {
	const uint8_t	*data;		/* borrowed */
	size_t		 len;
	size_t		 pos;		/* next byte, <= len */
	uint64_t	 base;		/* file offset of data[0] */
	bool		 swap;		/* the bytes are not in this machine's byte order */
	bool		 failed;
};

#define HOST_BIG_ENDIAN (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

/* @data: [len], borrowed; @base: its offset in the file. */
void byte_reader_init(struct byte_reader *r, const void *data, size_t len, uint64_t base,
		      bool swap);

/* The next number in the file's byte order; 0, with `failed` set, if too few bytes are left. */
uint8_t byte_reader_u8(struct byte_reader *r);
uint16_t byte_reader_u16(struct byte_reader *r);
uint32_t byte_reader_u32(struct byte_reader *r);
uint64_t byte_reader_u64(struct byte_reader *r);

/* NUL-ended string inside the data (borrowed); NULL and failed if no NUL is found. */
const char *byte_reader_string(struct byte_reader *r);

/* The next n bytes (borrowed), or NULL and failed. */
const uint8_t *byte_reader_bytes(struct byte_reader *r, uint64_t n);

/* True and advances if the next bytes are exactly these; false (not failed) leaves the position. */
bool byte_reader_expect(struct byte_reader *r, const void *bytes, size_t n);

static inline uint64_t byte_reader_offset(const struct byte_reader *r)
{
	return r->base + r->pos;
}

static inline size_t byte_reader_left(const struct byte_reader *r)
{
	return r->len - r->pos;
}

/* Unaligned loads, in the machine's order or swapped. */
static inline uint16_t load_u16(const void *p, bool swap)
{
	uint16_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap16(v) : v;
}

static inline uint32_t load_u32(const void *p, bool swap)
{
	uint32_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap32(v) : v;
}

static inline uint64_t load_u64(const void *p, bool swap)
{
	uint64_t v;

	memcpy(&v, p, sizeof(v));
	return swap ? __builtin_bswap64(v) : v;
}

/* The same for stores. */
static inline void store_u16(void *p, uint16_t v, bool swap)
{
	v = swap ? __builtin_bswap16(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u32(void *p, uint32_t v, bool swap)
{
	v = swap ? __builtin_bswap32(v) : v;
	memcpy(p, &v, sizeof(v));
}

static inline void store_u64(void *p, uint64_t v, bool swap)
{
	v = swap ? __builtin_bswap64(v) : v;
	memcpy(p, &v, sizeof(v));
}
#endif
