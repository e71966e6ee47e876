/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_FORMAT_H
#define FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_FORMAT_H
/*
 * printer_library_format - prepares an event's format for libtraceevent: judges whether it may see
 * it, finds the symbols that it needs, and replaces constructs that it cannot parse.
 */
#include "parsers/types/event_types.h"
#include "parsers/source/source.h"
#include "src/base/text.h"

/*
 * May the library see it?  Not if the print format is too long or too deep, divides by zero, or has
 * element counts that are large or computed.  Fields are within 64 KiB (event_format.h), and counts
 * in fields are looked at in each record.
 */
bool printer_library_format_is_bounded(const struct event_type *type);

/* Call @found for each word of a print format that may be a kernel symbol. */
void printer_library_format_symbols(const char *print_fmt,
				    void (*found)(void *arg, const char *name), void *arg);

/* Append the whole format of a type, with numbers in place of sizeof(). */
void printer_library_format_text(const struct event_type *type, struct text *out);

#define PRINTER_LIBRARY_FORMAT_COUNTS	8

/*
 * Find the fields that its print format may use as element counts, borrowed from @type.  Return:
 * how many were stored in @counts.
 */
unsigned int
printer_library_format_counts(const struct event_type *type,
			      const struct event_field *counts[PRINTER_LIBRARY_FORMAT_COUNTS]);
#endif
