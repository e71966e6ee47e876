/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/calls/call_lines.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/text_trace.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/calls/graph_records_private.h"

struct name {				/* of a function */
	struct text_slice text;		/* borrowed from the trace */
	uint64_t	 address;	/* 0: not among the symbols */
};

struct call_lines_names {
	struct index_map map;
	struct name	*names;		/* owned, [nr] */
	unsigned int	 nr, cap;
	unsigned int	 matched;	/* while symbols are visited: the name of this one */
};

/* --- names ------------------------------------------------------------------------------ */

static struct name *find_name(const struct call_lines_names *n, const char *s, size_t len)
{
	index_map_each (&n->map, index_map_hash_bytes(s, len), i)
		if (n->names[i].text.len == len && !memcmp(n->names[i].text.s, s, len))
			return &n->names[i];
	return NULL;
}

static struct text_slice without_indent(struct text_slice s)
{
	while (s.len && *s.s == ' ') {
		s.s++;
		s.len--;
	}
	return s;
}

/*
 * The function that a line names: of "ext4_map_blocks [ext4](…", which begins a call, or of
 * "} / * schedule * /", whose entry is not in the text, the first word.  "": none.
 */
static struct text_slice named_function(const struct text_line *line)
{
	static const char comment[] = " /* ";
	struct text_slice s = without_indent(line->text);
	const char *name = s.s;
	size_t len = 0;

	if (line->kind != TEXT_LINE_GRAPH || !s.len || *s.s == '/')
		return (struct text_slice){ s.s, 0 };
	if (*s.s == '}') {
		name = memmem(s.s, s.len, comment, strlen(comment));
		name = name ? name + strlen(comment) : s.s + s.len;
	}
	while (name + len < s.s + s.len && name[len] != '(' && name[len] != ' ')
		len++;
	return (struct text_slice){ name, len };
}

static void collect(struct call_lines_names *n, const struct text_blocks *text)
{
	struct text_line line;

	for (uint64_t pos = 0; pos < text->size;) {
		struct text_slice s;

		pos = text_trace_line(text->text, text->size, pos, &line);
		s = named_function(&line);
		if (!s.len || find_name(n, s.s, s.len))
			continue;
		mem_grow(&n->names, n->nr, &n->cap);
		n->names[n->nr] = (struct name){ .text = s };
		index_map_add(&n->map, index_map_hash_bytes(s.s, s.len), n->nr++);
	}
}

static bool match_symbol(void *arg, const char *s, uint32_t len)
{
	struct call_lines_names *n = arg;
	const struct name *name = find_name(n, s, len);

	n->matched = name ? (unsigned int)(name - n->names) : 0;
	return name;
}

/* Of several symbols of a name the lowest, like kallsyms_address(). */
static void take_symbol(void *arg, uint64_t first, uint64_t last)
{
	struct call_lines_names *n = arg;
	struct name *name = &n->names[n->matched];

	(void)last;
	if (!name->address || first < name->address)
		name->address = first;
}

struct call_lines_names *call_lines_names_new(struct trace *trace, unsigned int file)
{
	struct call_lines_names *n = NULL;

	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream *s = trace_stream_at(trace, i);

		if (s->source != file || !graph_stream_is_text(s))
			continue;
		if (!n)
			n = mem_alloc(sizeof(*n));
		collect(n, &s->text);
	}
	return n;
}

void call_lines_names_find(struct call_lines_names *n, const struct kallsyms *symbols)
{
	kallsyms_match(symbols, match_symbol, take_symbol, n);
}

void call_lines_names_free(struct call_lines_names *n)
{
	if (!n)
		return;
	free(n->names);
	index_map_fini(&n->map);
	free(n);
}

static uint64_t address_of(const struct call_lines *t, const struct text_line *line)
{
	struct text_slice s = named_function(line);
	const struct name *name = find_name(t->names, s.s, s.len);

	return name ? name->address : 0;
}

/* --- calls ------------------------------------------------------------------------------ */

static void add_entry(struct call_lines *t, struct graph_record *out)
{
	out->kind = GRAPH_ENTRY;
	if (out->depth < CALL_LINES_DEPTHS) {
		t->open[out->depth].pid = out->pid;
		t->open[out->depth].func = out->func;
	}
	if (out->ts > t->latest)
		t->latest = out->ts;
}

static void add_exit(struct call_lines *t, const struct text_line *line, struct graph_record *out)
{
	uint64_t duration = line->duration_ns > 0 ? (uint64_t)line->duration_ns : 0;

	out->kind = GRAPH_EXIT;
	out->ret = out->ts > t->latest ? out->ts : t->latest + 1;
	out->call = out->ret > duration ? out->ret - duration : 0;
	out->ts = out->ret;
	if (out->call > t->latest)
		t->latest = out->call;
}

static uint64_t closed_function(const struct call_lines *t, const struct text_line *line,
				const struct graph_record *exit)
{
	bool known = exit->depth < CALL_LINES_DEPTHS && t->open[exit->depth].pid == exit->pid;

	return known && t->open[exit->depth].func ? t->open[exit->depth].func : address_of(t, line);
}

unsigned int call_lines_add(struct call_lines *t, const struct trace_event *event,
			    struct graph_record out[CALL_LINES_MOST])
{
	struct text_line line = trace_event_line(event);
	struct text_slice s = without_indent(line.text);

	out[0] = (struct graph_record){ .kind = GRAPH_EVENT, .ts = event->raw_ts, .ref = event->ref,
					.pid = event->pid,
					.level = (uint8_t)graph_level_of(event->flags) };
	if (line.kind != TEXT_LINE_GRAPH || !s.len || *s.s == '/')
		return event->pid >= 0;
	out[0].depth = (int32_t)((line.text.len - s.len) / 2);
	if (*s.s == '}') {
		out[0].func = closed_function(t, &line, &out[0]);
		add_exit(t, &line, &out[0]);
		return 1;
	}
	out[0].func = address_of(t, &line);
	add_entry(t, &out[0]);
	if (text_line_entries(&line) < 2)
		return 1;
	out[1] = out[0];
	out[1].ts += line.duration_ns > 0 ? (uint64_t)line.duration_ns : 0;
	add_exit(t, &line, &out[1]);
	return 2;
}
