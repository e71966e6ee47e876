/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_ROW_SET_H
#define FTOP_SRC_TRACE_ROW_SET_H
/*
 * row_set - a set of rows of a trace: at most one bit for each row of the sub-buffers with rows in
 * the set.
 *
 * Rows are added in any order, those near each other at about the same time: a buffer of 256 KiB
 * collects them, and is freed at the end. One thread adds rows; after row_set_end() any thread may
 * read.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct row_set;				/* opaque */

struct row_set *row_set_new(unsigned int nr_streams);	/* rows must be of streams below this */
void row_set_free(struct row_set *set);			/* NULL is allowed */

void row_set_add(struct row_set *set, trace_ref ref);	/* again: does nothing */
void row_set_end(struct row_set *set);			/* call it after the last row_set_add() */

/* Is a row in the set?  Only after row_set_end(). */
bool row_set_has(const struct row_set *set, trace_ref ref);

/* Call @see for the items of a page that are in the set, ascending.  Only after row_set_end(). */
void row_set_page(const struct row_set *set, unsigned int stream, uint64_t page,
		  void (*see)(void *arg, uint32_t item), void *arg);

/* Free the rows of all pages before this one.  Only after row_set_end(). */
void row_set_forget(struct row_set *set, unsigned int stream, uint64_t page);

uint64_t row_set_bytes(const struct row_set *set);	/* memory used */
#endif
