/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_PRINT_FORMAT_TEP_H
#define FTOP_PARSERS_PRINT_PRINT_FORMAT_TEP_H
/*
 * print_format_tep - a print format as libtraceevent reads it.
 *
 * Its reading differs from C's, and report's text follows it.  Adjacent words are one atom,
 * whatever they are.  Brackets are dropped, so that a looser operator inside of them takes what
 * precedes them (a & (b | c) becomes (a & b) | c).  A second ?: takes the first one as its
 * condition.  An unknown type or function makes the whole format fail.
 *
 * In its trees NODE_STRING is any atom (.value is 1 if it was in quotes), NODE_CAST keeps the
 * type's words in .text, binary operators keep their rank in .value, and a unary operator's missing
 * operand is NODE_NUMBER.
 */
#include "parsers/print/print_format.h"
#include "parsers/print/text_context.h"

enum tep_reading {
	TEP_READS,			/* the segments are valid */
	TEP_FAILS,			/* it prints "[FAILED TO PARSE]" and the fields */
	TEP_UNSURE,			/* its behaviour is not known, or not safe */
};

struct tep_format {
	enum tep_reading	reading;
	struct print_format	format;
	unsigned int		nr_fields;	/* fields of the type that libtraceevent knows */
};

/*
 * Looks up a plugin's function for print formats.  Return: its number of arguments; -1 if there is
 * none with this name.
 */
typedef int (*tep_function_args)(void *arg, const char *name);

/* The result is in @arena. */
struct tep_format *tep_format_parse(struct arena *arena, const struct event_type *type,
				    int long_size, enum text_era era, tep_function_args functions,
				    void *arg);

/* libtraceevent's view of a field's declaration. */
struct tep_field {
	bool		is_array, is_string, is_dynamic, is_pointer, is_long, is_signed;
	uint32_t	element_size;
};
struct tep_field tep_field_of(const struct event_type *type, const struct event_field *field,
			      int long_size);

/* Cast a number to this type; @pointer: to the type that it points to. */
uint64_t tep_cast(const char *type, uint64_t v, bool pointer);
#endif
