/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PROTO_H
#define FTOP_SRC_EXPORT_PROTO_H
/*
 * proto - appends fields of protobuf messages to a text.  A field is a tag (its number and how its
 * value is stored) and the value; a message in a message is bytes with their length before them.
 */
#include "parsers/perfetto/proto_reader.h"
#include "src/base/text.h"

#define PROTO_LONGEST	10u		/* bytes of a varint */
#define PROTO_TAG(field, kind) ((uint32_t)(field) << 3 | (kind))

/* At @p, which has room for PROTO_LONGEST bytes.  Return: the byte behind it. */
static inline char *proto_put(char *p, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		*p++ = (char)(v | 0x80);
	*p++ = (char)v;
	return p;
}

static inline void proto_varint(struct text *out, uint64_t v)
{
	text_reserve(out, PROTO_LONGEST);
	out->len = (size_t)(proto_put(out->data + out->len, v) - out->data);
}

/* A number; negative ones of int32 and int64 as their 64 bits. */
static inline void proto_number(struct text *out, unsigned int field, uint64_t v)
{
	proto_varint(out, PROTO_TAG(field, PROTO_VARINT));
	proto_varint(out, v);
}

static inline void proto_bytes(struct text *out, unsigned int field, const void *s, size_t len)
{
	proto_varint(out, PROTO_TAG(field, PROTO_BYTES));
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
	proto_varint(out, PROTO_TAG(field, PROTO_BYTES));
	text_reserve(out, 1);
	return ++out->len;
}

/* It ends: its length gets its place. */
static inline void proto_end(struct text *out, size_t start)
{
	size_t len = out->len - start, more = 0;

	if (__builtin_expect(len < 0x80, 1)) {
		out->data[start - 1] = (char)len;
		return;
	}
	for (size_t v = len; v >= 0x80; v >>= 7)
		more++;
	text_reserve(out, more);
	memmove(out->data + start + more, out->data + start, len);
	proto_put(out->data + start - 1, len);
	out->len += more;
}
#endif
