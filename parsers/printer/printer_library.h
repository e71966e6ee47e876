/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_LIBRARY_H
#define FTOP_PARSERS_PRINTER_LIBRARY_H
/*
 * printer_library - libtraceevent and its plugins behind a printer: for events of which
 * record_text has no program, and those that a plugin of the user prints.
 *
 * The library changes itself as it prints, and its plugins' state is per process: one
 * lock for all of it.
 */
#include "parsers/printer/printer.h"

struct printer_library;

/* Loads the plugins.  @printer has the symbols.  NULL: no memory. */
struct printer_library *printer_library_new(struct printer *printer, const struct trace_file *file,
					    struct event_types *types, const struct printer_options *options);
void printer_library_free(struct printer_library *lib);	/* NULL is allowed */

/*
 * As printer.h has them, of the same record and style, for any thread, one at a time.  @next: the record behind it, of which an
 * entry of function_graph tells where it is a leaf (then *merged is true), or NULL.
 */
void printer_library_text(struct printer_library *lib, enum print_style style, const struct print_record *rec,
			  const struct print_record *next, bool *merged, struct text *out);
void printer_library_field(struct printer_library *lib, const struct print_record *rec, const struct event_field *field,
			   struct text *out);
void printer_library_set_time(struct printer_library *lib, enum print_time time);
const char *printer_library_comm(struct printer_library *lib, int pid);	/* borrowed; "<...>" where it knows none */
const char *printer_library_event_name(struct printer_library *lib, int id);	/* or NULL */
const char *printer_library_plugins(const struct printer_library *lib);	/* folder of the first one, or NULL */

/* Do plugins of the user's own folder print this event? */
bool printer_library_is_users(struct printer_library *lib, int id);
#endif
