/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/byte_reader.h"

void byte_reader_init(struct byte_reader *r, const void *data, size_t len, uint64_t base, bool swap)
{
	*r = (struct byte_reader){ .data = data, .len = len, .base = base, .swap = swap };
}

const uint8_t *byte_reader_bytes(struct byte_reader *r, uint64_t n)
{
	const uint8_t *p = r->data + r->pos;

	if (r->failed || n > r->len - r->pos) {
		r->failed = true;
		return NULL;
	}
	r->pos += n;
	return p;
}

uint8_t byte_reader_u8(struct byte_reader *r)
{
	const uint8_t *p = byte_reader_bytes(r, 1);

	return p ? *p : 0;
}

uint16_t byte_reader_u16(struct byte_reader *r)
{
	const uint8_t *p = byte_reader_bytes(r, 2);

	return p ? load_u16(p, r->swap) : 0;
}

uint32_t byte_reader_u32(struct byte_reader *r)
{
	const uint8_t *p = byte_reader_bytes(r, 4);

	return p ? load_u32(p, r->swap) : 0;
}

uint64_t byte_reader_u64(struct byte_reader *r)
{
	const uint8_t *p = byte_reader_bytes(r, 8);

	return p ? load_u64(p, r->swap) : 0;
}

const char *byte_reader_string(struct byte_reader *r)
{
	const uint8_t *start = r->data + r->pos;
	const uint8_t *nul = r->failed || r->pos == r->len ? NULL :
							     memchr(start, 0, r->len - r->pos);

	if (!nul) {
		r->failed = true;
		return NULL;
	}
	r->pos += nul - start + 1;
	return (const char *)start;
}

bool byte_reader_expect(struct byte_reader *r, const void *bytes, size_t n)
{
	if (r->failed || n > r->len - r->pos || memcmp(r->data + r->pos, bytes, n))
		return false;
	r->pos += n;
	return true;
}
