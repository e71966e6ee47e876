/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_H
#define FTOP_PARSERS_PRINTER_PRINTER_LIBRARY_H
/*
 * printer_library - asks the helper (printer_helper.h), in which libtraceevent and its plugins are,
 * for events for which record_text has no program, and those that a user's plugin handles.
 *
 * An event type that is too much for the library, or that the helper dies of, is printed by its
 * fields; the file gets a warning of it, and the next question starts another helper.
 */
#include "parsers/printer/printer.h"

struct printer_library;

/* @printer owns the symbols.  The helper is started when something is asked. */
struct printer_library *printer_library_new(struct printer *printer, const struct source *file,
					    struct event_types *types,
					    const struct printer_options *options);
void printer_library_free(struct printer_library *lib);	/* NULL is allowed */

/*
 * As in printer.h, for any thread, one at a time.  @next: the record that follows, or NULL; if it
 * makes an entry of function_graph a leaf, *merged is set to true.
 */
void printer_library_text(struct printer_library *lib, enum print_style style,
			  const struct print_record *rec, const struct print_record *next,
			  bool *merged, struct text *out);
/*
 * For one of many records in report's order, none of which needs the next one: the text is appended
 * to @out, and *note is set to its offset there << 32 | its length, now or later; at the latest by
 * printer_library_finish().
 */
void printer_library_later(struct printer_library *lib, enum print_style style,
			   const struct print_record *rec, struct text *out, uint64_t *note);
void printer_library_finish(struct printer_library *lib);
void printer_library_field(struct printer_library *lib, const struct print_record *rec,
			   const struct event_field *field, struct text *out);
void printer_library_set_time(struct printer_library *lib, enum print_time time);
const char *printer_library_comm(struct printer_library *lib, int pid); /* borrowed; "<...>" if
									 * not known */
/* folder of the first one, or NULL */
const char *printer_library_plugins(struct printer_library *lib);

/* Does a plugin from the user's own folder print this event? */
bool printer_library_is_users(struct printer_library *lib, const struct event_type *type);
#endif
