/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_LINE_KNOWN_H
#define FTOP_PARSERS_LINES_LINE_KNOWN_H
/*
 * line_known - what is known of events before a line was read: patterns, which tell where fields
 * are in the text, and systems.  They come from the lines `pattern` and `names` of src/events, and
 * from print formats (format_pattern.h).
 *
 * A pattern is a template (src/events/template.h): comm={comm:comm} pid={pid:int}.  The way of
 * a field is the kind of its values (kinds[] in line_types.c; none: a number).  That of a format
 * has more words, its bytes, with s (signed), u or p (an address), and its type of C: {pid:number
 * 4s pid_t}.  A field without a name is skipped.
 */
#include "parsers/lines/line_types.h"

struct line_known {
	const char	*name, *system;	/* the event, for a format's pattern; else NULL */
	const char	*pattern;
};

/* Patterns of formats, by the names of events. */
struct line_formats;			/* opaque; does not change while texts are read with it */
struct line_formats *line_formats_new(void);
void line_formats_free(struct line_formats *formats);	/* NULL is allowed */
void line_formats_add(struct line_formats *formats, const char *system, const char *name,
		      const char *pattern);

/*
 * The next pattern of an event: those of @formats (may be NULL) come first.  *at: 0 at first.
 * False: there are no more.
 */
bool line_known_next(const struct line_formats *formats, struct text_slice name, unsigned int *at,
		     struct line_known *known);
/* The kind of fields with this name, whatever their values; false: of any. */
bool line_known_kind(struct text_slice name, enum line_kind *kind);
/* The system of an event; "text" if no line `names` has it. */
const char *line_known_system(struct text_slice name);
#endif
