/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_GRAPH_TEXT_H
#define FTOP_PARSERS_TEXT_GRAPH_TEXT_H
/*
 * graph_text - text of the function tracers' records: like trace-cmd 3.1, and a short form for the
 * screen.  Does not use libtraceevent.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/types/event_types.h"
#include "parsers/types/kallsyms.h"
#include "parsers/print/print_record.h"
#include "src/base/text.h"

struct graph_text {			/* common data of a file; zero it, then call
					 * graph_text_init() */
	struct event_types	*types;		/* borrowed */
	bool			swap;
	int			exit_id;	/* id of funcgraph_exit, -1 if the file has none */
	const struct event_type	*exit_type;
	const struct event_field *exit_func;	/* any of these may be NULL */
	const struct event_field *exit_depth, *exit_calltime, *exit_rettime, *exit_retval;
	/* Options of report: fgraph:tailprint, fgraph:depth */
	bool			tailprint, depth;
};

void graph_text_init(struct graph_text *g, struct event_types *types, bool swap);

/* Is @next the exit of this entry's call, with the same task and function? */
bool graph_text_is_leaf(const struct graph_text *g, const struct print_record *entry,
			const struct print_record *next);

/*
 * Do entries of this type, and exits, have the fields for a leaf's line?  If not, the exit gets a
 * line of its own.
 */
bool graph_text_has_times(const struct graph_text *g, const struct event_type *entry);

/*
 * Parts of a line that are the same in every trace-cmd: mark and time of a call; blanks of the same
 * width; the indent of a nested call.
 */
void graph_text_add_duration(struct text *out, uint64_t ns);
void graph_text_add_indent(struct text *out, uint64_t depth);

/*
 * The four functions below append the text of a record.  False: the record lacks a field, and
 * trace-cmd continues with the event's own print format (appended text stays).
 */

/* Entry; @exit is the exit of a leaf call, otherwise NULL. */
bool graph_text_entry(const struct graph_text *g, const struct kallsyms *syms,
		      const struct print_record *rec, const struct print_record *exit,
		      struct text *out);
bool graph_text_exit(const struct graph_text *g, const struct kallsyms *syms,
		     const struct print_record *rec, struct text *out);
/* trace-cmd's text without the function plugin: "func <-- parent". */
bool graph_text_function(const struct graph_text *g, const struct kallsyms *syms,
			 const struct print_record *rec, struct text *out);

/*
 * Short text for rows of the screen: entries "f() {", exits "}" with name and duration as a
 * comment, calls "f <-parent".  @exit: of a leaf call, which is one row: "f();  1.322 µs"; or NULL.
 * False, with nothing appended, if the record is none of these.
 */
bool graph_text_short(const struct graph_text *g, const struct kallsyms *syms,
		      const struct print_record *rec, const struct print_record *exit,
		      struct text *out);
/* Append the pattern of words in those of entries and exits (text_pattern.h). */
struct text_pattern;
void graph_text_short_pattern(struct text_pattern *pattern);
#endif
