/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_THRIFT_H
#define FTOP_SRC_PARQUET_THRIFT_H
/*
 * thrift - appends structs in the compact protocol of Thrift, in which Parquet has its headers.
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */
#include "src/base/text.h"

enum thrift_type { THRIFT_I32 = 5, THRIFT_I64 = 6, THRIFT_BINARY = 8, THRIFT_LIST = 9,
		   THRIFT_STRUCT = 12 };

struct thrift {				/* a struct that is being written */
	struct text	*out;		/* borrowed */
	int		 last;		/* id of its last field; 0: none yet */
};

void thrift_varint(struct text *out, uint64_t v);
void thrift_zigzag(struct text *out, int64_t v);

/* Fields, by ascending ids that differ by less than 16. */
void thrift_i32(struct thrift *t, int id, int32_t v);
void thrift_i64(struct thrift *t, int id, int64_t v);
void thrift_bytes(struct thrift *t, int id, const void *s, size_t len);
struct thrift thrift_struct(struct thrift *t, int id);	/* begins one; for thrift_end() */
/* @nr elements follow: thrift_zigzag(), structs, or bytes after their thrift_varint(). */
void thrift_list(struct thrift *t, int id, enum thrift_type type, uint32_t nr);
void thrift_end(struct thrift *t);
#endif
