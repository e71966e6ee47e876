/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERFETTO_PROTO_READER_H
#define FTOP_PARSERS_PERFETTO_PROTO_READER_H
/*
 * proto_reader - reads the fields of a protobuf message one after the other.  A field is a tag (its
 * number and how its value is stored) and the value.  No read leaves the message.
 *
 *	struct proto_reader r = proto_reader(bytes, len);
 *	struct proto_field f;
 *
 *	while (proto_next(&r, &f))
 *		…
 *	if (r.failed)
 *		… the message is damaged behind what was read …
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "parsers/io/byte_reader.h"

#define PROTO_ENDS	0x8080808080808080ull

enum { PROTO_VARINT = 0, PROTO_FIXED64 = 1, PROTO_BYTES = 2, PROTO_FIXED32 = 5 };

struct proto_reader {
	const uint8_t	*at, *end;	/* borrowed */
	bool		 failed;	/* no field begins at @at */
};

struct proto_field {
	uint32_t	 number;
	uint32_t	 kind;		/* PROTO_VARINT … */
	uint64_t	 value;		/* a number; of PROTO_BYTES: how many there are */
	const uint8_t	*bytes;		/* PROTO_BYTES; borrowed from the message */
};

static inline struct proto_reader proto_reader(const uint8_t *bytes, uint64_t len)
{
	return (struct proto_reader){ .at = bytes, .end = bytes + len };
}

/* The message that a field holds; an empty one if it holds none. */
static inline struct proto_reader proto_inside(const struct proto_field *f)
{
	return proto_reader(f->bytes, f->kind == PROTO_BYTES ? f->value : 0);
}

/* A number of up to 8 bytes with 7 bits each, the lowest first; the bit 0x80: there are more. */
static inline bool proto_take_word(const uint8_t **at, uint64_t *v)
{
	uint64_t x = load_u64(*at, HOST_BIG_ENDIAN), ends = ~x & PROTO_ENDS;

	if (!ends)
		return false;
	x &= (ends ^ (ends - 1)) & ~PROTO_ENDS;		/* up to the first end */
	x = (x & 0x007f007f007f007f) | (x & 0x7f007f007f007f00) >> 1;
	x = (x & 0x00003fff00003fff) | (x & 0x3fff00003fff0000) >> 2;
	*v = (x & 0x0fffffff) | (x & 0x0fffffff00000000) >> 4;
	*at += __builtin_ctzll(ends) / 8 + 1;
	return true;
}

/* A number of up to 3 bytes. */
static inline bool proto_take_short(const uint8_t **at, uint32_t *v)
{
	const uint8_t *p = *at;

	*v = p[0] & 0x7fu;
	*at = p + 1;
	if (p[0] < 0x80)
		return true;
	*v |= (p[1] & 0x7fu) << 7;
	*at = p + 2;
	if (p[1] < 0x80)
		return true;
	*v |= (uint32_t)p[2] << 14;
	*at = p + 3;
	return p[2] < 0x80;
}

static inline bool proto_take_long(struct proto_reader *r, uint64_t *v)
{
	const uint8_t *at = r->at;

	if (r->end - at >= 8 && proto_take_word(&r->at, v))
		return true;
	*v = 0;
	for (unsigned int shift = 0; at < r->end && shift < 64; shift += 7) {
		*v |= (uint64_t)(*at & 0x7f) << shift;
		if (!(*at++ & 0x80)) {
			r->at = at;
			return true;
		}
	}
	return false;
}

/* False: the message ends within the number, or it has more than 64 bits. */
static inline __attribute__((always_inline)) bool proto_take(struct proto_reader *r, uint64_t *v)
{
	const uint8_t *at = r->at;

	/* most are small */
	if (at < r->end && at[0] < 0x80) {
		*v = at[0];
		r->at = at + 1;
		return true;
	}
	if (r->end - at >= 2 && at[1] < 0x80) {
		*v = (at[0] & 0x7fu) | (uint64_t)at[1] << 7;
		r->at = at + 2;
		return true;
	}
	return proto_take_long(r, v);
}

static inline bool proto_take_fixed(struct proto_reader *r, struct proto_field *f, uint32_t bytes)
{
	if ((uint64_t)(r->end - r->at) < bytes)
		return false;
	f->value = bytes == 8 ? load_u64(r->at, HOST_BIG_ENDIAN) : load_u32(r->at, HOST_BIG_ENDIAN);
	r->at += bytes;
	return true;
}

static inline __attribute__((always_inline)) bool proto_take_value(struct proto_reader *r,
								   struct proto_field *f)
{
	if (f->kind == PROTO_VARINT)
		return proto_take(r, &f->value);
	if (f->kind == PROTO_FIXED64)
		return proto_take_fixed(r, f, 8);
	if (f->kind == PROTO_FIXED32)
		return proto_take_fixed(r, f, 4);
	if (f->kind != PROTO_BYTES || !proto_take(r, &f->value) ||
	    f->value > (uint64_t)(r->end - r->at))
		return false;
	f->bytes = r->at;
	r->at += f->value;
	return true;
}

/*
 * Behind the next field, whose number is below 16; NULL: look at it with proto_next().  @at: before
 * @end
 */
static inline const uint8_t *proto_skip(const uint8_t *at, const uint8_t *end)
{
	uint32_t kind = *at & 7;
	uint64_t ends;

	if (end - at < 2 || *at - 0x08u >= 0x78u)
		return NULL;
	if (kind == PROTO_BYTES)
		return at[1] < 0x80 && at[1] <= end - at - 2 ? at + 2 + at[1] : NULL;
	if (kind != PROTO_VARINT)
		return NULL;
	if (at[1] < 0x80)
		return at + 2;
	if (end - at < 9) {
		for (at += 2; at < end; at++)
			if (*at < 0x80)
				return at + 1;
		return NULL;
	}
	ends = ~load_u64(at + 1, HOST_BIG_ENDIAN) & PROTO_ENDS;
	return ends ? at + 2 + __builtin_ctzll(ends) / 8 : NULL;
}

/* Behind the next field, if it is a message or string of less than 128 bytes; or NULL. */
static inline const uint8_t *proto_skip_bytes(const uint8_t *at, const uint8_t *end,
					      uint32_t number)
{
	return end - at >= 2 && at[0] == (number << 3 | PROTO_BYTES) && at[1] < 0x80 &&
			       at[1] <= end - at - 2 ?
		       at + 2 + at[1] :
		       NULL;
}

/* The next field.  False: there are no more, or the rest is damaged. */
static inline __attribute__((always_inline)) bool proto_next(struct proto_reader *r,
							     struct proto_field *f)
{
	const uint8_t *start = r->at;
	uint64_t tag;

	if (start == r->end)
		return false;
	if (proto_take(r, &tag) && tag >> 3 && tag >> 3 <= UINT32_MAX) {
		f->number = (uint32_t)(tag >> 3);
		f->kind = tag & 7;
		f->bytes = NULL;
		if (proto_take_value(r, f))
			return true;
	}
	r->at = start;
	r->failed = true;
	return false;
}
#endif
