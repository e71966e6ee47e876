/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_FORMAT_TEP_H
#define FTOP_PARSERS_PRINT_FORMAT_TEP_H
/*
 * print_format_tep - a print format as libtraceevent reads it.
 *
 * Its reading differs from C's, and report's text follows it: words that stand beside
 * each other are one atom, whatever they are; brackets are forgotten, so that a
 * looser operator inside of them takes what stands in front of them (a & (b | c)
 * becomes (a & b) | c); a second ?: takes the first one for its condition; types
 * and functions that it does not know make the whole format fail.
 *
 * In its trees NODE_STRING is any atom (.value is 1 for what stood in quotes),
 * NODE_CAST keeps the type's words in .text, binary operators keep their rank in .value,
 * and the missing operand of one with a single operand is NODE_NUMBER.
 */
#include "parsers/print/print_format.h"
#include "parsers/text/record_text.h"

enum tep_reading {
	TEP_READS,			/* the segments are there */
	TEP_FAILS,			/* it prints "[FAILED TO PARSE]" and the fields */
	TEP_UNSURE,			/* .why: what it does is not known, or not safe */
};

struct tep_format {
	enum tep_reading	reading;
	struct print_format	format;
	unsigned int		nr_fields;	/* of the type, that it knows */
};

/* Functions that plugins bring for print formats: how many arguments has it; -1 = none of this name. */
typedef int (*tep_function_args)(void *arg, const char *name);

/* All lives in @arena. */
struct tep_format *tep_format_parse(struct arena *arena, const struct event_type *type, int long_size, enum text_era era,
				    tep_function_args functions, void *arg);

/* What libtraceevent makes of a field's declaration. */
struct tep_field {
	bool		is_array, is_string, is_dynamic, is_pointer, is_long, is_signed;
	uint32_t	element_size;
};
struct tep_field tep_field_of(const struct event_type *type, const struct event_field *field, int long_size);

/* A number through a cast to this type; @pointer: to what this type points at. */
uint64_t tep_cast(const char *type, uint64_t v, bool pointer);
#endif
