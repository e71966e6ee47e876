/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_PARQUET_PRIVATE_H
#define FTOP_SRC_PARQUET_PARQUET_PRIVATE_H
/*
 * parquet_private - shared by parquet.c (rows, groups, the footer) and parquet_page.c (the bytes of
 * pages, statistics).  Names in capitals are those of parquet.thrift.
 */
#include <stdbool.h>
#include "src/base/index_map.h"
#include "src/parquet/parquet.h"
#include "src/parquet/thrift.h"

#define PAGE_ROWS	32768u
#define RECENT_BITS	10

enum { TYPE_INT64 = 2, TYPE_BYTE_ARRAY = 6 };
enum { ENCODING_PLAIN = 0, ENCODING_RLE = 3, ENCODING_DELTA_BINARY_PACKED = 5,
       ENCODING_RLE_DICTIONARY = 8 };

struct column_page {			/* the rows of a page in one column */
	int64_t		*values;	/* owned, [PAGE_ROWS], [nr] in use: those that are not NULL,
					 * or their places in the dictionary */
	uint32_t	nr;
	uint32_t	nr_entries;	/* of the dictionary, as the page ended */
	uint8_t		nulls[PAGE_ROWS / 8];	/* a bit for each row: it has no value */
};

/* What a column has of the page and the row group that are being written. */
struct column {
	const struct parquet_column *def;
	struct column_page page;		/* is filled with rows */
	/* The row group: these and `ended` are a worker's while it encodes */
	struct column_page ended;		/* the page before */
	struct text	pages;		/* compressed, with their headers */
	uint64_t	page_bytes;	/* before compression */
	uint64_t	nr_nulls;
	int64_t		min, max;	/* valid if not all values are NULL */
	/* The row group's strings */
	struct text	dictionary;	/* PLAIN */
	uint32_t	*entries;	/* owned, [nr_entries] where they are in it */
	uint32_t	nr_entries, cap_entries;
	struct recent_name {		/* entries of names, by their addresses */
		const char	*s;	/* NULL: none */
		uint32_t	 entry;
	}		recent[1u << RECENT_BITS];
	struct index_map map;		/* finds an entry by its bytes */
};

/* The string's place in the dictionary, added if need be.  @s: UTF-8 */
uint32_t column_string(struct column *c, const char *s, size_t len);

/*
 * Append the bytes of the page that has ended: its definition levels and values, of @rows rows.
 * Return: the encoding of the values.
 */
int page_body(struct column *c, uint32_t rows, struct text *out);

/* Append the Statistics of a row group of @rows rows: its NULLs, the least and the most value. */
void column_statistics(const struct column *c, uint32_t rows, struct thrift *t);
#endif
