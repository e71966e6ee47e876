/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILTER_VALUE_H
#define FTOP_SRC_FILTER_VALUE_H
/*
 * filter_value - the value that a field of an event has, as a filter asks for it:
 * prev_state == S, and not 1.
 */
#include "src/trace/trace.h"

enum filter_value_form {
	FILTER_ASKS_NOTHING,	/* no filter can ask for it */
	FILTER_ASKS_VALUE,	/* what stands behind "field ==" */
	FILTER_ASKS_STRING,	/* the same, to be quoted where that is necessary */
	FILTER_ASKS_TERM,	/* a term of its own: (args[0] == 3 && args[1] == 7) */
};

/**
 * filter_value_ask() - how a filter asks for a field's value
 * @field:   its name
 * @raw:     the number as it is shown
 * @printed: the same in words ("S", "GFP_KERNEL|__GFP_ZERO", "do_nanosleep"), or "".  They are taken where the filter's
 *           language knows them, of this field
 * @out:     appended to
 */
enum filter_value_form filter_value_ask(struct trace *trace, const struct trace_event *event, const char *field,
					const char *raw, const char *printed, struct text *out);
#endif
