/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_RECORD_H
#define FTOP_PARSERS_LINES_LINE_RECORD_H
/*
 * line_record - the lines of text that a record was made of.  Only for sources with
 * source_info.is_text.  @data: the record's payload, [size].
 */
#include <stdint.h>
#include "parsers/lines/text_trace.h"

/* Without task, CPU, time and name. */
struct text_slice line_record_text(const uint8_t *data, uint32_t size);
/* All its lines, as in the file. */
struct text_slice line_record_lines(const uint8_t *data, uint32_t size);
/*
 * The payload as a trace.dat can have it: the fields, and the text as a string, to which the field
 * * "line" points (line_type_format()).  A text for which there is no room is cut.  Return: as
 * source_file_record().
 */
uint32_t line_record_file(const uint8_t *data, uint32_t size, uint8_t *to, uint32_t room);
#endif
