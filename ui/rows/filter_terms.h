/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_FILTER_TERMS_H
#define FTOP_UI_FILTER_TERMS_H
/*
 * filter_terms - a filter's text as the terms that && joins, to write one more into it
 * or to leave one out.  It knows no more of the language than where a term ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/text.h"

#define FILTER_TERMS_MAX 32

struct filter_term {
	size_t	from, to;		/* bytes of the text, without blanks around them */
};

/* Terms of the whole: one where it cannot be split (|| or an event and its colon outside of brackets). */
unsigned int filter_terms(const char *text, struct filter_term terms[FILTER_TERMS_MAX]);

/* A value as the language takes it: quoted unless it is a plain word or number. */
void filter_terms_quote(const char *value, struct text *out);

/**
 * filter_terms_add() - only rows with a value, or none with it
 * @name:  a field; NULL: the value is an event, or a term of its own
 * @value: as it is to be written
 *
 * A second value of a field that is asked for already widens its term; the contrary of a term takes its place; anything else
 * narrows.
 */
void filter_terms_add(const char *text, const char *name, const char *value, bool without, struct text *out);

/* The text without one of its terms. */
void filter_terms_less(const char *text, const struct filter_term *terms, unsigned int nr, unsigned int i, struct text *out);
#endif
