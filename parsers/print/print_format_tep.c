/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/print/print_format_tep.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/print/print_tep_parser.h"

/* --- the format string -------------------------------------------------- */

/* Add the text up to the next conversion, escapes resolved; adds a piece even if it is empty. */
static size_t add_text(struct tep_parser *t, struct print_segments *segments, const char *s)
{
	struct print_segment *seg = print_segments_add(segments);
	struct text out = { 0 };
	const char *p = s;

	for (; *p; p++) {
		if (*p == '\\') {
			p++;
			text_char(&out, *p == 'n' ? '\n' :
					*p == 't' ? '\t' :
					*p == 'r' ? '\r' :
						    *p);
			if (!*p)
				break;
		} else if (*p == '%') {
			if (p[1] != '%')
				break;
			text_char(&out, *p++);
		} else {
			text_char(&out, *p);
		}
	}
	seg->text = arena_strndup(t->p.arena, text_str(&out), out.len);
	seg->len = (uint32_t)strlen(seg->text);
	text_fini(&out);
	return (size_t)(p - s);
}

/* Number of letters after %p that belong to the conversion. */
static size_t pointer_letters(const char *s)
{
	size_t n = 0;

	switch (*s) {
	case 'F':
	case 'S':
	case 'f':
	case 's':
		return 1;
	case 'M':
	case 'm':
		return s[1] == 'R' || s[1] == 'F' ? 2 : 1;
	case 'U':
		return s[1] && strchr("LlBb", s[1]) ? 2 : 1;
	case 'h':
		return s[1] && strchr("CDN", s[1]) ? 2 : 1;
	case 'I':
	case 'i':
		break;
	default:
		return 0;
	}
	if (s[1] != '4' && s[1] != '6' && s[1] != 'S')
		return 1;
	n = 2;
	if (s[1] == 'S')
		while (s[n] && strchr("pfs", s[n]))
			n++;
	if (s[1] != '6' && s[n] && strchr("hnlb", s[n]))
		n++;
	if (s[1] != '4' && s[n] == 'c')
		n++;
	return n;
}

/* ">c<": libtraceevent's text for a conversion that it does not know. */
static void add_unknown(struct tep_parser *t, struct print_segment *seg, char c)
{
	memset(seg, 0, sizeof(*seg));
	seg->text = arena_printf(t->p.arena, ">%c<", c);
	seg->len = 3;
}

/*
 * Parse the conversion like the C library's printf, which prints it.  Combinations that depend on
 * the C library are unsure.
 */
static bool set_spec(struct tep_parser *t, struct print_segment *seg, const char *s,
		     const char *end)
{
	struct print_node *width = seg->width_arg, *none = width, **args = &none;

	seg->width_arg = NULL;
	s++;
	if (!print_parser_spec(seg, &s, end, args) || s != end - 1)
		return tep_parser_unsure(t);
	return true;
}

/* Add one conversion.  Return: the number of characters taken, 0 if it failed. */
static size_t add_conversion(struct tep_parser *t, struct print_segments *segments, const char *s,
			     struct print_node **args)
{
	static const char skipped[] = "#hlLzZ.0123456789-+";
	struct print_segment *seg = print_segments_add(segments);
	const char *p = s + 1;
	int longs = 0;

	for (; *p && (*p == '*' || strchr(skipped, *p)) && !(*p == '+' && t->era == TEXT_ERA_3_1);
	     p++) {
		longs += (*p == 'l') - (*p == 'h');
		if (*p == 'L')
			longs = 2;
		else if (*p == 'z' || *p == 'Z')
			longs = 1;
		if (*p != '*')
			continue;
		if (!*args || seg->width_arg)
			return tep_parser_fails(t);
		seg->width_arg = *args;
		*args = (*args)->next;
	}
	if (!*p) {
		segments->nr--;
		return (size_t)(p - s);
	}
	if (!strchr("pduixXos", *p) && !(*p == 'c' && t->era != TEXT_ERA_3_1)) {
		add_unknown(t, seg, *p);
		return (size_t)(p + 1 - s);
	}
	if (!*args || longs < -2 || longs > 2 || p - s > 30)
		return tep_parser_fails(t);
	seg->conversion = *p++;
	seg->text = s;
	seg->arg = *args;
	*args = (*args)->next;
	if (seg->conversion == 'p') {
		size_t n = pointer_letters(p);

		seg->is_value = true;
		memcpy(seg->extension, p,
		       n < sizeof(seg->extension) - 1 ? n : sizeof(seg->extension) - 1);
		p += n;
	} else if (!set_spec(t, seg, s, p)) {
		return 0;
	}
	seg->len = (uint32_t)(p - s);
	return seg->len;
}

static bool split_string(struct tep_parser *t, struct print_segments *segments, const char *s,
			 struct print_node *args)
{
	while (*s) {
		size_t n = *s == '%' && s[1] != '%' ? add_conversion(t, segments, s, &args) :
						      add_text(t, segments, s);

		if (!n || segments->nr > 2 * PRINT_FORMAT_ARGS)
			return t->reading == TEP_READS && n ? tep_parser_unsure(t) : false;
		s += n;
	}
	return true;
}

/* --- the whole ---------------------------------------------------------- */

/* The format string; macros that old kernels forgot to expand are parts of it. */
static bool read_string(struct tep_parser *t, const char **string)
{
	struct text all = { 0 };
	const char *s = "", *macro;
	bool ok = current_token(t)->kind == TOKEN_STRING || tep_parser_fails(t);

	while (ok && (current_token(t)->kind == TOKEN_STRING ||
		      (macro = print_parser_macro(current_token(t))))) {
		if (current_token(t)->kind == TOKEN_STRING) {
			ok = tep_parser_string(t, &s);
			text_add(&all, s);
		} else {
			text_add(&all, macro);
			ok = tep_parser_next(t);
		}
	}
	*string = arena_strndup(t->p.arena, text_str(&all), all.len);
	text_fini(&all);
	return ok;
}

/* Formats of "ftrace" without arguments print the fields in order. */
static struct print_node *fields_as_arguments(struct tep_parser *t)
{
	struct print_node *list = NULL, **tail = &list;
	const struct event_type *type = t->p.type;

	for (unsigned int i = type->nr_common; i < type->nr_fields && i < PRINT_FORMAT_ARGS; i++) {
		*tail = tep_parser_node(t);
		if (!*tail)
			return NULL;
		(*tail)->kind = NODE_FIELD;
		(*tail)->field = &type->fields[i];
		tail = &(*tail)->next;
	}
	return list;
}

/*
 * libtraceevent does not know "char[][2]" and "int a[2][3]", and stops reading at such a
 * declaration.
 */
static unsigned int count_fields(const struct event_type *type)
{
	unsigned int nr = 0;

	while (nr < type->nr_fields && !strstr(type->fields[nr].type, "]["))
		nr++;
	return nr;
}

/* Are there no fields whose declaration libtraceevent reads differently, or not at all? */
static bool fields_are_plain(struct tep_parser *t)
{
	for (unsigned int i = 0; i < t->p.type->nr_fields; i++) {
		const struct event_field *f = &t->p.type->fields[i];

		for (const char *c = f->type; *c; c++)
			if (*c == '(' || *c == '"' || *c < ' ' || *c > '~')
				return tep_parser_unsure(t);
		if (strchr(f->name, '.') || strchr(f->name, '$') || strchr(f->type, '.'))
			return tep_parser_unsure(t);
	}
	return true;
}

/*
 * A control character such as a tab ends the string; no comma follows then, and the format is
 * rejected.
 */
static bool string_is_cut(const struct print_token *token)
{
	size_t i = 0;

	if (token->kind != TOKEN_STRING)
		return false;
	while (i < token->len &&
	       ((token->s[i] >= ' ' && token->s[i] <= '~') || token->s[i] == '\n'))
		i++;
	if (i + 1 >= token->len)
		return false;
	for (i++; i < token->len && token->s[i] == ' ';)
		i++;
	return i < token->len && token->s[i] != ',' && token->s[i] != '"';
}

static bool read_all(struct tep_parser *t, struct print_segments *segments)
{
	struct print_node *args = NULL;
	const char *string;

	if (tep_parser_odd(current_token(t)))
		return string_is_cut(current_token(t)) ? tep_parser_fails(t) : tep_parser_unsure(t);
	if (!fields_are_plain(t) || !read_string(t, &string))
		return false;
	if (current_token(t)->kind != TOKEN_END &&
	    (!tep_parser_expect(t, ",") || !tep_parser_arguments(t, &args)))
		return false;
	if (!args && !strcmp(t->p.type->system, "ftrace"))
		args = fields_as_arguments(t);
	return split_string(t, segments, string, args);
}

struct tep_format *tep_format_parse(struct arena *arena, const struct event_type *type,
				    int long_size, enum text_era era, tep_function_args functions,
				    void *arg)
{
	struct tep_format *format = arena_alloc(arena, sizeof(*format));
	struct tep_parser t = { .p = { .arena = arena, .type = type, .long_size = long_size },
				.era = era,
				.functions = functions, .functions_arg = arg };
	struct print_segments segments = { 0 };
	size_t len = strlen(type->print_fmt);

	format->nr_fields = count_fields(type);
	if (format->nr_fields < type->nr_fields) {
		format->reading = TEP_FAILS;
		return format;
	}
	print_lexer_init(&t.p.lexer, type->print_fmt, len <= PRINT_FORMAT_TEXT ? len : 0);
	if (len > PRINT_FORMAT_TEXT)
		tep_parser_unsure(&t);
	else if (read_all(&t, &segments) && t.reading == TEP_READS) {
		format->format.segments = arena_copy(arena, segments.all,
						     segments.nr * sizeof(*segments.all));
		format->format.nr = segments.nr;
	}
	free(segments.all);
	format->reading = t.reading;
	return format;
}

/* --- its types ---------------------------------------------------------- */

uint64_t tep_cast(const char *type, uint64_t v, bool pointer)
{
	static const struct print_word masks[] = {
		{ "u8", 0xff }, { "u16", 0xffff }, { "u32", 0xffffffff }, { "s8", 0xff },
		{ "s16", 0xffff },
		{ "s32", 0xffffffff }, { "char", 0xff }, { "short", 0xffff }, { "int", 0xffffffff },
		{ "unsigned char", 0xff }, { "unsigned short", 0xffff },
		{ "unsigned int", 0xffffffff }, { NULL, 0 },
	};
	const struct print_word *mask;
	size_t len = strlen(type);

	if (len < 2 || (pointer ? type[len - 1] != '*' : type[len - 1] == '*'))
		return v;
	if (pointer)			/* " *" */
		len -= 2;
	mask = print_word_find(masks, type, len);
	return mask ? v & mask->value : v;
}

static uint32_t dynamic_element_size(const char *type)
{
	static const struct print_word sizes[] = {
		{ "u8", 1 }, { "u16", 2 }, { "u32", 4 }, { "u64", 8 }, { "s8", 1 },
		{ "s16", 2 }, { "s32", 4 }, { "s64", 8 }, { "char", 1 }, { NULL, 0 },
	};
	const struct print_word *size;
	const char *bracket = strchr(type, '['), *word;

	if (!bracket)
		return 0;
	for (word = bracket; word > type && word[-1] != ' ';)
		word--;
	size = print_word_find(sizes, word, (size_t)(bracket - word));
	return size ? (uint32_t)size->value : 0;
}

struct tep_field tep_field_of(const struct event_type *type, const struct event_field *field,
			      int long_size)
{
	struct tep_field f = { .is_dynamic = field->is_dynamic };
	const char *bracket = strchr(field->type, '[');
	uint32_t count = bracket ? (uint32_t)strtoul(bracket + 1, NULL, 0) : 0;

	f.is_array = bracket != NULL;
	f.is_pointer = strchr(field->type, '*') != NULL;
	f.is_long = strstr(field->type, "long") != NULL;
	f.is_string = f.is_array && (strstr(field->type, "char") || strstr(field->type, "u8") ||
				     strstr(field->type, "s8"));
	/* Old formats do not record the sign. */
	f.is_signed = field->is_signed && type->format &&
		      memmem(type->format->text, type->format->size, "signed:1", 8) != NULL;
	if (!f.is_array && !f.is_dynamic)
		f.element_size = field->size;
	else if (count)
		f.element_size = field->size / count;
	else if (f.is_dynamic)
		f.element_size = dynamic_element_size(field->type);
	else if (f.is_string)
		f.element_size = 1;
	else if (f.is_long)
		f.element_size = (uint32_t)long_size;
	return f;
}
