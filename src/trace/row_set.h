/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_ROW_SET_H
#define FTOP_SRC_ROW_SET_H
/*
 * row_set - some rows of a trace, in a bit for a row of the sub-buffers where there are many, and about a byte for each
 * of the others.
 *
 * Rows are added in any order, those near each other at about the same time: they wait in a buffer of 256 KiB, that is
 * gone once the set is done.  One thread adds; once it is done, any may ask.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct row_set;				/* opaque */

struct row_set *row_set_new(unsigned int nr_streams);	/* rows are of streams below this */
void row_set_free(struct row_set *set);			/* NULL is allowed */

void row_set_add(struct row_set *set, trace_ref ref);	/* a row that is there already stays */
void row_set_end(struct row_set *set);			/* no more are added */

/* Is a row in it?  After row_set_end(). */
bool row_set_has(const struct row_set *set, trace_ref ref);

/* The items of a page that are in it, ascending.  After row_set_end(). */
void row_set_page(const struct row_set *set, unsigned int stream, uint64_t page, void (*see)(void *arg, uint32_t item), void *arg);

/* Nobody asks for rows of pages before this one any more.  After row_set_end(). */
void row_set_forget(struct row_set *set, unsigned int stream, uint64_t page);

uint64_t row_set_bytes(const struct row_set *set);	/* of memory */
#endif
