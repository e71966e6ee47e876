/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_memory - the reader of lines with a memory: most lines begin like one that was there. */
#include "parsers/io/byte_reader.h"
#include "parsers/lines/text_trace_private.h"

#define COMM_COLUMNS	16u		/* of the name in the usual format */
#define MIN_USUAL	32u		/* bytes of a line of that format */
#define MIN_KNOWN	128		/* bytes of the text, where such a line is looked for */
#define EVENT_KEY	16u
#define MIX		0x9e3779b97f4a7c15u
#define MAX_DIGITS	9u		/* that any int has room for */

/* --- the columns of a line ------------------------------------------------------------------ */

static inline uint64_t load(const char *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}

/* Digits from @at on, at most @max.  Return: behind them. */
static inline const char *read_digits(const char *at, const char *end, unsigned int max,
				      uint64_t *v)
{
	unsigned int digit;

	if ((size_t)(end - at) > max)
		end = at + max;
	for (*v = 0; at < end && (digit = (unsigned int)*at - '0') < 10; at++)
		*v = *v * 10 + digit;
	return at;
}

static inline const char *skip_blanks(const char *at, const char *end)
{
	while (at < end && *at == ' ')
		at++;
	return at;
}

/* "567890: " as a number, all its digits at once.  False: it is not so. */
static inline bool read_micros(const char *at, uint64_t *v)
{
	uint64_t digits = load(at) ^ load("000000: ");

	if (HOST_BIG_ENDIAN || digits >> 48 ||
	    ((digits | (digits + 0x767676767676)) & 0x808080808080))
		return false;
	digits = (digits << 16) * 10 + (digits << 16 >> 8);	/* pairs of digits */
	*v = ((digits & 0xff000000ff) * 0xf424000000064 +
	      (digits >> 16 & 0xff000000ff) * 0x271000000001) >>
	     32;
	return true;
}

/* "1234.567890: ".  Return: where its colon is; NULL: it is not so. */
static const char *read_time(const char *at, const char *end, struct text_line *line)
{
	uint64_t s, fraction;
	const char *point = read_digits(at, end, MAX_DIGITS, &s), *colon;

	if (point == at || point >= end || *point != '.')
		return NULL;
	line->time_kind = TEXT_TIME_ABSOLUTE;
	if (end - point > 8 && read_micros(point + 1, &fraction)) {
		line->time = (int64_t)(s * 1000000000 + fraction * 1000);
		line->has_ns = false;
		return point + 7;
	}
	colon = read_digits(point + 1, end, 9, &fraction);
	if (colon == point + 1 || colon >= end || *colon != ':' ||
	    (colon + 1 < end && colon[1] != ' '))
		return NULL;
	for (ptrdiff_t i = colon - point; i < 10; i++)
		fraction *= 10;
	line->time = (int64_t)(s * 1000000000 + fraction);
	line->has_ns = colon - point > 9;
	return colon;
}

/* "            comm-123     [001] " */
static bool read_head(struct text_slice t, struct text_head *head)
{
	const char *at, *word, *end = t.s + t.len;
	uint64_t pid, cpu;

	if (t.len < MIN_USUAL || t.s[COMM_COLUMNS] != '-' || *t.s == '#' ||
	    memchr(t.s, ':', COMM_COLUMNS) || memchr(t.s, '|', COMM_COLUMNS))
		return false;
	head->comm = trimmed(slice(t.s, COMM_COLUMNS));
	word = t.s + COMM_COLUMNS + 1;
	at = read_digits(word, end, MAX_DIGITS, &pid);
	if (at == word || at == end || *at != ' ' || begins_with(head->comm, "=> "))
		return false;
	word = skip_blanks(at, end);
	if (word == end || *word != '[')
		return false;
	at = read_digits(++word, end, MAX_DIGITS, &cpu);
	if (at == word || end - at < 2 || at[0] != ']' || at[1] != ' ')
		return false;
	head->pid = (int)pid;
	head->cpu = (int)cpu;
	head->len = (size_t)(at + 2 - t.s);
	return true;
}

/* "d..1.   12.345678: ", behind the head.  Return: where its colon is; NULL: it is not so. */
static const char *read_middle(const char *at, const char *end, struct text_line *line)
{
	const char *flags = at = skip_blanks(at, end), *colon;

	if (at < end && !is_digit(*at)) {
		while (at < end && *at != ' ' && *at != ':' && *at != '\n')
			at++;
		if (at == end || *at != ' ' || *flags == '[' || at - flags > TEXT_TRACE_MAX_FLAGS)
			return NULL;
	}
	colon = read_time(skip_blanks(at, end), end, line);
	if (colon)
		line->flags = slice(flags, (size_t)(at - flags));
	return colon;
}

/* --- what was there before ------------------------------------------------------------------ */

static inline struct text_head *head_slot(struct text_memory *memory, const char *s)
{
	uint64_t mixed = (load(s + COMM_COLUMNS) * 31 + load(s + COMM_COLUMNS + 6)) * MIX;

	return &memory->heads[mixed >> (64 - TEXT_HEAD_BITS)];
}

/* What a line begins with; NULL: it has other columns. */
static struct text_head *find_head(struct text_memory *memory, const char *s, const char *end)
{
	struct text_head *head = head_slot(memory, s);
	const char *newline;

	if (head->len && load(head->s) == load(s) && load(head->s + 8) == load(s + 8) &&
	    load(head->s + 16) == load(s + 16) &&
	    load(head->s + head->len - 8) == load(s + head->len - 8))
		return head;
	newline = s[COMM_COLUMNS] == '-' ? memchr(s, '\n', (size_t)(end - s)) : NULL;
	if (!newline || *s == '<' || *s == '[')
		return NULL;
	head->told = 0;
	if (!read_head(slice(s, (size_t)(newline - s)), head) || head->len > sizeof(head->s)) {
		head->len = 0;
		return NULL;
	}
	memcpy(head->s, s, head->len);
	head->comm.s = head->s + (head->comm.s - s);
	return head;
}

/* One of two slots for texts that begin so. */
static inline struct text_event *event_slot(struct text_memory *memory, const char *s)
{
	uint64_t mixed = (load(s) * 31 + load(s + 8)) * MIX;

	return &memory->events[mixed >> (64 - TEXT_EVENT_BITS) & ~1u];
}

static struct text_event *find_event(struct text_memory *memory, const char *s)
{
	struct text_event *event = event_slot(memory, s);

	for (int i = 0; i < 2; i++, event++)
		if (load(event->s) == load(s) && load(event->s + 8) == load(s + 8) &&
		    (event->len < EVENT_KEY || !memcmp(event->s, s, event->len + 1)))
			return event;
	return NULL;
}

static struct text_event *remember_event(struct text_memory *memory, const struct text_line *line)
{
	struct text_event *event = event_slot(memory, line->text.s);

	if (!line->event.len || line->event.len >= TEXT_EVENT_MAX || line->text.len < EVENT_KEY)
		return NULL;
	event[1] = event[0];
	memcpy(event->s, line->text.s,
	       line->text.len < TEXT_EVENT_MAX ? line->text.len : TEXT_EVENT_MAX);
	event->len = line->event.len;
	event->type = NULL;
	return event;
}

/* A line with the usual columns.  Return: its end; NULL: it is another one. */
static const char *usual_line(struct text_memory *memory, const char *s, const char *end)
{
	struct text_line *line = &memory->line;
	struct text_head *head = end - s < MIN_KNOWN ? NULL : find_head(memory, s, end);
	const char *text = head ? read_middle(s + head->len, end, line) : NULL;
	struct text_event *event;

	if (!text || end - text < 2 + TEXT_EVENT_MAX)
		return NULL;
	text += 2;
	event = find_event(memory, text);
	end = memchr(text, '\n', (size_t)(end - text));
	if (!end)
		return NULL;
	line->line = slice(s, (size_t)(end - s) - (end[-1] == '\r'));
	line->text = slice(text, (size_t)(s + line->line.len - text));
	line->event = event ? slice(text, event->len) : event_name(line->text);
	if (!event && is_call_event(line->event))
		return NULL;
	line->seen = event ? event : remember_event(memory, line);
	line->head = head;
	line->comm = slice(s + (head->comm.s - head->s), head->comm.len);
	line->pid = head->pid;
	line->cpu = head->cpu;
	return end;
}

struct text_line *text_trace_next(struct text_memory *memory, const char *text, uint64_t size,
				  uint64_t pos, uint64_t *next)
{
	const char *end;

	if (memory->line.kind != TEXT_LINE_EVENT) {
		reset_line(&memory->line, nothing);
		memory->line.kind = TEXT_LINE_EVENT;
	}
	end = usual_line(memory, text + pos, text + size);
	if (end) {
		*next = (uint64_t)(end - text) + 1;
		return &memory->line;
	}
	*next = text_trace_line(text, size, pos, &memory->other);
	return &memory->other;
}
