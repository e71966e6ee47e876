/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_VALUE_COLUMN_H
#define FTOP_SRC_TRACE_VALUE_COLUMN_H
/*
 * value_column - a number for some records of a trace, as a model's pass finds them: how long the
 * task waited, at each switch.  Filters look the number up by the record's ref.
 *
 * Bytes for a record that has a number; 1 to 4 more if 7 or more records before it have none:
 *
 *     below 16: 1    below 2^11 (2 us, in ns): 2    below 2^18 (262 us): 3    below 2^25 (33 ms): 4
 *
 * One thread adds; after value_column_end() any thread may read.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct value_column;			/* opaque */

/* @limit: bytes; numbers that come when it is reached are dropped. */
struct value_column *value_column_new(const struct trace *trace, uint64_t limit);
void value_column_free(struct value_column *column);	/* NULL is allowed */

/*
 * Add the number of a record that has none yet.  Records come in any order, but fast only if those
 * of a stream come almost in order: the latest 4,096 are sorted before they are packed.
 */
void value_column_add(struct value_column *column, trace_ref ref, int64_t value);
/* Drop the numbers of a stream's records. */
void value_column_drop(struct value_column *column, unsigned int stream);
void value_column_end(struct value_column *column);	/* after the last value_column_add() */

bool value_column_is_full(const struct value_column *column);	/* were numbers dropped? */
uint64_t value_column_bytes(const struct value_column *column);	/* memory used */

/*
 * State of a lookup, fast if the records of a stream are mostly looked up in order.  Zero it before
 * first use; use it with one column, after value_column_end().
 */
struct value_column_at {
	const struct value_block *block;	/* NULL: none yet */
	const uint8_t		*next;		/* the bytes after the number below */
	trace_ref		 asked;		/* the last record that was looked up */
	trace_ref		 ref;		/* the first record from there on with a number */
	int64_t			 value;		/* that number */
};

/* The number of a record; false: it has none. */
bool value_column_find(const struct value_column *column, struct value_column_at *at, trace_ref ref,
		       int64_t *value);
#endif
