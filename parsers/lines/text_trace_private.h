/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_TEXT_TRACE_PRIVATE_H
#define FTOP_PARSERS_LINES_TEXT_TRACE_PRIVATE_H
/* text_trace_private - shared by text_trace.c and by text_memory.c, the reader with a memory. */
#include "parsers/lines/text_slice.h"

/* trace_find_mark() */
static inline bool is_mark(char c)
{
	return c == ' ' || c == '+' || c == '!' || c == '#' || c == '*' || c == '@' || c == '$';
}

/* "sched_waking: comm=…": the name of an event; a sentence with a colon is not one. */
static inline struct text_slice event_name(struct text_slice text)
{
	size_t n = name_length(text, '\0');

	return n && n < text.len && text.s[n] == ':' ? slice(text.s, n) : nothing;
}

static inline bool is_call_event(struct text_slice event)
{
	return begins_with(event, "funcgraph_e") || begins_with(event, "fgraph_retaddr_entry");
}

/* trace-cmd's "funcgraph_entry:        2.484 us   |            f();", "--> f (3) <- g" */
void graph_of_event(struct text_line *line);

static inline void reset_line(struct text_line *line, struct text_slice whole)
{
	*line = (struct text_line){
		.kind = TEXT_LINE_PLAIN, .line = whole, .comm = nothing, .flags = nothing,
		.text = whole,
		.event = nothing, .pid = -1, .cpu = -1, .mark = ' ', .duration_ns = -1,
		.from_comm = nothing, .from_pid = -1,
	};
}
#endif
