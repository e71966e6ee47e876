/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_FORMAT_PATTERN_H
#define FTOP_PARSERS_PRINT_FORMAT_PATTERN_H
/*
 * format_pattern - where the fields of an event are in its text, by its print format: patterns as
 * parsers/lines/line_known.h has them.
 *
 * A conversion of a field gives the field back, with its type of C.  What the format computes is
 * text: that of the only field in the expression, or else of the word before it, "word=%s"; such a
 * number is a number.  Two conversions of one expression, "%d,%d", are one text, or a device.
 */
#include "parsers/source/source.h"
#include "parsers/lines/line_known.h"

/**
 * format_pattern_read() - add the pattern of an event's format file
 * @format: unparsed; not kept
 * @long_size: of the kernel: 4 or 8
 *
 * Formats that cannot be parsed are left out, and those of the system ftrace, whose events the
 * kernel prints in other ways.
 */
void format_pattern_read(struct line_formats *formats, const struct source_format *format,
			 int long_size);
#endif
