/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_VALUE_NAMES_H
#define FTOP_PARSERS_VALUE_NAMES_H
/* value_names - which names a print format gives to the values of a field. */
#include "parsers/print/print_format.h"
#include "parsers/text/record_text.h"

/* From __print_flags() and __print_symbolic() of the field alone, and texts beside them (cond ? flags : "R"); or NULL. */
const struct value_names *value_names_find(struct arena *arena, const struct print_format *format,
					   const struct event_field *field);
#endif
