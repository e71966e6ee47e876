/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_PARQUET_H
#define FTOP_SRC_PARQUET_PARQUET_H
/*
 * parquet - writes one table as a Parquet file, or as CSV: columns of numbers and of strings, each
 * of which may have NULLs.  Format: https://parquet.apache.org/docs/file-format/.
 *
 * Rows are written in groups of a million, or fewer if they have many different strings.  A
 * group's pages are held compressed, so memory does not grow with the table: about half a MB for
 * each column, and some MB for a group.  Each column of a group has its minimum, its maximum and
 * its number of NULLs.
 *
 * Workers encode and compress a page while the rows of the next one are added.
 */
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include "src/base/error.h"
#include "src/base/workers.h"

enum parquet_kind {
	PARQUET_INT,			/* 64 bits; as differences from row to row */
	PARQUET_PLAIN,			/* the same, for numbers that have no such order */
	PARQUET_STRING,			/* UTF-8; other bytes become U+FFFD */
};

struct parquet_column {
	const char	*name;
	enum parquet_kind kind;
};

struct cell {				/* a value of a row: a number, a string, or none */
	enum { CELL_NULL, CELL_INT, CELL_STRING, CELL_NAME } kind;
	uint32_t	len;		/* STRING: bytes */
	union {
		int64_t		number;
		const char	*s;	/* borrowed */
	};
};

static inline struct cell cell_int_if(bool has, int64_t number)
{
	return (struct cell){ .kind = has ? CELL_INT : CELL_NULL, .number = number };
}

static inline struct cell cell_int(int64_t number)
{
	return cell_int_if(true, number);
}

/* @s: NULL: no value */
static inline struct cell cell_bytes(const void *s, size_t len)
{
	return (struct cell){ .kind = s ? CELL_STRING : CELL_NULL, .s = s, .len = (uint32_t)len };
}

static inline struct cell cell_string(const char *s)
{
	return cell_bytes(s, s ? strlen(s) : 0);
}

/*
 * A string that is the same as long as the table is written: it is found by its address, which
 * costs less.  @s: NULL: no value
 */
static inline struct cell cell_name(const char *s)
{
	return (struct cell){ .kind = s ? CELL_NAME : CELL_NULL, .s = s };
}

static inline struct cell cell_null(void)
{
	return (struct cell){ .kind = CELL_NULL };
}

struct parquet;				/* opaque */

/*
 * @fd: an empty file, taken over; @columns: [nr], borrowed.
 * @workers: borrowed; NULL: the caller's thread does everything
 */
struct parquet *parquet_new(int fd, const struct parquet_column *columns, unsigned int nr, bool csv,
			    struct workers *workers);

/*
 * Add a row.  @cells: of all columns, in their order.  One thread at a time, which may be a
 * worker.
 */
void parquet_row(struct parquet *parquet, const struct cell *cells);

/* Could something not be written?  Then more rows are of no use. */
bool parquet_failed(const struct parquet *parquet);

/*
 * Write what is left, without which no program can read the file.
 * Return: 0, or -1 with FT_E_IO, of the first failure of all that was written.
 */
int parquet_end(struct parquet *parquet, struct ft_error *err);
void parquet_free(struct parquet *parquet);	/* NULL is allowed */
#endif
