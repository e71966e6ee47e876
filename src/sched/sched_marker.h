/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_MARKER_H
#define FTOP_SRC_SCHED_SCHED_MARKER_H
/*
 * sched_marker - what programs write to trace_marker in the form of Android's atrace:
 *
 *	B|PID|NAME			a slice of the task begins
 *	E, E|PID			its innermost slice ends
 *	S|PID|NAME|COOKIE		a slice begins that any task of the process may end
 *	F|PID|NAME|COOKIE		it ends
 *	G|PID|TRACK|NAME|COOKIE		the same on a track of the process
 *	H|PID|TRACK|COOKIE		it ends; also with the name before the cookie
 *	C|PID|NAME|VALUE		a counter
 *	I|PID|NAME, N|PID|TRACK|NAME	instants
 *
 * A trace.dat has it in the field buf of ftrace:print, a text behind the event's name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parsers/types/event_types.h"

struct sched_marker {
	char		 kind;		/* the letter */
	uint32_t	 pid;		/* of the process; 0 = none */
	const char	*name;		/* [name_len] */
	size_t		 name_len;
	const char	*track;		/* [track_len]; S, F: the name, which tells tracks apart */
	size_t		 track_len;
	int64_t		 value;		/* of a counter; the cookie */
};

/* A record of ftrace:print.  @buf: its field; NULL: of a text.  False: it is no marker. */
bool sched_marker_read(const struct event_field *buf, const uint8_t *data, uint32_t size,
		       struct sched_marker *marker);

/* What joins the begin and the end of S and F, G and H. */
uint64_t sched_marker_key(const struct sched_marker *marker);
#endif
