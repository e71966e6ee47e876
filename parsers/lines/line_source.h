/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_SOURCE_H
#define FTOP_PARSERS_LINES_LINE_SOURCE_H
/*
 * line_source - a text trace as a source: one buffer, with a stream for each CPU.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/error.h"

struct line_file;			/* line_file.h */
struct line_formats;			/* line_known.h */
struct source;
struct source_start;

/* Is it a text trace?  @head: the first bytes of a file. */
bool line_source_is_it(const uint8_t *head, size_t len);
/* NULL with FT_E_FORMAT if none of the lines is an event, FT_E_IO. */
struct source *line_source_open(const struct source_start *start, struct ft_error *err);

/*
 * The text of a latency tracer, as the streams of buffer number @buffer of the source that it was
 * found in, which is taken over.  @text is borrowed from that source.
 */
struct source *line_source_inside(struct source *around, unsigned int buffer, const char *text,
				  uint64_t size, const struct line_formats *formats);

/* What a text trace holds, or the text of a latency tracer; NULL: the source is no text. */
const struct line_file *line_source_file(const struct source *source);
#endif
