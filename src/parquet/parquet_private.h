/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_PARQUET_PRIVATE_H
#define FTOP_SRC_PARQUET_PARQUET_PRIVATE_H
/*
 * parquet_private - shared by parquet.c (rows, groups, the footer), parquet_page.c (values become
 * the bytes of pages) and thrift.c.  Names in capitals are those of parquet.thrift.
 */
#include <stdbool.h>
#include "src/base/index_map.h"
#include "src/base/text.h"
#include "src/parquet/parquet.h"

#define PAGE_ROWS	32768u
#define RECENT		64u

enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_RLE_DICTIONARY = 8 };

/* What a column has of the page and the row group that are being written. */
struct column {
	const struct parquet_column *def;
	/* The page: values that are not NULL, or their places in the dictionary. */
	int64_t		*values;	/* owned, [PAGE_ROWS], [nr] in use; NULL: none yet */
	uint8_t		*set;		/* owned, [PAGE_ROWS]: this row has a value */
	uint32_t	nr;
	/* The row group */
	struct text	pages;		/* compressed, with their headers */
	uint64_t	page_bytes;	/* before compression */
	uint64_t	nr_nulls;
	int64_t		min, max;	/* valid if not all values are NULL */
	struct text	least, most;	/* STRING */
	bool		has_strings;	/* there is a least one */
	bool		is_long;	/* a string is too long for statistics */
	struct text	dictionary;	/* PLAIN */
	uint32_t	*entries;	/* owned, [nr_entries] where they are in it */
	uint32_t	nr_entries, cap_entries;
	uint32_t	recent[RECENT];	/* entries, by the addresses of strings */
	struct index_map map;		/* of entries, by their bytes */
};

/* Add a value to the page, and to the dictionary if need be. */
void column_string(struct column *c, const char *s, size_t len);

/*
 * Append a page's bytes: its definition levels and values, of @rows rows.
 * Return: the encoding of the values.
 */
int page_body(struct column *c, uint32_t rows, struct text *out);

/*
 * --- thrift.c: structs in the compact protocol of Thrift, in which Parquet has its headers ---
 * https://github.com/apache/thrift/blob/master/doc/specs/thrift-compact-protocol.md
 */

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
