/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_VALUE_NAMES_H
#define FTOP_PARSERS_TEXT_VALUE_NAMES_H
/* value_names - names that a print format gives to the values of a field. */
#include "parsers/print/print_format.h"
#include "parsers/text/record_text.h"

/*
 * Collect names from __print_flags() and __print_symbolic() of this field, and texts next to them
 * (cond ? flags : "R").  NULL if there are none.
 */
const struct value_names *value_names_find(struct arena *arena, const struct print_format *format,
					   const struct event_field *field);
#endif
