/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_TEXT_TRACE_PRIVATE_H
#define FTOP_PARSERS_LINES_TEXT_TRACE_PRIVATE_H
/* text_trace_private - shared by text_trace.c and by text_memory.c, the reader with a memory. */
#include "parsers/lines/text_trace.h"

static const struct text_slice nothing = { "", 0 };

static inline struct text_slice slice(const char *s, size_t len)
{
	return (struct text_slice){ s, len };
}

static inline struct text_slice without_blanks(struct text_slice t)
{
	while (t.len && (*t.s == ' ' || *t.s == '\t')) {
		t.s++;
		t.len--;
	}
	return t;
}

static inline struct text_slice trimmed(struct text_slice t)
{
	t = without_blanks(t);
	while (t.len && (t.s[t.len - 1] == ' ' || t.s[t.len - 1] == '\t'))
		t.len--;
	return t;
}

static inline bool begins_with(struct text_slice t, const char *with)
{
	size_t n = strlen(with);

	return t.len >= n && !memcmp(t.s, with, n);
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* trace_find_mark() */
static inline bool is_mark(char c)
{
	return c == ' ' || c == '+' || c == '!' || c == '#' || c == '*' || c == '@' || c == '$';
}

/* "sched_waking: comm=…": the name of an event; a sentence with a colon is not one. */
static inline struct text_slice event_name(struct text_slice text)
{
	size_t n = 0;

	while (n < text.len && text_is_name_char(text.s[n]))
		n++;
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
