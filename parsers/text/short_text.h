/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_SHORT_TEXT_H
#define FTOP_PARSERS_TEXT_SHORT_TEXT_H
/*
 * short_text - texts for rows of the screen: the line `short` that src/events has for an event,
 * instead of the kernel's text; and repairs of the kernel's text: -2 becomes ENOENT, and addresses
 * become hexadecimal.
 */
#include <stdbool.h>
#include "parsers/print/print_record.h"
#include "parsers/text/sched_text.h"
#include "src/base/memory.h"
#include "src/base/text.h"
#include "src/events/template.h"

#define SHORT_TEXT_PARTS 12

struct short_text {			/* how an event type is shown; immutable */
	unsigned int		nr_parts;	/* 0: the type has no short form */
	struct short_part {
		struct template_part part;
		const struct event_field *field;	/* field of its value; NULL: it has none */
		bool		is_state;	/* shown with the letters of @states */
	}			parts[SHORT_TEXT_PARTS];
	struct sched_states	states;		/* states that a sched_switch records */
	const struct event_field *error;	/* holds 0 or -errno; or NULL */
	const struct event_field *addresses[2];	/* that the kernel may print in decimal; or NULL */
	bool			swap;
};

const struct short_text *short_text_new(struct arena *arena, const struct event_type *type,
					bool swap);

/* Append the short form: "R+ → kworker/1:1-48 [120]".  The task is the record's: it is left out. */
void short_text_add(const struct short_text *brief, const struct print_record *rec,
		    struct text *out);

/* Append the pattern of the short forms (text_pattern.h). */
struct text_pattern;
void short_text_pattern(const struct short_text *brief, struct text_pattern *pattern);

/* In the text after @begin, "-2" of an error becomes "ENOENT", a decimal address hexadecimal. */
void short_text_mend(const struct short_text *brief, const struct print_record *rec, size_t begin,
		     struct text *out);
#endif
