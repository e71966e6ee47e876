/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/format_pattern.h"

#include <string.h>

#include "parsers/lines/text_slice.h"
#include "parsers/print/print_format.h"
#include "parsers/types/event_format.h"
#include "src/base/memory.h"
#include "src/events/template.h"

#define MAX_WORD	64u
#define MAX_ARRAY	256u		/* bytes of a char[] that is kept as such */

struct pattern_maker {
	const struct event_type	*type;
	struct text		*out;
	size_t			 literal;	/* where the text since the last value begins */
	bool			*plain;		/* [type->nr_fields]: it is printed as such */
	bool			*done;		/* [type->nr_fields]: it is in the pattern */
};

/* --- expressions ---------------------------------------------------------------------------- */

/* The operand of casts, and of "c ? x : 0": a print format writes so what it has no value for. */
static const struct print_node *operand(const struct print_node *node)
{
	while (node && (node->kind == NODE_CAST || node->kind == NODE_COND))
		if (node->kind == NODE_CAST)
			node = node->a;
		else if (node->b->kind == NODE_NUMBER)
			node = node->c;
		else if (node->c->kind == NODE_NUMBER)
			node = node->b;
		else
			break;
	return node;
}

/* The field of the expression, if it is of one.  False: it is of two, or of a part of one. */
static bool only_field(const struct print_node *node, const struct event_field **field)
{
	for (; node; node = node->next) {
		if ((node->field && *field && node->field != *field) || node->kind == NODE_INDEX)
			return false;
		if (node->field)
			*field = node->field;
		if (!only_field(node->a, field) || !only_field(node->b, field) ||
		    !only_field(node->c, field))
			return false;
	}
	return true;
}

static const struct event_field *field_of(const struct print_segment *seg)
{
	struct print_node arg = seg->arg ? *seg->arg : (struct print_node){ 0 };
	const struct event_field *field = NULL;

	arg.next = NULL;
	return only_field(&arg, &field) ? field : NULL;
}

/* The kind of a value that is a field's; LINE_PRINTED: it is computed. */
static enum line_kind plain_kind(const struct print_segment *seg)
{
	const struct print_node *node = operand(seg->arg);
	const struct event_field *f = node ? node->field : NULL;
	bool is_text = f && (f->kind == FIELD_STRING || f->kind == FIELD_DYNAMIC_STRING);

	if (!f || (node->kind != NODE_FIELD && (node->call != CALL_STR || node->value)))
		return LINE_PRINTED;
	if (seg->conversion == 's')
		return !is_text                                        ? LINE_PRINTED :
		       f->kind == FIELD_STRING && f->size <= MAX_ARRAY ? LINE_COMM :
									 LINE_STRING;
	if (!event_field_is_number(f))
		return LINE_PRINTED;
	switch (seg->conversion) {
	case 'd':
	case 'i':
	case 'u':
		return LINE_NUMBER;
	case 'x':
	case 'X':
		return LINE_ADDRESS;
	case 'o':
		return LINE_OCTAL;
	case 'c':
		return LINE_CHAR;
	default:			/* %p: strchr() finds the NUL, too */
		return strchr("Kx", *seg->extension)    ? LINE_ADDRESS :
		       strchr("SsFfB", *seg->extension) ? LINE_SYMBOL :
							  LINE_PRINTED;
	}
}

static bool is_shift(const struct print_node *node)
{
	node = operand(node);
	return node && node->kind == NODE_BINARY && node->op == OP_SHR;
}

/* --- the pattern ---------------------------------------------------------------------------- */

/* Literal text up to a newline: what a text has of it is in one line.  False: it ends there. */
static bool add_literal(struct pattern_maker *m, const char *s, size_t len)
{
	size_t i = 0;

	while (i < len && m->out->len == 0 && s[i] == ' ')
		i++;
	for (; i < len && s[i] != '\n'; i++) {
		if (s[i] == '{')
			text_char(m->out, '{');
		text_char(m->out, s[i]);
	}
	return i == len;
}

/* "{pid:number 4s pid_t}"; a name that the pattern cannot have is left out. */
static void add_field(struct pattern_maker *m, const char *name, enum line_kind kind,
		      const struct event_field *declared)
{
	struct text_slice all = slice_of(name);

	text_printf(m->out, "{%s:%s", name_length(all, '\0') == all.len ? name : "",
		    template_kinds[kind]);
	if (declared && kind != LINE_STRING && (kind != LINE_SYMBOL || declared->size == 8) &&
	    !strchr(declared->type, '}'))
		text_printf(m->out, " %u%c %s", declared->size,
			    declared->is_signed             ? 's' :
			    declared->kind == FIELD_POINTER ? 'p' :
							      'u',
			    declared->type);
	text_char(m->out, '}');
}

/* "word=", "word: " at the end of the literal text; "" if there is no such, or a long one. */
static void last_word(const struct pattern_maker *m, char word[MAX_WORD])
{
	const char *s = text_str(m->out);
	size_t end = m->out->len, start;

	memset(word, 0, MAX_WORD);
	while (end > m->literal && s[end - 1] == ' ')
		end--;
	if (end == m->literal || !strchr("=:", s[end - 1]))
		return;
	for (start = --end; start > m->literal && text_is_name_char(s[start - 1]);)
		start--;
	if (end - start < MAX_WORD)
		memcpy(word, s + start, end - start);
}

static bool is_free(const struct pattern_maker *m, const struct event_field *f)
{
	return f && !m->plain[f - m->type->fields] && !m->done[f - m->type->fields];
}

/* It has the name of its field, if that is not taken, or of the word before it. */
static void add_computed(struct pattern_maker *m, const struct print_segment *seg)
{
	const struct event_field *f = field_of(seg), *named;
	bool is_text = seg->conversion == 's' || *seg->extension;
	char word[MAX_WORD];

	last_word(m, word);
	named = event_type_field(m->type, word);
	if (is_free(m, f) && (is_text || !*word || named)) {
		m->done[f - m->type->fields] = true;
		add_field(m, f->name, LINE_PRINTED, NULL);
		return;
	}
	add_field(m, named && !is_free(m, named) ? "" : word,
		  is_text || named               ? LINE_PRINTED :
		  strchr("xXp", seg->conversion) ? LINE_ADDRESS :
						   LINE_NUMBER,
		  NULL);
}

/* "%d,%d" and the like of one field: one value.  Return: how many segments belong to it. */
static unsigned int add_pair(struct pattern_maker *m, const struct print_segment *seg,
			     unsigned int left)
{
	const struct event_field *f = field_of(seg);

	if (left < 3 || !is_free(m, f) || seg[1].is_value || seg[1].len != 1 ||
	    !strchr(",:.", *seg[1].text) || !seg[2].is_value || field_of(&seg[2]) != f)
		return 0;
	m->done[f - m->type->fields] = true;
	add_field(m, f->name, is_shift(seg->arg) ? LINE_DEVICE : LINE_PRINTED, NULL);
	return 3;
}

/* Return: how many segments the value was made from. */
static unsigned int add_value(struct pattern_maker *m, const struct print_segment *seg,
			      unsigned int left)
{
	enum line_kind kind = plain_kind(seg);
	const struct event_field *f = kind != LINE_PRINTED ? operand(seg->arg)->field : NULL;
	unsigned int nr;

	if (!f) {
		nr = add_pair(m, seg, left);
		if (!nr)
			add_computed(m, seg);
		return nr ?: 1;
	}
	/* a probe's address is printed as functions; if there are two, in another order */
	if (!strcmp(f->name, "__probe_ip") && strcmp(m->type->system, "uprobes") != 0)
		kind = LINE_SYMBOL;
	else if (strcmp(f->name, "__probe_ip") && !strncmp(f->name, "__probe_", 8))
		m->done[f - m->type->fields] = true;
	if (m->done[f - m->type->fields])
		add_computed(m, seg);
	else
		add_field(m, f->name, kind, f);
	m->done[f - m->type->fields] = true;
	return 1;
}

/* A value right behind another one cannot be told from it, and belongs to that. */
static void add_segments(struct pattern_maker *m, const struct print_format *format)
{
	bool is_behind = false;

	for (unsigned int i = 0, nr; i < format->nr; i += nr) {
		const struct print_segment *seg = &format->segments[i];

		nr = 1;
		if (!seg->is_value) {
			if (!add_literal(m, seg->text, seg->len))
				break;
		} else if (!is_behind) {
			nr = add_value(m, seg, format->nr - i);
			m->literal = m->out->len;
		}
		is_behind = seg->is_value;
	}
}

/* False: there are no fields. */
static bool add_type(const struct event_type *type, int long_size, struct text *out)
{
	struct arena arena = { 0 };
	const struct print_format *format = print_format_parse(&arena, type, long_size);
	struct pattern_maker m = { .type = type, .out = out, .literal = out->len,
			   .plain = arena_alloc(&arena, type->nr_fields + 1),
			   .done = arena_alloc(&arena, type->nr_fields + 1) };

	for (unsigned int i = 0; i < format->nr; i++)
		if (format->segments[i].is_value &&
		    plain_kind(&format->segments[i]) != LINE_PRINTED)
			m.plain[operand(format->segments[i].arg)->field - type->fields] = true;
	add_segments(&m, format);
	arena_fini(&arena);
	return m.literal > 0;
}

void format_pattern_read(struct line_formats *formats, const struct source_format *format,
			 int long_size)
{
	struct arena arena = { 0 };
	const struct event_type *type = strcmp(format->system, "ftrace") ?
						event_format_parse(&arena, format, long_size) :
						NULL;
	struct text pattern = { 0 };

	if (type && add_type(type, long_size, &pattern))
		line_formats_add(formats, type->system, type->name, text_str(&pattern));
	text_fini(&pattern);
	arena_fini(&arena);
}
