/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_FILTER_VALUE_H
#define FTOP_SRC_FILTER_FILTER_VALUE_H
/*
 * filter_value - a field's value in the syntax of filters: prev_state == S rather than 1.
 */
#include "src/trace/trace.h"

enum filter_value_form {
	FILTER_ASKS_NOTHING,	/* not expressible in a filter */
	FILTER_ASKS_VALUE,	/* text to follow "field ==" */
	FILTER_ASKS_TERM,	/* a complete term: (args[0] == 3 && args[1] == 7) */
};

/* Append a text as the language takes it: quoted unless it is a plain word. */
void filter_text_quote(const char *value, struct text *out);

/**
 * filter_value_ask() - append a field's value in the syntax of filters
 * @field:   its name
 * @raw:     the number as shown
 * @printed: the same in words ("S", "GFP_KERNEL|__GFP_ZERO", "do_nanosleep"), or "".  Used if
 *        filters know these words for this field
 * @out:     appended to
 */
enum filter_value_form filter_value_ask(struct trace *trace, const struct trace_event *event,
					const char *field, const char *raw, const char *printed,
					struct text *out);
#endif
