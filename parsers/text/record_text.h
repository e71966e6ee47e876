/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_RECORD_TEXT_H
#define FTOP_PARSERS_RECORD_TEXT_H
/*
 * record_text - text of a record by programs of our own, from any thread and
 * without a lock.
 *
 * An event's print format is compiled once, when its first record is printed, into
 * an immutable program on raw fields (print_format: text to tree, print_program:
 * tree to program).  Events that trace-cmd's plugins or the kernel print by code of
 * their own have handlers of ours.  What has neither is libtraceevent's: printer.h
 * asks here first.
 *
 * Styles: TRACE_CMD is what trace-cmd with libtraceevent and its plugins prints, of
 * the era asked for; KERNEL is what the kernel's own trace file prints.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "parsers/printer/printer.h"
#include "src/base/text.h"

enum text_style { TEXT_TRACE_CMD, TEXT_TRACE_CMD_RAW, TEXT_KERNEL };

enum text_era {
	TEXT_ERA_3_1,			/* trace-cmd 3.1, libtraceevent before 1.8 */
	TEXT_ERA_3_4,			/* trace-cmd 3.3 and 3.4, libtraceevent 1.8 and later */
};

struct record_text_options {
	enum text_era	era;
	bool		no_plugins;	/* print formats alone: report -N */
	bool		tailprint, depth;	/* fgraph:tailprint, fgraph:depth */
	bool		retval_skip, retval_dec, retval_hex; /* fgraph:retval-skip …, of TEXT_ERA_3_4 */
	bool		parent, no_indent, offset; /* ftrace:parent … */
	enum print_time	time;		/* of times inside of texts (func_repeats) */
	const struct kernel_text_options *kernel; /* of the style TEXT_KERNEL; borrowed, or NULL */
};

struct record_text;			/* opaque; one per file */

/*
 * What records printed in order leave for those behind them: names of tasks, the indent of function calls.  One per
 * report, one thread's; the printing itself needs a note of it alone and may be any thread's.
 */
struct record_text_state;
struct record_text_state *record_text_state_new(void);
void record_text_state_free(struct record_text_state *state);	/* NULL is allowed */

/*
 * The name trace-cmd would show of a task now: by the saved cmdlines, else as the records printed so far told it.
 * NULL: unknown.  Lives as long as the state.
 */
const char *record_text_comm(struct record_text *rt, struct record_text_state *state, int pid);

/* All are borrowed and must live longer. */
struct record_text *record_text_new(const struct trace_file *file, struct event_types *types, const struct kallsyms *syms,
				    const struct record_text_options *options);
void record_text_free(struct record_text *rt);	/* NULL is allowed */
void record_text_set_time(struct record_text *rt, enum print_time time);	/* before the first record is printed */

/* How a type is printed in a style: immutable, lives as long as the record_text. */
struct record_text_type;
const struct record_text_type *record_text_type(struct record_text *rt, enum text_style style, const struct event_type *type);

/* Has it a program?  Else the library is to be asked. */
bool record_text_is_own(const struct record_text_type *how);

/**
 * record_text_remember() - what a record leaves for those behind it, as if it were printed now
 *
 * To be called for the records of a report in its order, of types for which record_text_remembers().
 * Return: the note that goes into the record for record_text_print(): what those before it left.
 */
uint64_t record_text_remember(const struct record_text_type *how, const struct print_record *rec, struct record_text_state *state);
bool record_text_remembers(const struct record_text_type *how);
/* Would record_text_remember() change nothing, now and ever after, and its note be 0?  May say false where it is so. */
bool record_text_tells_nothing(const struct record_text_type *how, const struct print_record *rec,
			       const struct record_text_state *state);

/* Is @next, the exit of a leaf call, part of the record's text? */
bool record_text_merges(const struct record_text_type *how, const struct print_record *rec, const struct print_record *next);

/**
 * record_text_print() - append the text of a record (the part behind "event_name: "); any thread
 * @how:  of the record's type; KERNEL has texts of its own and is printed by record_text_add() alone
 * @next: the record that is part of the text, by record_text_merges(); or NULL
 *
 * Return: false, with nothing appended, where there is no program, or it cannot print this record: ask the library.
 */
bool record_text_print(const struct record_text_type *how, const struct print_record *rec, const struct print_record *next,
		       struct text *out);

/**
 * record_text_add() - the same in one call
 * @next:   record that follows on the same handle (TRACE_CMD) or CPU (KERNEL), for leaves of function_graph; or NULL
 * @merged: true if @next is part of the text; may be NULL
 */
bool record_text_add(struct record_text *rt, enum text_style style, const struct print_record *rec,
		     const struct print_record *next, bool *merged, struct text *out);

/* Append what texts of the type look like, to a pattern of text_pattern.h. */
struct text_pattern;
void record_text_pattern(const struct record_text_type *how, struct text_pattern *pattern);
/* The same of KERNEL.  False: there is no program in that style, and nothing was appended. */
bool record_text_kernel_pattern(struct record_text *rt, const struct event_type *type, struct text_pattern *pattern);

/* Append one field as the style's print format shows it ("S", "GFP_KERNEL"); false: by the field's kind alone. */
bool record_text_field(struct record_text *rt, enum text_style style, const struct print_record *rec,
		       const struct event_field *field, struct text *out);

/* Why the type has no program: for tests and `info`; NULL: it has one. */
const char *record_text_why_not(struct record_text *rt, enum text_style style, int type_id);

/*
 * Values with names: what a print format's __print_symbolic() and __print_flags() say of a field, for filters
 * (prev_state == R, gfp_flags & GFP_ATOMIC).  Immutable, owned by rt.
 */
struct value_name {
	const char	*name;
	uint64_t	 value;
};
struct value_names {
	bool			 flags;	/* bits, shown with a separator between; else one of */
	bool			 both;	/* shown by tables of either kind */
	unsigned int		 nr;
	const struct value_name	*names;
};
const struct value_names *record_text_names(struct record_text *rt, const struct event_type *type,
					    const struct event_field *field);	/* NULL: none */

/*
 * A handler: prints one kind of event.  False: it is to be printed by its format, behind what the handler appended (as
 * handlers of libtraceevent do).  One newline at the end is dropped.  @next: the record that is part of the text, or NULL.
 */
struct text_context;			/* record_text_private.h: file, symbols, options, fields of the type */
typedef bool (*text_handler)(const struct text_context *c, const struct print_record *rec, const struct print_record *next,
			     struct text *out);
#define TEXT_HANDLER_FIELDS 8
struct text_handler_def {
	const char	*system, *name;	/* "sched", "sched_switch"; NULL: any */
	text_handler	 handler;	/* NULL: a plugin prints it that has no twin: ask the library */
	const char	*fields[TEXT_HANDLER_FIELDS];	/* that it gets in c->f, in this order; a type may lack some */
	/* May be NULL: record_text_remember(), _tells_nothing() and _merges() of the type. */
	uint64_t	 (*remember)(const struct text_context *c, const struct print_record *rec,
				     struct record_text_state *state);
	bool		 (*tells_nothing)(const struct text_context *c, const struct print_record *rec,
					  const struct record_text_state *state);
	bool		 (*merges)(const struct text_context *c, const struct print_record *rec, const struct print_record *next);
	/* Append what the handler's texts look like; NULL: like anything.  True: the print format's text may be behind it. */
	bool		 (*pattern)(const struct text_context *c, struct text_pattern *pattern);
};
/* Twins of the handlers that trace-cmd's plugins bring; ended by .name NULL.  Those of the kernel are kernel_text.h's. */
extern const struct text_handler_def plugin_handlers[];		/* parsers/text/plugin_text*.c */
extern const struct text_handler_def plugin_handlers_34[];	/* of TEXT_ERA_3_4, before the others */
#endif
