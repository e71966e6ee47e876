/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TOLD_ROWS_H
#define FTOP_SRC_TOLD_ROWS_H
/*
 * told_rows - records that a pass tells something of, which it no longer has at hand: they wait until there are some
 * thousands, and are read again, sub-buffer after sub-buffer.
 *
 * One thread.
 */
#include "parsers/file/sub_buffer.h"
#include "src/filter/filter_names.h"
#include "src/trace/trace.h"

struct told_rows;			/* opaque */

struct told_rows *told_rows_new(struct trace *trace);	/* borrowed */
void told_rows_free(struct told_rows *rows);		/* NULL is allowed */

/* Return: no more can wait: they are to be read. */
bool told_rows_add(struct told_rows *rows, trace_ref ref, const struct filter_told *told);

/* Let @see have those that wait, ascending by ref; none wait then.  @rec: the record; @room: bytes from its first one on. */
void told_rows_read(struct told_rows *rows, void (*see)(void *arg, trace_ref ref, const struct filter_told *told,
							const struct record *rec, uint32_t room), void *arg);
#endif
