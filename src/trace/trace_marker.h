/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_TRACE_MARKER_H
#define FTOP_SRC_TRACE_TRACE_MARKER_H
/*
 * trace_marker - what programs write to trace_marker in the form of Android's atrace:
 *
 *	B|PID|NAME			a slice of the task begins
 *	E, E|PID			its innermost slice ends
 *	S|PID|NAME|COOKIE		a slice begins that any task of the process may end
 *	F|PID|NAME|COOKIE		it ends
 *	G|PID|TRACK|NAME|COOKIE		the same on a track of the process
 *	H|PID|TRACK|COOKIE		it ends; also with the name before the cookie
 *	C|PID|NAME|VALUE		a counter
 *	I|PID|NAME, N|PID|TRACK|NAME	an instant
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/lines/text_trace.h"
#include "parsers/types/event_types.h"

struct trace_marker {
	char		 kind;		/* the letter */
	int64_t		 pid;		/* the process's id; 0 = none */
	struct text_slice name;		/* the name; E has none, H may have none */
	int64_t		 value;		/* C: the counter's value, rounded; others: the cookie */
	uint64_t	 key;		/* joins S and F, G and H; 0 for B and E */
};

/* A record of ftrace:print.  @buf: its field; NULL: of a text.  False: it is no marker. */
bool trace_marker_read(const struct event_field *buf, const uint8_t *data, uint32_t size,
		       struct trace_marker *marker);
#endif
