/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PARQUET_CELL_H
#define FTOP_SRC_PARQUET_CELL_H
/* cell - a value of a row: a number, a string, or none. */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

struct cell {
	enum { CELL_NULL, CELL_INT, CELL_STRING } kind;
	uint32_t	len;		/* of the string */
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

static inline struct cell cell_null(void)
{
	return (struct cell){ .kind = CELL_NULL };
}
#endif
