/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_TOLD_ROWS_H
#define FTOP_SRC_FILTER_TOLD_ROWS_H
/*
 * told_rows - rows with values from a model's pass whose records are no longer in memory: collects
 * some thousands of them, and then reads their records again, sub-buffer by sub-buffer.
 *
 * One thread.
 */
#include "parsers/file/sub_buffer.h"
#include "src/filter/filter_names.h"
#include "src/trace/trace.h"

struct told_rows;			/* opaque */

struct told_rows *told_rows_new(struct trace *trace);	/* borrowed */
void told_rows_free(struct told_rows *rows);		/* NULL is allowed */

/* Return: whether it is full, so that they must be read. */
bool told_rows_add(struct told_rows *rows, trace_ref ref, const struct filter_told *told);

/*
 * Pass the collected rows to @see, ascending by ref, and forget them.  @rec: the record; @room:
 * readable bytes from its start.
 */
void told_rows_read(struct told_rows *rows,
		    void (*see)(void *arg, trace_ref ref, const struct filter_told *told,
				const struct record *rec, uint32_t room),
		    void *arg);
#endif
