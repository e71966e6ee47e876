/* SPDX-License-Identifier: GPL-2.0-or-later */
/* text_memory - the reader of lines with a memory: most lines begin like one that was there. */
#include "parsers/io/byte_reader.h"
#include "parsers/lines/text_slice.h"

#define MIN_HEAD	16		/* bytes of a head that is kept */
#define PID_AT		16u		/* bytes before it in the usual format */
#define MIN_KNOWN	192		/* bytes of the text, where such a line is looked for */
#define MAX_MIDDLE	96u		/* where its time begins at the latest */
#define EVENT_KEY	16
#define MIX		0x9e3779b97f4a7c15u
#define MAX_SECONDS	9		/* digits; in ns they fit into 64 bits */

/* --- the columns of a line ------------------------------------------------------------------ */

static inline uint64_t load(const char *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}

static inline const char *read_digits(const char *at, const char *end, uint64_t *v)
{
	unsigned int digit;

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

/* "  1234.", which is mostly what the last line had. */
static inline bool has_last_seconds(const struct text_memory *memory, const char *at)
{
	return memory->last.mask && (load(at) & memory->last.mask) == memory->last.bytes;
}

static inline bool is_colon(const char *at)
{
	return at[0] == ':' && at[1] == ' ';
}

/* Behind the point: "567890: ", "567890123: ".  Return: where the colon is; NULL: it is not so. */
static const char *read_fraction(const char *at, uint64_t seconds, struct text_line *line)
{
	uint64_t fraction;
	const char *colon = at + 6;

	if (read_micros(at, &fraction)) {
		fraction *= 1000;
	} else {
		colon = read_digits(at, at + 10, &fraction);
		if (colon == at || colon - at > 9 || !is_colon(colon))
			return NULL;
		for (ptrdiff_t i = colon - at; i < 9; i++)
			fraction *= 10;
		line->has_ns = colon - at > 6;
	}
	line->time_kind = TEXT_TIME_ABSOLUTE;
	line->time = (int64_t)(seconds * 1000000000 + fraction);
	return colon;
}

/* "1234.567890: ".  Return: where the colon is; NULL: it is not so. */
static const char *read_time(struct text_memory *memory, const char *at, const char *end)
{
	struct text_line *line = &memory->line;
	const char *digits, *behind = at + memory->last.len;
	uint64_t whole = memory->last.seconds;

	line->has_ns = false;
	if (!has_last_seconds(memory, at)) {
		digits = skip_blanks(at, end);
		behind = read_digits(digits, end, &whole);
		if (behind == digits || behind - digits > MAX_SECONDS || *behind != '.')
			return NULL;
		behind++;
		if (!HOST_BIG_ENDIAN && behind - at <= 8) {
			memory->last.len = (size_t)(behind - at);
			memory->last.mask = UINT64_MAX >> (64 - 8 * memory->last.len);
			memory->last.bytes = load(at) & memory->last.mask;
			memory->last.seconds = whole;
		}
	}
	return read_fraction(behind, whole, line);
}

/*
 * "d..1.   12.345678: ", behind the head.  It begins before @end; the text is longer.
 * Return: where the colon is; NULL: it is not so.
 */
static const char *read_middle(struct text_memory *memory, const char *at, const char *end)
{
	const char *flags = at;

	if (!has_last_seconds(memory, at)) {
		flags = at = skip_blanks(at, end);
		if (!is_digit(*at)) {
			while (at < end && *at != ' ' && *at != ':' && *at != '\n')
				at++;
			if (*at != ' ' || *flags == '[' || at == flags ||
			    at - flags > TEXT_TRACE_MAX_FLAGS)
				return NULL;
		}
	}
	memory->line.flags = slice(flags, (size_t)(at - flags));
	return read_time(memory, at, end);
}

/* --- what was there before ------------------------------------------------------------------ */

/* For a head as long as the last one that was kept: it tells the pid and the CPU. */
static inline struct text_head *head_slot(struct text_memory *memory, const char *s)
{
	uint64_t pid = load(s + (memory->head_len < PID_AT + 8 ? PID_AT / 2 : PID_AT));
	uint64_t mixed = (pid * 31 + load(s + memory->head_len - 8)) * MIX;

	return &memory->heads[mixed >> (64 - TEXT_HEAD_BITS)];
}

/* What the line begins with, if a line before began so; NULL: none. */
static inline struct text_head *find_head(struct text_memory *memory, const char *s)
{
	struct text_head *head = memory->head_len ? head_slot(memory, s) : NULL;
	uint64_t differ;
	size_t last;

	if (!head || !head->len)
		return NULL;
	last = head->len - 8;
	differ = (load(head->s) ^ load(s)) | (load(head->s + 8) ^ load(s + 8)) |
		 (load(head->s + last) ^ load(s + last));
	for (size_t at = 16; at < last; at += 8)
		differ |= load(head->s + at) ^ load(s + at);
	return differ ? NULL : head;
}

static void remember_head(struct text_memory *memory, const struct text_line *line)
{
	const char *s = line->line.s;
	struct text_head *head;

	if (line->head_len < MIN_HEAD || line->head_len > TEXT_HEAD_MAX ||
	    line->line.len < TEXT_HEAD_MAX)
		return;
	memory->head_len = line->head_len;
	head = head_slot(memory, s);
	*head = (struct text_head){ .len = (uint8_t)line->head_len,
				    .comm = (uint8_t)(line->comm.s - s),
				    .comm_len = (uint8_t)line->comm.len,
				    .pid = line->pid, .cpu = line->cpu };
	memcpy(head->s, s, head->len);
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
	event->is_whole = false;
	return event;
}

/* A line that begins as one before.  Return: its end; NULL: it is another one. */
static const char *usual_line(struct text_memory *memory, const char *s, const char *limit)
{
	struct text_line *line = &memory->line;
	struct text_head *head = limit - s < MIN_KNOWN ? NULL : find_head(memory, s);
	const char *text, *end;
	struct text_event *event;

	end = head ? memchr(s, '\n', (size_t)(limit - s)) : NULL;
	text = end ? read_middle(memory, s + head->len, s + MAX_MIDDLE) : NULL;
	if (!text)
		return NULL;
	text += 2;
	event = find_event(memory, text);
	line->line = line_content(s, end);
	line->text = slice(text, (size_t)(s + line->line.len - text));
	line->event = event ? slice(text, event->len) : event_name(line->text);
	line->seen = event;
	if (!event && is_call_event(line->event))
		graph_of_event(line);
	else if (!event)
		line->seen = remember_event(memory, line);
	line->head = head;
	line->comm = slice(s + head->comm, head->comm_len);
	line->pid = head->pid;
	line->cpu = head->cpu;
	return end;
}

struct text_line *text_trace_next(struct text_memory *memory, const char *text, uint64_t size,
				  uint64_t pos, uint64_t *next)
{
	struct text_line *line;
	const char *end;

	if (memory->line.kind != TEXT_LINE_EVENT) {
		reset_line(&memory->line, nothing);
		memory->line.kind = TEXT_LINE_EVENT;
	}
	end = usual_line(memory, text + pos, text + size);
	if (end) {
		line = &memory->line;
		*next = (uint64_t)(end - text) + 1;
	} else {
		line = &memory->other;
		*next = text_trace_line(text, size, pos, line);
	}
	if (line->head_len)
		remember_head(memory, line);
	if (!(line->seen && line->seen->is_whole) && text_line_split(line))
		*next = (uint64_t)(line->line.s + line->line.len - text);
	return line;
}
