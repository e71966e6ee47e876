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
#define WORD		8		/* bytes that are looked at at once */

/* --- the columns of a line ------------------------------------------------------------------ */

static inline uint64_t load(const char *s)
{
	uint64_t v;

	memcpy(&v, s, sizeof(v));
	return v;
}

/* The first @len bytes of a word, all of it if they are more, as a number. */
static inline uint64_t load_some(const char *s, size_t len)
{
	size_t others = len < WORD ? 8 * (WORD - len) : 0;

	return HOST_BIG_ENDIAN ? load(s) >> others : load(s) << others;
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

/* Within a line: something else stands behind the blanks, and a word behind that. */
static inline const char *skip_column(const char *at)
{
	uint64_t differ;

	while (!(differ = load(at) ^ load("        ")))
		at += WORD;
	return at + (HOST_BIG_ENDIAN ? __builtin_clzll(differ) : __builtin_ctzll(differ)) / 8;
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
	event->is_call = is_call_event(line->event);
	return event;
}

/* A word stands behind the name. */
static inline bool is_func(const struct text_func *func, struct text_slice name)
{
	uint64_t differ = 0;

	if (func->len != name.len)
		return false;
	for (size_t at = 0; at < name.len; at += WORD)
		differ |= load_some(func->s + at, name.len - at) ^
			  load_some(name.s + at, name.len - at);
	return !differ;
}

/* Is it the name of a function?  What was one before still is.  A word stands behind it. */
static bool read_func(struct text_memory *memory, struct text_slice name, struct text_line *line)
{
	uint64_t first, last;
	struct text_func *func;

	if (!name.len)
		return false;
	first = load_some(name.s, name.len);
	last = name.len < WORD ? first : load(name.s + name.len - WORD);
	func = &memory->funcs[(first * 31 + last) * MIX >> (64 - TEXT_FUNC_BITS)];
	if (!is_func(func, name)) {
		if (name_length(name, '.') != name.len)
			return false;
		func->len = name.len <= TEXT_FUNC_MAX ? (uint32_t)name.len : 0;
		func->symbol = 0;
		memcpy(func->s, name.s, func->len);
	}
	line->func = func->len ? func : NULL;
	line->call.func = name;
	return true;
}

/* --- calls of function_graph ---------------------------------------------------------------- */

/* "! 335.212 us   |  ", "   |  ".  Return: behind it; NULL: it is not so.  A word stands behind. */
static const char *read_duration(const char *at, const char *end, struct text_line *line)
{
	uint64_t whole, part;
	const char *digits;

	at = skip_column(at);
	line->mark = ' ';
	line->duration_ns = -1;
	if (at < end && *at != '|') {
		if (!is_digit(*at) && is_mark(*at))
			line->mark = *at++;
		digits = skip_blanks(at, end);
		at = read_digits(digits, end, &whole);
		if (at == digits || at - digits > MAX_SECONDS || end - at < 8 || *at != '.')
			return NULL;
		digits = at + 1;
		at = read_digits(digits, digits + 3, &part);
		if (at != digits + 3 || memcmp(at, " us", 3) != 0)
			return NULL;
		line->duration_ns = (int64_t)(whole * 1000 + part);
		at = skip_column(at + 3);
	}
	if (at == end || *at != '|')
		return NULL;
	at++;
	for (int i = 0; i < 2 && at < end && *at == ' '; i++)
		at++;
	return at;
}

/* Does the text have the name of a function between these? */
static inline bool read_between(struct text_memory *memory, struct text_slice t, const char *before,
				const char *behind, struct text_line *line)
{
	size_t around = strlen(before) + strlen(behind);

	if (t.len <= around || !begins_with(t, before) || !ends_with(t, behind))
		return false;
	return read_func(memory, slice(t.s + strlen(before), t.len - around), line);
}

/*
 * The columns from the duration on, as the kernel has them without further options.  A word stands
 * behind them.  @comment: an event between calls may stand there.  False: they may be of another
 * form.
 */
static bool read_call(struct text_memory *memory, struct text_slice t, bool comment,
		      struct text_line *line)
{
	const char *end = t.s + t.len, *indent = read_duration(t.s, end, line), *at;
	struct text_call *call = &line->call;
	struct text_slice rest;

	if (!indent)
		return false;
	at = skip_column(indent);
	rest = slice(at, (size_t)(end - at));
	*call = (struct text_call){ .depth = (int)((at - indent) / 2), .func = nothing,
				    .caller = nothing, .value = nothing };
	line->func = NULL;
	if (read_between(memory, rest, "", "();", line))
		call->kind = TEXT_CALL_LEAF;
	else if (read_between(memory, rest, "", "() {", line))
		call->kind = TEXT_CALL_ENTRY;
	else if (slice_is(rest, "}") || read_between(memory, rest, "} /* ", " */", line))
		call->kind = TEXT_CALL_EXIT;
	else if (comment && begins_with(rest, "/* "))
		call->kind = TEXT_CALL_NONE;
	else
		return false;
	line->text = slice(indent, (size_t)(end - indent));
	line->has_duration = true;
	return true;
}

/* "funcgraph_entry:        2.484 us   |            f();" */
static void read_event_call(struct text_memory *memory)
{
	struct text_line *line = &memory->line;

	if (read_call(memory, slice_from(line->text, line->event.len + 1), false, line)) {
		line->kind = TEXT_LINE_GRAPH;
		return;
	}
	line->func = NULL;	/* what it was read as does not count */
	line->mark = ' ';
	line->duration_ns = -1;
	graph_of_event(line);
}

/* " 1) + 16.064 us   |    f() {".  Return: the line's end; NULL: it may be of another form. */
static const char *usual_call(struct text_memory *memory, const char *s, const char *limit)
{
	const char *digits = skip_blanks(s, limit), *end;
	struct text_line *line = &memory->call;
	uint64_t cpu;
	const char *at = read_digits(digits, limit, &cpu);

	if (at == digits || at - digits > 9 || at == limit || *at != ')')
		return NULL;
	end = memchr(at, '\n', (size_t)(limit - at));
	if (!end || limit - end < WORD)
		return NULL;
	if (!line->line.s)
		reset_line(line, nothing);
	line->kind = TEXT_LINE_GRAPH;
	line->line = line_content(s, end);
	line->event = nothing;
	line->cpu = (int)cpu;
	at++;
	if (!read_call(memory, slice(at, (size_t)(s + line->line.len - at)), *s == ' ', line))
		return NULL;
	return end;
}

/* --- lines ---------------------------------------------------------------------------------- */

/* A line that begins as one before.  Return: its end; NULL: it is another one. */
static const char *usual_line(struct text_memory *memory, const char *s, const char *limit)
{
	struct text_line *line = &memory->line;
	struct text_head *head = limit - s < MIN_KNOWN ? NULL : find_head(memory, s);
	const char *text, *end;
	struct text_event *event;

	end = head ? memchr(s, '\n', (size_t)(limit - s)) : NULL;
	text = end && limit - end >= WORD ? read_middle(memory, s + head->len, s + MAX_MIDDLE) :
					    NULL;
	if (!text)
		return NULL;
	text += 2;
	if (*text == ' ' || *text == '(')	/* maybe a column of trace-cmd report --ts-diff */
		return NULL;
	event = find_event(memory, text);
	line->line = line_content(s, end);
	line->text = without_debug(slice(text, (size_t)(s + line->line.len - text)));
	line->event = event ? slice(text, event->len) : event_name(line->text);
	if (!event)
		event = remember_event(memory, line);
	line->seen = event && event->is_call ? NULL : event;
	if (event ? event->is_call : is_call_event(line->event))
		read_event_call(memory);
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
	if (!end) {
		end = usual_call(memory, text + pos, text + size);
		line = &memory->call;
	} else {
		line = &memory->line;
	}
	if (end) {
		*next = (uint64_t)(end - text) + 1;
	} else {
		line = &memory->other;
		*next = text_trace_line(text, size, pos, line);
	}
	if (line->head_len)
		remember_head(memory, line);
	if (line->kind != TEXT_LINE_GRAPH && !(line->seen && line->seen->is_whole) &&
	    text_line_split(line))
		*next = (uint64_t)(line->line.s + line->line.len - text);
	return line;
}
