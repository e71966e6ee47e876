/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_LINES_TEXT_SLICE_H
#define FTOP_PARSERS_LINES_TEXT_SLICE_H
/* text_slice - parts of texts: how they begin and end, blanks, digits, marks. */
#include "parsers/lines/text_trace.h"

static const struct text_slice nothing = { "", 0 };

static inline struct text_slice slice(const char *s, size_t len)
{
	return (struct text_slice){ s, len };
}

static inline struct text_slice slice_of(const char *s)
{
	return slice(s, strlen(s));
}

static inline struct text_slice slice_from(struct text_slice t, size_t at)
{
	return slice(t.s + at, t.len - at);
}

static inline bool slice_same(struct text_slice a, struct text_slice b)
{
	return a.len == b.len && !memcmp(a.s, b.s, a.len);
}

static inline bool slice_is(struct text_slice t, const char *s)
{
	return slice_same(t, slice_of(s));
}

static inline bool begins_with(struct text_slice t, const char *with)
{
	size_t n = strlen(with);

	return t.len >= n && !memcmp(t.s, with, n);
}

/*
 * Which word it is of a list with blanks between them, from 1; 0: none.  "begins*", "*ends".
 */
unsigned int slice_listed(struct text_slice t, const char *list);

/* The text after a word; "" and false if the word is not there. */
bool slice_after(struct text_slice t, const char *word, struct text_slice *rest);

static inline bool ends_with(struct text_slice t, const char *with)
{
	size_t n = strlen(with);

	return t.len >= n && !memcmp(t.s + t.len - n, with, n);
}

/*
 * A line without its ending.  Serial consoles and mail add a carriage return.  Old versions of
 * systrace wrote a trace as a string in a script, and ended each line of it with "\\n\\".
 */
static inline struct text_slice line_content(const char *s, const char *end)
{
	struct text_slice line = slice(s, (size_t)(end - s));

	if (ends_with(line, "\r"))
		line.len--;
	else if (ends_with(line, "\\n\\"))
		line.len -= 3;
	return line;
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

/* Bytes before the first of these characters. */
static inline size_t length_until(struct text_slice t, char a, char b, char c)
{
	size_t n = 0;

	while (n < t.len && t.s[n] != a && t.s[n] != b && t.s[n] != c)
		n++;
	return n;
}

/* Bytes of the name at the beginning.  @also: '.' for functions, whose copies have it. */
static inline size_t name_length(struct text_slice t, char also)
{
	size_t n = 0;

	while (n < t.len && (text_is_name_char(t.s[n]) || (also && t.s[n] == also)))
		n++;
	return n;
}

static inline bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* 0 to 15; 16: the character is no digit. */
static inline unsigned int digit_of(char c)
{
	return is_digit(c)          ? (unsigned int)(c - '0') :
	       c >= 'a' && c <= 'f' ? (unsigned int)(c - 'a') + 10 :
	       c >= 'A' && c <= 'F' ? (unsigned int)(c - 'A') + 10 :
				      16;
}

/* The digits at the beginning as a number, modulo 2^64.  *end: how many; may be NULL. */
static inline uint64_t digits_of(struct text_slice t, unsigned int base, size_t *end)
{
	uint64_t v = 0;
	size_t n = 0;

	for (; n < t.len && digit_of(t.s[n]) < base; n++)
		v = v * base + digit_of(t.s[n]);
	if (end)
		*end = n;
	return v;
}

/* --- lines: for text_trace.c and text_memory.c ---------------------------------------------- */

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

/* The text before " [1973:0x458:40]", which trace-cmd report --debug adds to it. */
static inline struct text_slice without_debug(struct text_slice t)
{
	static const char ends[] = { ']', ':', 'x', ':', '[' };
	size_t n = t.len;

	for (size_t i = 0; i < sizeof(ends); i++) {
		while (i && n && digit_of(t.s[n - 1]) < (i == 2 ? 16 : 10) && t.s[n - 1] != 'x')
			n--;
		n -= i == 3 && n && t.s[n - 1] == '0';
		if (!n || t.s[n - 1] != ends[i])
			return t;
		n--;
	}
	return n && t.s[n - 1] == ' ' ? slice(t.s, n - 1) : t;
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
