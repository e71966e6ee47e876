/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/types/event_format.h"

#include <ctype.h>
#include <string.h>

#define MAX_FIELDS	1024u
#define MAX_OFFSET	65535u		/* offsets and sizes of fields fit 16 bits */

struct format_span {			/* a piece of the format's text */
	const char	*s;
	size_t		 len;
};

static struct format_span trim(struct format_span t)
{
	while (t.len && isspace((unsigned char)t.s[0])) {
		t.s++;
		t.len--;
	}
	while (t.len && isspace((unsigned char)t.s[t.len - 1]))
		t.len--;
	return t;
}

static bool has_prefix(struct format_span t, const char *prefix)
{
	size_t len = strlen(prefix);

	return t.len >= len && !memcmp(t.s, prefix, len);
}

static const char *find(struct format_span t, const char *needle)
{
	return memmem(t.s, t.len, needle, strlen(needle));
}

static bool contains(struct format_span t, const char *needle)
{
	return find(t, needle) != NULL;
}

static bool is_word(char c)
{
	return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '.';
}

/* Does the text contain this word as a whole?  "char" is not a word of "unsigned character". */
static bool has_word(struct format_span t, const char *word)
{
	size_t len = strlen(word);

	for (size_t i = 0; i + len <= t.len; i++)
		if (!memcmp(t.s + i, word, len) && (i == 0 || !is_word(t.s[i - 1])) &&
		    (i + len == t.len || !is_word(t.s[i + len])))
			return true;
	return false;
}

/* The number after @key, such as "offset:", in a line; -1 if there is none. */
static int64_t number_after(struct format_span line, const char *key)
{
	const char *p = find(line, key), *end = line.s + line.len;
	int64_t v = 0;

	if (!p)
		return -1;
	p += strlen(key);
	while (p < end && *p == ' ')
		p++;
	if (p == end || !isdigit((unsigned char)*p))
		return -1;
	for (; p < end && isdigit((unsigned char)*p); p++) {
		v = v * 10 + (*p - '0');
		if (v > INT32_MAX)
			return -1;
	}
	return v;
}

/*
 * The element count in the last brackets of a declaration; 0 if they are empty or do not hold a
 * number.
 */
static uint32_t bracket_count(struct format_span brackets)
{
	uint32_t v = 0;

	for (size_t i = 0; i < brackets.len && isdigit((unsigned char)brackets.s[i]) && v < 100000;
	     i++)
		v = v * 10 + (uint32_t)(brackets.s[i] - '0');
	return v;
}

/*
 * Bytes of a number of this type, from the type's name, for fields whose size does not give it; 0 =
 * unknown.
 */
static uint32_t type_bytes(struct format_span type, int long_size)
{
	static const struct {
		const char *word;
		uint8_t bytes;
	} words[] = {
		{ "char", 1 }, { "u8", 1 },   { "s8", 1 },   { "__u8", 1 },  { "__s8", 1 },
		{ "bool", 1 },
		{ "short", 2 }, { "u16", 2 }, { "s16", 2 },  { "__u16", 2 }, { "__s16", 2 },
		{ "__be16", 2 },
		{ "u64", 8 },  { "s64", 8 },  { "__u64", 8 }, { "__s64", 8 }, { "__be64", 8 },
		{ "loff_t", 8 },
		{ "u32", 4 },  { "s32", 4 },  { "__u32", 4 }, { "__s32", 4 }, { "__be32", 4 },
		{ "pid_t", 4 },
		{ "uint8_t", 1 }, { "uint16_t", 2 }, { "uint32_t", 4 }, { "uint64_t", 8 },
	};

	if (contains(type, "*"))
		return (uint32_t)long_size;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (has_word(type, words[i].word))
			return words[i].bytes;
	if (contains(type, "long long"))
		return 8;
	if (has_word(type, "long") || has_word(type, "size_t"))
		return (uint32_t)long_size;
	return has_word(type, "int") || has_word(type, "unsigned") ? 4 : 0;
}

static bool type_is_signed(struct format_span type)
{
	return !has_word(type, "unsigned") && !contains(type, "*") &&
	       (has_word(type, "int") || has_word(type, "long") || has_word(type, "short") ||
		has_word(type, "char") || has_word(type, "s64") || has_word(type, "s32") ||
		has_word(type, "s16") || has_word(type, "s8") || has_word(type, "pid_t") ||
		has_word(type, "ssize_t") || has_word(type, "loff_t"));
}

static bool type_is_text(struct format_span base)
{
	return has_word(base, "char") && !has_word(base, "unsigned") && !contains(base, "*");
}

/* --- print format ------------------------------------------------------- */

/* The arguments after the format string; only as many as are needed. */
struct print_args {
	struct format_span string;	/* between the first and the last quote */
	struct format_span args;	/* after the comma that ends the string */
};

static struct print_args split_print_fmt(const char *fmt)
{
	struct print_args p = { { fmt, 0 }, { fmt, 0 } };
	const char *s = fmt;

	/* Adjacent literals are one string. */
	while (*s == '"') {
		s++;
		while (*s && *s != '"')
			s += s[0] == '\\' && s[1] ? 2 : 1;
		p.string.len = (size_t)(s - fmt);
		if (*s)
			s++;
		while (*s == ' ' || *s == '\n' || *s == '\t')
			s++;
	}
	if (*s == ',')
		p.args = (struct format_span){ s + 1, strlen(s + 1) };
	return p;
}

/* Cut off the next argument at the first comma that is not inside brackets or quotes. */
static struct format_span next_arg(struct format_span *args)
{
	struct format_span arg = { args->s, args->len };
	int depth = 0;
	char quote = 0;

	for (size_t i = 0; i < args->len; i++) {
		char c = args->s[i];

		if (quote) {
			if (c == '\\')
				i++;
			else if (c == quote)
				quote = 0;
		} else if (c == '"' || c == '\'') {
			quote = c;
		} else if (c == '(' || c == '{' || c == '[') {
			depth++;
		} else if (c == ')' || c == '}' || c == ']') {
			depth--;
		} else if (c == ',' && depth == 0) {
			arg.len = i;
			break;
		}
	}
	args->s += arg.len + (arg.len < args->len);
	args->len -= arg.len + (arg.len < args->len);
	return arg;
}

/* Is the argument just REC->name, possibly with a cast? */
static bool arg_is_field(struct format_span arg, const char *name)
{
	const char *rec = find(arg, "REC->");
	struct format_span rest;
	size_t len = strlen(name);

	if (!rec)
		return false;
	rest.s = rec + 5;
	rest.len = (size_t)(arg.s + arg.len - rest.s);
	if (rest.len < len || memcmp(rest.s, name, len))
		return false;
	return rest.len == len || !is_word(rest.s[len]);
}

/* Does the print format show this field by %p, %ps, %pS …? */
static bool printed_as_address(const char *fmt, const char *name)
{
	struct print_args p = split_print_fmt(fmt);
	const char *s = p.string.s, *end = s + p.string.len;

	for (; s < end; s++) {
		struct format_span arg;

		if (*s != '%')
			continue;
		if (++s < end && *s == '%')
			continue;
		while (s < end && (isdigit((unsigned char)*s) || strchr("-+ #0.lhzjt*", *s))) {
			if (*s == '*')
				next_arg(&p.args);
			s++;
		}
		if (s >= end)
			break;
		arg = next_arg(&p.args);
		if (*s == 'p' && arg_is_field(arg, name))
			return true;
	}
	return false;
}

/*
 * Names of kernel fields that hold addresses although the print format does not show them as such.
 */
static bool named_as_address(const char *name)
{
	static const char *const names[] = { "ip",     "parent_ip", "func",     "retaddr",
					     "caller", "caller_ip", "call_site" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

static bool printed_as_bitmask(const char *fmt, const char *name)
{
	static const char *const calls[] = { "__get_bitmask(", "__get_rel_bitmask(",
					     "__get_cpumask(",
					     "__get_rel_cpumask(" };

	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		const char *p = fmt;

		while ((p = strstr(p, calls[i]))) {
			p += strlen(calls[i]);
			if (!strncmp(p, name, strlen(name)) && !is_word(p[strlen(name)]))
				return true;
		}
	}
	return false;
}

/* --- fields ------------------------------------------------------------- */

/* Split "unsigned long caller[8]" into type, name and the contents of the last brackets. */
struct declaration {
	struct format_span name;
	struct format_span base;	/* type without name and array brackets */
	struct format_span brackets;	/* inside of the name's brackets */
	bool		is_array;	/* the name has brackets */
};

static bool split_declaration(struct format_span decl, struct declaration *d)
{
	size_t end;
	const char *call = find(decl, "(*");

	memset(d, 0, sizeof(*d));
	decl = trim(decl);
	if (call) {			/* pointer to a function: void (*name)(int) */
		d->name.s = call + 2;
		while (d->name.s + d->name.len < decl.s + decl.len &&
		       is_word(d->name.s[d->name.len]))
			d->name.len++;
		d->base = decl;
		return d->name.len > 0;
	}
	end = decl.len;
	while (end && decl.s[end - 1] == ']') { /* only the last dimension counts */
		size_t open = end - 1;

		while (open && decl.s[open] != '[')
			open--;
		if (!d->is_array)
			d->brackets = (struct format_span){ decl.s + open + 1, end - open - 2 };
		d->is_array = true;
		end = open;
		while (end && decl.s[end - 1] == ' ')
			end--;
	}
	d->name.s = decl.s + end;
	while (d->name.s > decl.s && is_word(d->name.s[-1])) {
		d->name.s--;
		d->name.len++;
	}
	d->base = trim((struct format_span){ decl.s, (size_t)(d->name.s - decl.s) });
	return d->name.len > 0 && d->base.len > 0;
}

static void classify_array(struct event_field *f, const struct declaration *d, int long_size)
{
	uint32_t count = bracket_count(d->brackets), bytes = type_bytes(d->base, long_size);

	if (f->size && count && f->size % count == 0)
		bytes = f->size / count;
	f->is_signed = type_is_signed(d->base);
	f->element_size = (uint16_t)(bytes ? bytes : 1);
	if (type_is_text(d->base) && f->element_size == 1)
		f->kind = FIELD_STRING;
	else if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8)
		f->kind = FIELD_OPAQUE;
	else
		f->kind = FIELD_ARRAY;
	if (f->kind == FIELD_OPAQUE)
		f->element_size = f->size ? f->size : 1;
}

/* "__data_loc char[]", "__rel_loc unsigned long[]", "__data_loc cpumask_t" */
static void classify_dynamic(struct event_field *f, const struct declaration *d,
			     const char *print_fmt, int long_size)
{
	struct format_span base = d->base;
	uint32_t bytes = type_bytes(base, long_size);

	f->is_dynamic = true;
	f->is_relative = has_prefix(base, "__rel_loc");
	f->is_signed = type_is_signed(base);
	f->element_size = (uint16_t)(bytes ? bytes : 1);
	if (contains(base, "cpumask") || printed_as_bitmask(print_fmt, f->name)) {
		f->kind = FIELD_BITMASK;
		f->element_size = (uint16_t)long_size;
	} else if (type_is_text(base)) {
		f->kind = FIELD_DYNAMIC_STRING;
	} else {
		f->kind = FIELD_DYNAMIC_ARRAY;
	}
}

static void classify_number(struct event_field *f, const struct declaration *d,
			    const char *print_fmt, int sign)
{
	f->element_size = f->size;
	f->is_signed = sign >= 0 ? sign > 0 : type_is_signed(d->base);
	if (f->size != 1 && f->size != 2 && f->size != 4 && f->size != 8) {
		f->kind = FIELD_OPAQUE;
		f->is_signed = false;
	} else if (contains(d->base, "*")) {
		f->kind = FIELD_POINTER;
		f->is_signed = false;
	} else if (has_prefix(d->base, "struct ") || has_prefix(d->base, "union ")) {
		f->kind = FIELD_OPAQUE;
	} else if (f->size >= 4 && !f->is_signed && !f->is_common &&
		   (printed_as_address(print_fmt, f->name) || named_as_address(f->name))) {
		f->kind = FIELD_POINTER;
	} else {
		f->kind = f->is_signed ? FIELD_SINT : FIELD_UINT;
	}
}

/* The type as written in the format, followed by the array's brackets. */
static char *type_text(struct arena *arena, const struct declaration *d)
{
	char *s;

	if (!d->is_array)
		return arena_strndup(arena, d->base.s, d->base.len);
	s = arena_alloc(arena, d->base.len + d->brackets.len + 3);
	memcpy(s, d->base.s, d->base.len);
	s[d->base.len] = '[';
	memcpy(s + d->base.len + 1, d->brackets.s, d->brackets.len);
	s[d->base.len + 1 + d->brackets.len] = ']';
	return s;
}

/* "	field:DECLARATION;	offset:8;	size:16;	signed:0;" */
static bool parse_field(struct arena *arena, struct format_span line, const char *print_fmt,
			int long_size, struct event_field *f)
{
	const char *colon = memchr(line.s, ':', line.len), *end;
	int64_t offset, size, sign;
	struct declaration d;
	struct format_span rest;

	rest.s = colon + 1;
	rest.len = (size_t)(line.s + line.len - rest.s);
	end = find(rest, ";\toffset:");
	if (!end)
		end = memchr(rest.s, ';', rest.len);
	if (!end || !split_declaration((struct format_span){ rest.s, (size_t)(end - rest.s) }, &d))
		return false;
	rest.len -= (size_t)(end - rest.s);
	rest.s = end;
	offset = number_after(rest, "offset:");
	size = number_after(rest, "size:");
	sign = number_after(rest, "signed:");
	if (offset < 0 || size < 0 || offset > MAX_OFFSET || size > MAX_OFFSET)
		return false;
	f->offset = (uint16_t)offset;
	f->size = (uint16_t)size;
	f->name = arena_strndup(arena, d.name.s, d.name.len);
	f->type = type_text(arena, &d);
	f->is_common = has_prefix(d.name, "common_");
	/*
	 * Synthetic events have eight bytes here, of which the first four count; probes have arrays
	 * of location words.
	 */
	if ((has_prefix(d.base, "__data_loc") || has_prefix(d.base, "__rel_loc")) &&
	    (size == 4 || (size == 8 && !contains(d.base, "]["))))
		classify_dynamic(f, &d, print_fmt, long_size);
	else if (d.is_array)
		classify_array(f, &d, long_size);
	else
		classify_number(f, &d, print_fmt, (int)sign);
	return true;
}

static struct format_span next_line(struct format_span *text)
{
	const char *nl = memchr(text->s, '\n', text->len);
	struct format_span line = { text->s, nl ? (size_t)(nl - text->s) : text->len };

	text->s += line.len + (nl != NULL);
	text->len -= line.len + (nl != NULL);
	return line;
}

static bool is_field_line(struct format_span line)
{
	line = trim(line);
	return has_prefix(line, "field:") || has_prefix(line, "field special:");
}

/* The text after "print fmt:", up to the end. */
static char *print_fmt_text(struct arena *arena, struct format_span text)
{
	const char *p = find(text, "\nprint fmt:");
	struct format_span fmt;

	if (!p)
		return arena_strndup(arena, "", 0);
	fmt.s = p + strlen("\nprint fmt:");
	fmt.len = (size_t)(text.s + text.len - fmt.s);
	fmt = trim(fmt);
	return arena_strndup(arena, fmt.s, fmt.len);
}

static bool parse_fields(struct arena *arena, struct format_span text, int long_size,
			 struct event_type *type)
{
	struct event_field *fields;
	struct format_span rest = text;
	unsigned int nr = 0;

	while (rest.len)
		nr += is_field_line(next_line(&rest));
	if (nr > MAX_FIELDS)
		return false;
	fields = arena_alloc(arena, (nr ? nr : 1) * sizeof(*fields));
	type->fields = fields;
	for (rest = text; rest.len;) {
		struct format_span line = next_line(&rest);
		struct event_field *f = &fields[type->nr_fields];

		if (has_prefix(line, "print fmt:"))
			break;
		if (!is_field_line(line))
			continue;
		if (!parse_field(arena, line, type->print_fmt, long_size, f))
			return false;
		if (type->nr_common < type->nr_fields)	/* common fields come first, without gaps */
			f->is_common = false;
		type->nr_common += f->is_common;
		type->nr_fields++;
		if ((unsigned int)f->offset + f->size > type->size)
			type->size = (unsigned int)f->offset + f->size;
	}
	return true;
}

const struct event_field *event_type_field(const struct event_type *type, const char *name)
{
	for (unsigned int i = 0; i < type->nr_fields; i++)
		if (!strcmp(type->fields[i].name, name))
			return &type->fields[i];
	return NULL;
}

struct event_type *event_format_parse(struct arena *arena, const struct source_format *format,
				      int long_size)
{
	struct event_type *type = arena_alloc(arena, sizeof(*type));
	struct format_span text = { format->text, strnlen(format->text, format->size) },
			   rest = text;
	struct format_span line, name;
	int64_t id = -1;

	line = next_line(&rest);
	if (!has_prefix(line, "name:"))
		return NULL;
	name = trim((struct format_span){ line.s + 5, line.len - 5 });
	while (rest.len && id < 0) {
		line = next_line(&rest);
		if (has_prefix(line, "ID:"))
			id = number_after(line, "ID:");
		else if (is_field_line(line))
			break;
	}
	if (!name.len || id < 0 || id > INT32_MAX)
		return NULL;
	type->id = (int)id;
	type->name = arena_strndup(arena, name.s, name.len);
	type->system = format->system ? format->system : "";
	type->format = format;
	type->print_fmt = print_fmt_text(arena, text);
	return parse_fields(arena, rest, long_size, type) ? type : NULL;
}
