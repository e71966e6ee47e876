/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_THRIFT_H
#define FTOP_SRC_PARQUET_THRIFT_H
/*
 * thrift - appends structs in the compact protocol of Thrift, in which Parquet has its headers:
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
#include "src/base/text.h"

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9,
		   THRIFT_STRUCT = 12 };

struct thrift {				/* a struct that is being written */
	struct text	*out;		/* borrowed */
	int		 last;		/* id of its last field; 0: none yet */
};

static inline void thrift_varint(struct text *out, uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		text_char(out, (char)(v | 0x80));
	text_char(out, (char)v);
}

static inline void thrift_zigzag(struct text *out, int64_t v)
{
	thrift_varint(out, (uint64_t)v << 1 ^ (v < 0 ? UINT64_MAX : 0));
}

/* The fields of a struct have ascending ids that differ by less than 16. */
static inline void thrift_field(struct thrift *t, int id, enum thrift_type type)
{
	text_char(t->out, (char)((id - t->last) << 4 | (int)type));
	t->last = id;
}

static inline void thrift_i32(struct thrift *t, int id, int32_t v)
{
	thrift_field(t, id, THRIFT_I32);
	thrift_zigzag(t->out, v);
}

static inline void thrift_i64(struct thrift *t, int id, int64_t v)
{
	thrift_field(t, id, THRIFT_I64);
	thrift_zigzag(t->out, v);
}

static inline void thrift_bytes(struct thrift *t, int id, const void *s, size_t len)
{
	thrift_field(t, id, THRIFT_BINARY);
	thrift_varint(t->out, len);
	text_bytes(t->out, s, len);
}

/* Begins a struct; for thrift_end(). */
static inline struct thrift thrift_struct(struct thrift *t, int id)
{
	thrift_field(t, id, THRIFT_STRUCT);
	return (struct thrift){ .out = t->out };
}

/* @nr elements follow: thrift_zigzag(), structs, or bytes after their thrift_varint(). */
static inline void thrift_list(struct thrift *t, int id, enum thrift_type type, uint32_t nr)
{
	thrift_field(t, id, THRIFT_LIST);
	text_char(t->out, (char)((nr < 15 ? nr : 15) << 4 | (uint32_t)type));
	if (nr >= 15)
		thrift_varint(t->out, nr);
}

static inline void thrift_end(struct thrift *t)
{
	text_char(t->out, 0);
}
#endif
