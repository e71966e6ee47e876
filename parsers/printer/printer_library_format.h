/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_FORMAT_H
#define FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_FORMAT_H
/*
 * printer_library_format - prepares an event's format for libtraceevent: registers the symbols that
 * it needs, and replaces constructs that the library cannot parse.
 */
#include <traceevent/event-parse.h>

#include "parsers/types/event_types.h"
#include "parsers/printer/printer.h"
#include "parsers/file/trace_file.h"
#include "src/base/text.h"

/* Register the addresses of the kernel symbols that a print format mentions with @tep. */
void printer_library_format_symbols(struct printer *printer, struct tep_handle *tep,
				    const char *print_fmt);

/*
 * Append the whole format of a type, with numbers in place of sizeof().  @type: NULL if none was
 * parsed.
 */
void printer_library_format_text(const struct trace_file_format *format,
				 const struct event_type *type, struct text *out);

#define PRINTER_LIBRARY_FORMAT_COUNTS	8

/*
 * Find the fields that its print format may use as element counts, borrowed from @type.  Return:
 * how many were stored in @counts.
 */
unsigned int
printer_library_format_counts(const struct event_type *type,
			      const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS]);
#endif
