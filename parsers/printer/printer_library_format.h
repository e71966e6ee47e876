/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_LIBRARY_FORMAT_H
#define FTOP_PARSERS_PRINTER_LIBRARY_FORMAT_H
/*
 * printer_library_format - an event's format as libtraceevent gets it: with the symbols that it asks for, and without what the
 * library stumbles over.
 */
#include <traceevent/event-parse.h>

#include "parsers/types/event_types.h"
#include "parsers/printer/printer.h"
#include "parsers/file/trace_file.h"
#include "src/base/text.h"

/* Tell @tep where the symbols of the kernel lie that a print format mentions. */
void printer_library_format_symbols(struct printer *printer, struct tep_handle *tep, const char *print_fmt);

/* Append the whole format of a type, with numbers for sizeof().  @type: NULL, none was parsed. */
void printer_library_format_text(const struct trace_file_format *format, const struct event_type *type, struct text *out);

#define PRINTER_LIBRARY_FORMAT_COUNTS	8

/* Fields that its print format may take for numbers of elements, borrowed from @type.  Returns how many were put into @counts. */
unsigned int printer_library_format_counts(const struct event_type *type,
					   const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS]);
#endif
