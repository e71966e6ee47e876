/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_LINES_H
#define FTOP_SRC_KERNEL_LINES_H
/*
 * kernel_lines - what the kernel's own `trace` file shows of the records of a buffer:
 * its header, and the lines of one record after the other.  Main thread.
 *
 * The kernel prints a line from what it remembers of those before it (who ran, which
 * call is open).  So lines from the middle of a trace are the kernel's once some
 * records of each CPU went by; but for the ends of calls that began before these, which
 * tell the function's name.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/kernel/kernel_options.h"
#include "src/kernel/kernel_order.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct kernel_texts;			/* opaque: of a file */
struct kernel_lines;			/* opaque: of a buffer */

/* @trace: borrowed.  What changes the text is in @options, as a trace.dat does not tell it. */
struct kernel_texts *kernel_texts_new(struct trace *trace, unsigned int file, const struct kernel_options *options);
void kernel_texts_free(struct kernel_texts *texts);	/* NULL is allowed */

/* Begins at the start of the buffer.  @texts: borrowed.  The header counts what the page directory knows so far. */
struct kernel_lines *kernel_lines_new(const struct kernel_texts *texts, unsigned int buffer);
void kernel_lines_free(struct kernel_lines *lines);	/* NULL is allowed */

const bool *kernel_lines_streams(const struct kernel_lines *lines);	/* [trace_nr_streams()] those of the buffer; borrowed */
bool kernel_lines_is_graph(const struct kernel_lines *lines);	/* the tracer is function_graph */
void kernel_lines_header(const struct kernel_lines *lines, struct text *out);

/*
 * Begin anew with the first record with a key of at least @ts, and so many before it of each CPU; or with a row (NONE: behind
 * the last).
 */
void kernel_lines_seek(struct kernel_lines *lines, int64_t ts, unsigned int before);
void kernel_lines_seek_row(struct kernel_lines *lines, trace_ref ref);

bool kernel_lines_next(struct kernel_lines *lines, struct kernel_record *record);	/* false: no more */
/* The lines of this record, the last that kernel_lines_next() gave; none where it belongs to another one's. */
void kernel_lines_add(struct kernel_lines *lines, const struct kernel_record *record, struct text *out);
#endif
