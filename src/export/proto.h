/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PROTO_H
#define FTOP_SRC_EXPORT_PROTO_H
/*
 * proto - appends fields of protobuf messages to a text.  A field is a tag (its number and how its
 * value is stored) and the value; a message in a message is bytes with their length before them.
 */
#include "src/base/text.h"

enum { PROTO_VARINT = 0, PROTO_BYTES = 2 };

static inline void proto_varint(struct text *out, uint64_t v)
{
	text_reserve(out, 10);
	for (; v >= 0x80; v >>= 7)
		out->data[out->len++] = (char)(v | 0x80);
	out->data[out->len++] = (char)v;
}

/* A number; negative ones of int32 and int64 as their 64 bits. */
static inline void proto_number(struct text *out, unsigned int field, uint64_t v)
{
	proto_varint(out, field << 3 | PROTO_VARINT);
	proto_varint(out, v);
}

static inline void proto_bytes(struct text *out, unsigned int field, const char *s, size_t len)
{
	proto_varint(out, field << 3 | PROTO_BYTES);
	proto_varint(out, len);
	text_bytes(out, s, len);
}

static inline void proto_string(struct text *out, unsigned int field, const char *s)
{
	proto_bytes(out, field, s, strlen(s));
}

/* A message follows.  Return: for proto_end(). */
static inline size_t proto_begin(struct text *out, unsigned int field)
{
	proto_varint(out, field << 3 | PROTO_BYTES);
	text_reserve(out, 1);
	return ++out->len;
}

/* It ends: its length gets its place. */
static inline void proto_end(struct text *out, size_t start)
{
	size_t len = out->len - start, more = 0;

	for (size_t v = len; v >= 0x80; v >>= 7)
		more++;
	if (more) {
		text_reserve(out, more);
		memmove(out->data + start + more, out->data + start, len);
	}
	out->len = start - 1;
	proto_varint(out, len);
	out->len += len;
}
#endif
