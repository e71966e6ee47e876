/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_RECORD_H
#define FTOP_PARSERS_LINES_LINE_RECORD_H
/*
 * line_record - the lines that a record was made of, if source_info.is_text says that it was.
 * @data: its payload, [size].
 */
#include <stdint.h>
#include "parsers/lines/text_trace.h"

/* Without task, CPU, time and name. */
struct text_slice line_record_text(const uint8_t *data, uint32_t size);
/* All its lines, as in the file. */
struct text_slice line_record_lines(const uint8_t *data, uint32_t size);
#endif
