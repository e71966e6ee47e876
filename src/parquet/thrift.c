/* SPDX-License-Identifier: GPL-2.0-or-later */
/* thrift - appends fields and structs. */
#include "src/parquet/parquet_private.h"

void thrift_varint(struct text *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		text_char(out, (char)(v | 0x80));
	text_char(out, (char)v);
}

void thrift_zigzag(struct text *out, int64_t v)
{
	thrift_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

static void begin_field(struct thrift *t, int id, enum thrift_type type)
{
	text_char(t->out, (char)((id - t->last) << 4 | (int)type));
	t->last = id;
}

void thrift_i32(struct thrift *t, int id, int32_t v)
{
	begin_field(t, id, THRIFT_I32);
	thrift_zigzag(t->out, v);
}

void thrift_i64(struct thrift *t, int id, int64_t v)
{
	begin_field(t, id, THRIFT_I64);
	thrift_zigzag(t->out, v);
}

void thrift_bytes(struct thrift *t, int id, const void *s, size_t len)
{
	begin_field(t, id, THRIFT_BINARY);
	thrift_varint(t->out, len);
	text_bytes(t->out, s, len);
}

struct thrift thrift_struct(struct thrift *t, int id)
{
	begin_field(t, id, THRIFT_STRUCT);
	return (struct thrift){ .out = t->out };
}

void thrift_list(struct thrift *t, int id, enum thrift_type type, uint32_t nr)
{
	begin_field(t, id, THRIFT_LIST);
	text_char(t->out, (char)((nr < 15 ? nr : 15) << 4 | (uint32_t)type));
	if (nr >= 15)
		thrift_varint(t->out, nr);
}

void thrift_end(struct thrift *t)
{
	text_char(t->out, 0);
}
