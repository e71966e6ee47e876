/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_RECORD_TEXT_H
#define FTOP_PARSERS_TEXT_RECORD_TEXT_H
/*
 * record_text - makes the text of a record by our own programs, in any thread and without a lock.
 *
 * An event's print format is compiled once, when its first record is printed, into an immutable
 * program on raw fields (print_format: text to tree, print_program: tree to program).  Events that
 * trace-cmd's plugins or the kernel print by code have handlers.  libtraceevent prints the rest:
 * printer.h tries this module first.
 *
 * Styles: TRACE_CMD is the text of trace-cmd with libtraceevent and its plugins, of one of two
 * eras; KERNEL is the text of the kernel's own trace file.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/print/text_context.h"
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "src/base/text.h"

struct record_text;			/* opaque; one per file */

/*
 * What records leave for later ones when they are printed in order: names of tasks, the indent of
 * function calls.  One per report, used by one thread.  Printing itself only needs the note, so any
 * thread may print.
 */
struct record_text_state;
struct record_text_state *record_text_state_new(void);
void record_text_state_free(struct record_text_state *state);	/* NULL is allowed */

/*
 * The name that trace-cmd would show for a task now: from the saved cmdlines, else from the records
 * printed so far.  NULL if unknown. Lives as long as the state.
 */
const char *record_text_comm(struct record_text *rt, struct record_text_state *state, int pid);

/* All are borrowed and must outlive the result. */
struct record_text *record_text_new(const struct source *file, struct event_types *types,
				    const struct kallsyms *syms,
				    const struct record_text_options *options);
void record_text_free(struct record_text *rt);	/* NULL is allowed */
/* call it before the first record is printed */
void record_text_set_time(struct record_text *rt, enum print_time time);

/* How a type is printed in one style: immutable, lives as long as the record_text. */
struct record_text_type;
const struct record_text_type *record_text_type(struct record_text *rt, enum text_style style,
						const struct event_type *type);

/* Does the type have a program?  If not, the library must print it. */
bool record_text_is_own(const struct record_text_type *how);

/**
 * record_text_remember() - update the state as if a record were printed now
 *
 * Call it for the records of a report, in order, if record_text_remembers() of their type.
 * Return: the note to pass to record_text_print() with the record: what the records before it left.
 */
uint64_t record_text_remember(const struct record_text_type *how, const struct print_record *rec,
			      struct record_text_state *state);
bool record_text_remembers(const struct record_text_type *how);
/*
 * True: record_text_remember() would change nothing, now or later, and return 0.  False: it may
 * change something.
 */
bool record_text_tells_nothing(const struct record_text_type *how, const struct print_record *rec,
			       const struct record_text_state *state);

/* Is @next, the exit of a leaf call, part of this record's text? */
bool record_text_merges(const struct record_text_type *how, const struct print_record *rec,
			const struct print_record *next);

/**
 * record_text_print() - append the text of a record (the part after "event_name: "); any thread
 * @how:  for the record's type, in style TRACE_CMD; for KERNEL use record_text_add()
 * @next: the record that is part of the text according to record_text_merges(); or NULL
 *
 * Return: false, with nothing appended, if there is no program, or it cannot print this record: use
 * the library then.
 */
bool record_text_print(const struct record_text_type *how, const struct print_record *rec,
		       const struct print_record *next, struct text *out);

/**
 * record_text_add() - the same in one call
 * @next:   next record of the same handle (TRACE_CMD) or CPU (KERNEL), for leaves of
 *        function_graph; or NULL
 * @merged: true if @next is part of the text; may be NULL
 */
bool record_text_add(struct record_text *rt, enum text_style style, const struct print_record *rec,
		     const struct print_record *next, bool *merged, struct text *out);

/*
 * Append the text for a row of the screen: the kernel's, or the type's short form if that needs
 * more than @cells; errors have names (short_text.h).  False: the kernel has no text for it.
 */
bool record_text_screen(struct record_text *rt, const struct print_record *rec, int cells,
			struct text *out);
/* Append the short form only; false: the type has none. */
bool record_text_short(struct record_text *rt, const struct print_record *rec, struct text *out);

/* Append the pattern of the type's texts, or of its short form (text_pattern.h). */
struct text_pattern;
void record_text_short_pattern(struct record_text *rt, const struct event_type *type,
			       struct text_pattern *pattern);
void record_text_pattern(const struct record_text_type *how, struct text_pattern *pattern);
/*
 * Append the pattern of the texts in style KERNEL.  False, with nothing appended, if there is no
 * program in that style.
 */
bool record_text_kernel_pattern(struct record_text *rt, const struct event_type *type,
				struct text_pattern *pattern);

/*
 * Append one field as the style's print format shows it ("S", "GFP_KERNEL"); false if the format
 * says nothing about it.
 */
bool record_text_field(struct record_text *rt, enum text_style style,
		       const struct print_record *rec, const struct event_field *field,
		       struct text *out);

/* The names of a field's values.  Immutable, owned by @rt; NULL: none. */
const struct value_names *record_text_names(struct record_text *rt, const struct event_type *type,
					    const struct event_field *field);

/* Does the print format show it, or its elements, as an address: by %p, or as a long by %x? */
bool record_text_is_address(struct record_text *rt, const struct event_type *type,
			    const struct event_field *field);

/*
 * A handler prints one kind of event.  False: print the event by its format, after what the handler
 * appended (as with libtraceevent's handlers).  One newline at the end is dropped.  @next: the
 * record that is part of the text, or NULL.
 */
typedef bool (*text_handler)(const struct text_context *c, const struct print_record *rec,
			     const struct print_record *next, struct text *out);
#define TEXT_HANDLER_FIELDS 8
struct text_handler_def {
	const char	*system, *name;	/* "sched", "sched_switch"; NULL: any */
	text_handler	 handler;	/* NULL: a plugin without a twin prints it: use the
					 * library */
	const char	*fields[TEXT_HANDLER_FIELDS];	/* fields to pass in c->f, in this order;
							 * a type may lack some */
	/* May be NULL: record_text_remember(), _tells_nothing() and _merges() for the type. */
	uint64_t	 (*remember)(const struct text_context *c, const struct print_record *rec,
				     struct record_text_state *state);
	bool		 (*tells_nothing)(const struct text_context *c,
					  const struct print_record *rec,
					  const struct record_text_state *state);
	bool		 (*merges)(const struct text_context *c, const struct print_record *rec,
				   const struct print_record *next);
	/*
	 * Append the pattern of the handler's texts; NULL: any text.  True: the print format's text
	 * may follow.
	 */
	bool		 (*pattern)(const struct text_context *c, struct text_pattern *pattern);
};
/*
 * Twins of the handlers in trace-cmd's plugins; the last one has .name NULL.  kernel_text.h has the
 * kernel's.
 */
extern const struct text_handler_def plugin_handlers[];		/* parsers/plugin_text*.c */
/* Twins that TEXT_ERA_3_4 looks for before the others. */
extern const struct text_handler_def plugin_handlers_34[];
#endif
