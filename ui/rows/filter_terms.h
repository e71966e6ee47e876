/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_ROWS_FILTER_TERMS_H
#define FTOP_UI_ROWS_FILTER_TERMS_H
/*
 * filter_terms - splits a filter's text into the terms joined by &&, to add or remove one.  All it
 * knows of the language is where a term ends.
 */
#include <stdbool.h>
#include <stddef.h>
#include "src/base/text.h"

struct filter_name;			/* src/filter/filter_names.h */

#define FILTER_TERMS_MAX 32

struct filter_term {
	size_t	from, to;		/* bytes of the text, without blanks around them */
};

/*
 * Splits @text into its terms: just one if it cannot be split (|| or "event:" outside of brackets).
 */
unsigned int filter_terms(const char *text, struct filter_term terms[FILTER_TERMS_MAX]);

/**
 * filter_terms_add() - keep only rows with a value, or only rows without it
 * @name:  a field; NULL: the value is an event, or a term of its own
 * @value: as written in the filter
 * @more:  names of models (filter_name_find()); or NULL
 *
 * Another value of a field that the filter already tests widens that term.  The opposite of a term
 * replaces it.  Anything else is added with &&.
 */
void filter_terms_add(const char *text, const char *name, const char *value, bool without,
		      const struct filter_name *const *more, struct text *out);

/* The text without one of its terms. */
void filter_terms_less(const char *text, const struct filter_term *terms, unsigned int nr,
		       unsigned int i, struct text *out);
#endif
