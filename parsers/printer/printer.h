/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_H
#define FTOP_PARSERS_PRINTER_PRINTER_H
/*
 * printer - prints one record in a style.
 *
 * Most texts are made by our own programs (record_text.h).  libtraceevent prints events without a
 * program and those that a user's plugin handles: in another process, the helper, which is started
 * when first needed.  Any thread may print; with .sequential only one.  One printer per file.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/print/print_record.h"
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct printer_options {
	bool		 no_plugins;	/* report -N: neither plugins nor overrides */
	bool		 no_system_plugins; /* plugins of the user's folder only */
	bool		 era_34;	/* as trace-cmd 3.3 and 3.4 with
					   libtraceevent from 1.8 on, not as 3.1 */
	bool		 sequential;	/* records come in report's order from the
					   first on: function indent is kept */
	bool		 library_only;	/* print by libtraceevent only: the reference for tests */
	const char *const *plugin_options; /* report -O: "ftrace:parent=1" … */
	unsigned int	 nr_plugin_options;
};

struct printer;
struct record_text_type;		/* record_text.h */

/*
 * How printers get their helper: @start returns a socket, at the other end of which a new process
 * runs printer_helper_serve() (printer_helper.h); or -1.  @how: how that process has ended, as
 * "crashed"; it is ended if it still runs; @buf: for the text; NULL: nobody knows.  Any thread may
 * call them.  Without @start, or after too many helpers have died, the events of libtraceevent are
 * printed by their fields.
 */
void printer_set_helper(int (*start)(void), const char *(*how)(int fd, char *buf, size_t size));

/*
 * @file and @types are borrowed and must outlive the printer.  Cheap: everything else is read on
 * first use.
 */
struct printer *printer_new(const struct source *file, struct event_types *types,
			    const struct printer_options *options);
void printer_free(struct printer *printer);	/* NULL is allowed */

/**
 * printer_text() - append the text of a record (the part after "event_name: ")
 * @next: the record that follows in report's order (for the leaves of function_graph), or NULL
 * @merged: set to true if @next, the exit of a leaf call, is part of this text and must not be
 *        printed again; may be NULL
 *
 * The text may contain any bytes of the trace: use text_printable() before a terminal.  One final
 * newline is dropped; others stay. The order of calls does not matter for PRINT_KERNEL.
 */
void printer_text(struct printer *printer, enum print_style style, const struct print_record *rec,
		  const struct print_record *next, bool *merged, struct text *out);

/**
 * printer_screen() - append the text for a row of the screen; any thread
 * @exit:  of a leaf call, which is part of the text: "f();  1.322 µs"; or NULL
 * @cells: the room: an event that has a short form gets it where the kernel's text is wider
 */
void printer_screen(struct printer *printer, const struct print_record *rec,
		    const struct print_record *exit, int cells, struct text *out);

/*
 * Our own program for a type; record_text_print() runs it in any thread and in any order.  NULL:
 * only libtraceevent can print it, one record at a time; the same holds for records for which
 * record_text_print() fails.
 */
const struct record_text_type *printer_type(struct printer *printer, enum print_style style,
					    const struct event_type *type);

/*
 * Update the state of a .sequential printer for the next records, which printer_text() would do as
 * well.  Call it in order, in one thread.
 * Return: the note for print_record.note.
 */
uint64_t printer_remember(struct printer *printer, const struct record_text_type *how,
			  const struct print_record *rec);

/*
 * Does printer_remember() change nothing for this record?  May return false although it changes
 * nothing.
 */
bool printer_tells_nothing(struct printer *printer, const struct record_text_type *how,
			   const struct print_record *rec);

/* Would printer_text() set *merged: is @next part of the text? */
bool printer_merges(struct printer *printer, enum print_style style, const struct print_record *rec,
		    const struct print_record *next);

/* Append the pattern of a type's texts (text_pattern.h). */
struct text_pattern;
void printer_pattern(struct printer *printer, enum print_style style, const struct event_type *type,
		     struct text_pattern *pattern);
/* That of words, without blanks, in printer_screen()'s. */
void printer_screen_pattern(struct printer *printer, const struct event_type *type,
			    struct text_pattern *pattern);

/* Print by libtraceevent: for types without a printer_type(), or if record_text_print() failed. */
void printer_text_by_library(struct printer *printer, enum print_style style,
			     const struct print_record *rec, const struct print_record *next,
			     bool *merged, struct text *out);

/*
 * Print many records by libtraceevent, in report's order, that do not need @next: one question to
 * the helper is for many of them.  The text is appended to @out, and *note is set to its offset
 * there << 32 | its length: now or later, at the latest by printer_finish_texts().
 */
void printer_text_later(struct printer *printer, enum print_style style,
			const struct print_record *rec, struct text *out, uint64_t *note);
void printer_finish_texts(struct printer *printer);

/*
 * Set how func_repeats shows its time; PRINT_TIME_US by default.  No other thread may be printing.
 */
void printer_set_time(struct printer *printer, enum print_time time);

/*
 * Append one field's value: by its conversion in the print format if there is one, else by its
 * kind.
 */
void printer_field(struct printer *printer, const struct print_record *rec,
		   const struct event_field *field, bool raw, struct text *out);

/*
 * The name of a task by trace-cmd's rule: saved cmdlines; for other pids the first name in a sched
 * event that was printed (learnt by .sequential printers only).  One thread.
 */
const char *printer_comm(struct printer *printer, int pid);

/* Name of the event type as in report; NULL if the file has no valid format of this id. */
const char *printer_event_name(struct printer *printer, int id);

/* Symbols of the file.  Any thread. */
const struct kallsyms *printer_kallsyms(struct printer *printer);

/*
 * Folder from which libtraceevent's plugins were loaded; NULL with a reason (not installed,
 * switched off) in *why (may be NULL).  Has the helper load them.
 */
const char *printer_plugins(struct printer *printer, const char **why);
#endif
