/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_H
#define FTOP_PARSERS_PRINTER_H
/*
 * printer - prints one record in a style.
 *
 * Texts are made by programs of our own (record_text.h); libtraceevent is asked, under
 * its lock, for events that have none and for those that a plugin of the user prints,
 * and is not loaded before.  Any thread may print, but with .sequential only one.
 * One printer per file.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "src/base/error.h"
#include "src/base/text.h"

enum print_style {
	PRINT_TRACE_CMD,		/* what trace-cmd 3.1 report prints */
	PRINT_TRACE_CMD_RAW,		/* report -R: fields as raw values */
	PRINT_SHORT,			/* narrow screens: trace-cmd's text with true states; function records as the kernel's graph */
	PRINT_KERNEL,			/* wide screens, filters: the kernel's text; function records as its graph prints them */
};

struct print_record {
	const struct event_type	*type;	/* NULL: unknown id */
	const uint8_t	*data;
	uint32_t	 size;
	uint32_t	 room;		/* bytes that may be read from data on, at least size; 0 = size.  trace-cmd runs on behind
					   records in strings that miss their NUL, and its text is copied */
	uint64_t	 ts;		/* as report shows it, with the file's offsets (func_repeats prints times) */
	uint64_t	 note;		/* of records in order: what those before left for this one (printer_remember()); else 0 */
	int		 cpu;
};

/* Times inside of texts, as report shows the records' own. */
enum print_time {
	PRINT_TIME_US,			/* seconds with 6 decimals */
	PRINT_TIME_NS,			/* report -t: with 9 */
	PRINT_TIME_COUNT,		/* a clock that is not in ns, or report --raw-ts */
};

struct printer_options {
	bool		 no_plugins;	/* report -N: neither plugins nor overrides */
	bool		 no_system_plugins; /* plugins of the user's folder only */
	bool		 era_34;	/* as trace-cmd 3.3 and 3.4 with libtraceevent from 1.8 on, not as 3.1 */
	bool		 sequential;	/* records come in report's order from the first on: function indent is kept */
	bool		 library_only;	/* print by libtraceevent alone: what tests compare with */
	const char *const *plugin_options; /* report -O: "ftrace:parent=1" … */
	unsigned int	 nr_plugin_options;
};

struct printer;
struct record_text_type;		/* record_text.h */

/* @file and @types are borrowed and must live longer.  Costs nothing: all else is read when it is first needed.  @err: not set. */
struct printer *printer_new(const struct trace_file *file, struct event_types *types,
			    const struct printer_options *options, struct ft_error *err);
void printer_free(struct printer *printer);	/* NULL is allowed */

/**
 * printer_text() - append the text of a record (the part behind "event_name: ")
 * @next: the record that follows in report's order (for the leaves of function_graph), or NULL
 * @merged: set to true if @next, the exit of a leaf call, is part of this text and is not to be printed again; may be NULL
 *
 * The bytes are as the trace has them: what goes to a terminal passes text_printable() first.
 * One final newline is dropped; others stay.  PRINT_SHORT and PRINT_KERNEL are the same in any order, and leave nothing.
 */
void printer_text(struct printer *printer, enum print_style style, const struct print_record *rec,
		  const struct print_record *next, bool *merged, struct text *out);

/*
 * How programs of ours print a type: from any thread and in any order, by record_text_print().  NULL: libtraceevent prints
 * it, one record at a time; so it does where record_text_print() cannot.
 */
const struct record_text_type *printer_type(struct printer *printer, enum print_style style, const struct event_type *type);

/*
 * What printer_text() does besides, of a .sequential printer: what a record leaves for those behind it.  In their order, by
 * one thread.  Return: the note for print_record.note.
 */
uint64_t printer_remember(struct printer *printer, const struct record_text_type *how, const struct print_record *rec);

/* Would printer_remember() leave nothing?  May say false where it is so. */
bool printer_tells_nothing(struct printer *printer, const struct record_text_type *how, const struct print_record *rec);

/* Will printer_text() find that @next is part of the text? */
bool printer_merges(struct printer *printer, enum print_style style, const struct print_record *rec,
		    const struct print_record *next);

/* Append what texts of a type look like, to a pattern of text_pattern.h. */
struct text_pattern;
void printer_pattern(struct printer *printer, enum print_style style, const struct event_type *type, struct text_pattern *pattern);

/* libtraceevent's text alone: of types without a printer_type(), or where record_text_print() failed. */
void printer_text_by_library(struct printer *printer, enum print_style style, const struct print_record *rec,
			     const struct print_record *next, bool *merged, struct text *out);

/* How func_repeats shows its time; PRINT_TIME_US at first.  Not while others print. */
void printer_set_time(struct printer *printer, enum print_time time);

/* Append one field's value: by the print format's own conversion where it has one, else by its kind. */
void printer_field(struct printer *printer, const struct print_record *rec, const struct event_field *field,
		   bool raw, struct text *out);

/*
 * trace-cmd's rule for names: saved cmdlines; for others the first name that a sched event told when it was printed
 * (.sequential alone learns those).  One thread.
 */
const char *printer_comm(struct printer *printer, int pid);

/* Name of the event type as report prints it, or NULL where the file has no format of this id that libtraceevent reads. */
const char *printer_event_name(struct printer *printer, int id);

/* Symbols of the file.  Any thread. */
const struct kallsyms *printer_kallsyms(struct printer *printer);

/*
 * Folder libtraceevent's plugins came from, or NULL with a reason (not installed, switched off) in *why (may be NULL).
 * Loads them.
 */
const char *printer_plugins(struct printer *printer, const char **why);
#endif
