/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EVENTS_TEMPLATE_H
#define FTOP_SRC_EVENTS_TEMPLATE_H
/*
 * template - the language of texts that have values in them: sentences about events, their short
 * texts, the patterns that find fields in lines of text, the texts of pairs.
 *
 *	{comm}-{pid} slept for {delay:ns}.
 *
 * {NAME} is a value: that of the field with this name, or what the user of the template says.
 * {NAME:HOW} says how it is shown, or what kind of value a pattern reads.  {{ is a brace.  All
 * other text stands for itself.  README.md lists names and ways.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/text.h"

struct template_part {			/* borrowed from the template */
	const char	*text;		/* what is before the value, of @text_len bytes */
	size_t		 text_len;
	const char	*name, *how;	/* name: NULL = no value follows the text; how: "" = none */
	size_t		 name_len, how_len;
};

/*
 * Take the next part of a template: a text, and the value behind it.  *at: the template at first.
 * A brace that is not closed is text.  False: there are no more.
 */
bool template_next(const char **at, struct template_part *part);

bool template_name_is(const struct template_part *part, const char *name);
bool template_how_is(const struct template_part *part, const char *how);

/* Does the template show the field with this name? */
bool template_shows(const char *template, const char *name);

/* The ways of patterns, which say what a value is; "": that kind is in no pattern. */
#define TEMPLATE_KINDS	19
extern const char *const template_kinds[TEMPLATE_KINDS];

/*
 * Append a number in the way that the part asks for.  False, with nothing appended: there is no
 * such way for numbers, or the text of the value is to be shown as it is.
 */
bool template_add_number(const struct template_part *part, int64_t value, struct text *out);

/* Does template_add_number() know the way?  Is nothing shown where the field is missing? */
bool template_is_number(const struct template_part *part);
bool template_is_optional(const struct template_part *part);
#endif
