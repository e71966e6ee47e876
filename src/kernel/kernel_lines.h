/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_KERNEL_LINES_H
#define FTOP_SRC_KERNEL_KERNEL_LINES_H
/*
 * kernel_lines - what the kernel's own `trace` file shows for the records of a buffer: the header,
 * and the lines of each record. Main thread.
 *
 * The kernel's lines depend on earlier ones (which task ran, which calls are open).  So lines from
 * the middle of a trace are only correct after some records of each CPU; even then, the end of a
 * call that began before these shows the function's name.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/kernel/kernel_options.h"
#include "src/kernel/kernel_order.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct kernel_texts;			/* opaque: for a file */
struct kernel_lines;			/* opaque: for a buffer */

/*
 * @trace: borrowed.  @options: everything that changes the text, because a trace.dat does not
 *        record it.
 */
struct kernel_texts *kernel_texts_new(struct trace *trace, unsigned int file,
				      const struct kernel_options *options);
void kernel_texts_free(struct kernel_texts *texts);	/* NULL is allowed */

/*
 * Begins at the start of the buffer.  @texts: borrowed.  The header shows the counts that the page
 * directory knows so far.
 */
struct kernel_lines *kernel_lines_new(const struct kernel_texts *texts, unsigned int buffer);
void kernel_lines_free(struct kernel_lines *lines);	/* NULL is allowed */

/* [trace_nr_streams()]: streams of the buffer; borrowed */
const bool *kernel_lines_streams(const struct kernel_lines *lines);
bool kernel_lines_is_graph(const struct kernel_lines *lines);	/* is the tracer function_graph? */
/* Append the line about lost events as a text of the kernel has it. */
void kernel_lines_lost(const struct trace_event *lost, struct text *out);
void kernel_lines_header(const struct kernel_lines *lines, struct text *out);

/*
 * Start over, @before records of each CPU before the first one with a key of at least @ts; or at a
 * row (NONE: the end).
 */
void kernel_lines_seek(struct kernel_lines *lines, int64_t ts, unsigned int before);
void kernel_lines_seek_row(struct kernel_lines *lines, trace_ref ref);

/* false at the end */
bool kernel_lines_next(struct kernel_lines *lines, struct kernel_record *record);
/*
 * Append the lines of the record that kernel_lines_next() returned last; none if it is part of
 * another record's lines.
 */
void kernel_lines_add(struct kernel_lines *lines, struct kernel_record *record, struct text *out);
#endif
