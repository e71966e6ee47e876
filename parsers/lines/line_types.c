/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/lines/line_types.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_known.h"
#include "parsers/lines/text_slice.h"
#include "parsers/source/perf_name.h"
#include "src/base/memory.h"
#include "src/events/template.h"

#define MAX_PIECE	48u
#define PERF_SYSTEM	"perf"

/* --- names ---------------------------------------------------------------------------------- */

/* "f <-g", "f+0x1/0x2 <-g", "f(args) <-g" */
static bool is_function(struct text_slice text)
{
	size_t n = name_length(text, '.');

	return n && n < text.len && strchr(" (+", text.s[n]) && memmem(text.s, text.len, " <-", 3);
}

/* "sys_read(fd: 3, …", "sys_read -> 0x1": sys_enter_read, sys_exit_read. */
static bool call_name(struct text_slice text, char buf[LINE_NAME_MAX], struct text_slice *name,
		      struct text_slice *body)
{
	size_t n = name_length(text, '\0');
	const char *end;
	bool exit;

	if (!begins_with(text, "sys_"))
		return false;
	exit = begins_with(slice_from(text, n), " -> ");
	if ((!exit && !begins_with(slice_from(text, n), "(")) || n + 8 > LINE_NAME_MAX)
		return false;
	*body = slice_from(text, n + (exit ? 4 : 1));
	end = mempcpy(stpcpy(buf, exit ? "sys_exit_" : "sys_enter_"), text.s + 4, n - 4);
	*name = slice(buf, (size_t)(end - buf));
	return true;
}

/* What has no name in the text, by tracers (slice_listed()) and a word of it: the first fits. */
static const struct {
	const char *tracers, *word, *name;
} nameless[] = {
	{ "wakeup*", " ==> [", "context_switch" },	/* "137:120:S ==> [001] 65:120:R wl" */
	{ "wakeup*", " + [", "wakeup" },
	{ "wakeup* irqsoff preempt*", "", "function" },
	{ "mmiotrace", "MARK ", "print" },
	{ "mmiotrace", "MAP ", "mmiotrace_map" },	/* UNMAP, too */
	{ "mmiotrace", "", "mmiotrace_rw" },
	{ "blk", "", "blktrace" },
	{ "nop function*", "", "print" },
};

/* Modifiers of an event of perf (cycles:ppH): what it counts in, and how precisely. */
static bool is_modifiers(struct text_slice t)
{
	size_t n = 0;

	while (n < t.len && memchr("ukhGHpPSDIWeb", t.s[n], 13))
		n++;
	return n && n == t.len;
}

/*
 * "sched:sched_switch", "sched:sched_switch:u" of a tracepoint; else "perf:cpu_clock".  It is also
 * the key of the type: events of several systems may have one name.
 */
static struct text_slice sample_name(const struct text_line *line, char buf[LINE_NAME_MAX],
				     struct text_slice *body)
{
	struct text_slice name = line->event, rest;
	size_t system = length_until(name, ':', '/', '/'), n;

	rest = slice_from(name, system + (system < name.len));
	n = name_length(rest, '\0');
	if (system < name.len && name.s[system] == ':' && n && !is_digit(*rest.s) &&
	    !is_modifiers(rest) && (n == rest.len || rest.s[n] == ':')) {
		*body = line_event_body(line);
		return slice(name.s, system + 1 + n);
	}
	perf_name_clean(name.s, name.len, mempcpy(buf, PERF_SYSTEM ":", strlen(PERF_SYSTEM) + 1));
	return slice_of(buf);
}

struct text_slice line_event_name(const struct text_line *line, struct text_slice tracer,
				  char buf[LINE_NAME_MAX], struct text_slice *body)
{
	struct text_slice text = line->text, name = line->event;

	*body = text;
	if (line->is_sample)
		return sample_name(line, buf, body);
	if (begins_with(text, "<stack trace"))
		return slice_of("kernel_stack");
	if (begins_with(text, "<user stack trace"))
		return slice_of("user_stack");
	if (slice_listed(name, "tracing_mark_write 0 0x*"))
		return slice_of("print");
	if (name.len) {
		*body = line_event_body(line);
		return name;
	}
	if (is_function(text))
		return text.s[text.len - 1] == ')' && memmem(text.s, text.len, " (repeats: ", 11) ?
			       slice_of("func_repeats") :
			       slice_of("function");
	if (call_name(text, buf, &name, body))
		return name;
	for (size_t i = 0; i < sizeof(nameless) / sizeof(nameless[0]); i++)
		if (slice_listed(tracer, nameless[i].tracers) &&
		    memmem(text.s, text.len, nameless[i].word, strlen(nameless[i].word)))
			return slice_of(nameless[i].name);
	return tracer.len ? tracer : slice_of("print");
}

struct text_slice line_call_type(bool is_exit, bool has_caller)
{
	const char *name = is_exit    ? "funcgraph_exit" :
			   has_caller ? "fgraph_retaddr_entry" :
					"funcgraph_entry";

	return slice_of(name);
}

/* --- values --------------------------------------------------------------------------------- */

bool line_number(struct text_slice t, int64_t *v, size_t *end)
{
	size_t sign = begins_with(t, "-");
	bool is_hex = t.len > sign + 2 && t.s[sign] == '0' &&
		      (t.s[sign + 1] == 'x' || t.s[sign + 1] == 'X');
	size_t from = sign + (is_hex ? 2 : 0);
	uint64_t n = digits_of(slice_from(t, from), is_hex ? 16 : 10, end);

	*v = (int64_t)(sign ? 0 - n : n);
	*end += from;
	return *end > from;
}

static bool is_before(const struct line_piece *piece, const char *at, const char *end)
{
	return (size_t)(end - at) >= piece->len && *at == *piece->before &&
	       (piece->len == 1 || !memcmp(at, piece->before, piece->len));
}

/* memmem() takes longer for texts as short as these. */
static const char *find_before(const struct line_piece *piece, const char *at, const char *end)
{
	for (; at < end; at++)
		if (is_before(piece, at, end))
			return at;
	return NULL;
}

static bool is_number(const struct line_type *type, const struct line_piece *piece)
{
	enum line_kind kind = type->fields[piece->field].kind;

	return kind == LINE_INT || kind == LINE_NUMBER;
}

/* Behind the number at the beginning, where @next or the last blank is; NULL if there is none. */
static const char *number_end(const char *at, const char *end, const struct line_piece *next)
{
	int64_t number;
	size_t len;

	while (at < end && *at == ' ')
		at++;
	if (!line_number(slice(at, (size_t)(end - at)), &number, &len))
		return NULL;
	at += len;
	while (end - at > 1 && at[0] == ' ' && at[1] == ' ' && !(next && is_before(next, at, end)))
		at++;
	return at;
}

/*
 * Where the text before a field's value begins.  A name may have the same text in it: behind it
 * stands a number then, and what follows the number.  @at: the value before.  *next: where the next
 * piece begins, if that was found, too.
 */
static const char *find_piece(const struct line_type *type, const struct line_pattern *p,
			      unsigned int i, const char *at, const char *end, const char **next)
{
	const struct line_piece *piece = &p->pieces[i];
	const char *behind = *next;

	*next = NULL;
	if (!piece->len)
		return at;
	if (p->is_loose)
		return find_before(piece, at, end);
	if (!i && !is_before(piece, at, end))
		return NULL;
	if (!behind && i && is_number(type, piece - 1)) {
		behind = number_end(at, end, piece);
		if (behind && !is_before(piece, behind, end))
			behind = NULL;
	}
	at = behind ? behind : find_before(piece, at, end);
	for (; at && is_number(type, piece); at = find_before(piece, at + 1, end)) {
		behind = number_end(at + piece->len, end, i + 1 < p->nr ? piece + 1 : NULL);
		if (!behind || (i + 1 < p->nr && !is_before(piece + 1, behind, end)))
			continue;
		*next = i + 1 < p->nr ? behind : NULL;
		break;
	}
	return at;
}

static struct text_slice trimmed_value(const char *at, const char *end,
				       const struct line_pattern *p, unsigned int i)
{
	char also = *p->pieces[i].before == '[' ? ']' : ';';

	while (at < end && *at == ' ')
		at++;
	while (at < end && (end[-1] == ' ' ||
			    (p->is_loose && (end[-1] == ',' || end[-1] == ';' || end[-1] == also))))
		end--;
	return slice(at, (size_t)(end - at));
}

/* Does no text begin at this blank?  A name may; an empty text is all that is before " word=". */
static bool is_text_end(const struct line_type *type, const struct line_pattern *p, unsigned int i,
			const char *at, const char *end)
{
	enum line_kind kind = type->fields[p->pieces[i].field].kind;

	if (kind == LINE_STRING || kind == LINE_PRINTED)
		return i + 1 < p->nr && p->pieces[i + 1].len > 1 &&
		       is_before(&p->pieces[i + 1], at, end);
	return kind == LINE_COMM;
}

static bool match(const struct line_type *type, const struct line_pattern *p,
		  struct text_slice body, struct line_values *values)
{
	const char *at = body.s, *end = body.s + body.len, *start = NULL, *next = NULL;
	unsigned int last = 0;

	for (unsigned int i = 0; i < p->nr; i++) {
		const char *before = find_piece(type, p, i, at, end, &next);

		if (!before && p->is_loose)
			continue;	/* this line does not have it */
		if (!before || (!i && !p->is_loose && before != at))
			return false;
		if (start)
			values->v[p->pieces[last].field] = trimmed_value(start, before, p, last);
		at = start = before + p->pieces[i].len;
		last = i;
		while (at < end && *at == ' ' && !is_text_end(type, p, i, at, end))
			at++;		/* values in columns */
	}
	if (p->tail.len && p->tail.len <= (size_t)(end - at) &&
	    !memcmp(end - p->tail.len, p->tail.s, p->tail.len))
		end -= p->tail.len;
	if (start)
		values->v[p->pieces[last].field] = trimmed_value(at, end, p, last);
	return true;
}

const struct line_pattern *line_type_values(const struct line_type *type, struct text_slice body,
					    struct line_values *values)
{
	for (const struct line_pattern *p = type->patterns; p; p = p->next) {
		memset(values, 0, type->nr_fields * sizeof(values->v[0]));
		if (match(type, p, body, values))
			return p;
	}
	memset(values, 0, type->nr_fields * sizeof(values->v[0]));
	return NULL;
}

/* --- making types --------------------------------------------------------------------------- */

#define FIELD_BYTES	16u		/* most bytes that most kinds of fields need */

static const struct {
	const char	*type;
	uint16_t	 size, align;
	bool		 is_signed;
} kinds[] = {
	[LINE_NUMBER]  = { "s64", 8, 8, true },
	[LINE_INT]     = { "int", 4, 4, true },
	[LINE_ADDRESS] = { "void *", 8, 8, false },
	[LINE_COMM]    = { "char[16]", 16, 1, false },
	[LINE_STRING]  = { "__data_loc char[]", 4, 4, false },
	[LINE_STATE]   = { "long", 8, 8, true },
	[LINE_SYMBOL]  = { "unsigned long", 8, 8, false },
	[LINE_CALLER]  = { "unsigned long[8]", 64, 8, false },
	[LINE_CALL_NR] = { "int", 4, 4, true },
	[LINE_SECONDS] = { "u64", 8, 8, false },
	[LINE_DEVICE]  = { "dev_t", 4, 4, false },
	[LINE_ACTION]  = { "int", 4, 4, true },
	[LINE_SECTORS] = { "int", 4, 4, true },
	[LINE_HIT]     = { "char", 1, 1, false },
	[LINE_ACCESS]  = { "char", 1, 1, false },
	[LINE_OCTAL]   = { "s64", 8, 8, true },
	[LINE_CHAR]    = { "char", 1, 1, false },
	[LINE_ARGS]    = { "unsigned long[6]", 48, 8, false },
	[LINE_PRINTED] = { "__data_loc char[]", 4, 4, false },
};

_Static_assert(sizeof(kinds) / sizeof(kinds[0]) == TEMPLATE_KINDS, "a word for each kind");

/* A type and a pattern of it, while they are made. */
struct format_maker {
	struct arena	*arena;
	struct line_type *type;
	struct line_field fields[LINE_MAX_FIELDS];	/* fields of the type */
	unsigned int	 nr;
	struct line_piece pieces[LINE_MAX_FIELDS];
};

/*
 * Most bytes that a field takes in a record.  A field whose kind is not sure may become one of most
 * others.
 */
static uint32_t field_bytes(const struct line_field *field)
{
	uint32_t bytes = field->size > kinds[field->kind].size ? field->size :
								 kinds[field->kind].size;

	return bytes > FIELD_BYTES ? bytes : FIELD_BYTES;
}

/* Its number; LINE_MAX_FIELDS: there are too many. */
static unsigned int add_field(struct format_maker *m, struct text_slice name,
			      struct line_field field)
{
	struct line_type *type = m->type;

	for (unsigned int i = 0; i < type->nr_fields && name.len; i++)
		if (slice_is(name, type->fields[i].name))
			return i;
	if (type->nr_fields == LINE_MAX_FIELDS)
		return LINE_MAX_FIELDS;
	field.name = arena_strndup(m->arena, name.s, name.len);
	type->most += field_bytes(&field);
	type->fields[type->nr_fields] = field;
	return type->nr_fields++;
}

static void add_piece(struct format_maker *m, struct text_slice before, unsigned int field)
{
	if (m->nr < LINE_MAX_FIELDS && field < LINE_MAX_FIELDS)
		m->pieces[m->nr++] = (struct line_piece){
			arena_strndup(m->arena, before.s, before.len), before.len, field
		};
}

/* The pattern of the pieces is the last one to be tried. */
static void add_pattern(struct format_maker *m, struct text_slice tail, bool is_loose)
{
	struct line_pattern *p = arena_alloc(m->arena, sizeof(*p) + m->nr * sizeof(*m->pieces));
	struct line_pattern **end = &m->type->patterns;

	p->tail = slice(arena_strndup(m->arena, tail.s, tail.len), tail.len);
	p->is_loose = is_loose;
	p->nr = m->nr;
	memcpy(p->pieces, m->pieces, m->nr * sizeof(*m->pieces));
	m->nr = 0;
	while (*end)
		end = &(*end)->next;
	*end = p;
}

/*
 * "pid:number 4s pid_t": a field of a pattern.  What the table knows takes the place of what a
 * print format computes.
 */
static void add_known_field(struct format_maker *m, const struct template_part *part,
			    struct text_slice before)
{
	struct text_slice how = slice(part->how, part->how_len), kind = how;
	struct line_field field = { .kind = LINE_NUMBER, .is_sure = true };
	const char *end = how.s + how.len, *type;
	unsigned int nr;
	char *rest;

	kind.len = length_until(how, ' ', ' ', ' ');
	if (kind.len)
		while (field.kind < LINE_PRINTED && !slice_is(kind, template_kinds[field.kind]))
			field.kind++;
	if (kind.len < how.len) {
		field.size = (uint16_t)strtoul(how.s + kind.len + 1, &rest, 10);
		field.is_signed = *rest == 's';
		field.is_pointer = *rest == 'p';
		type = rest + 2 < end ? rest + 2 : end;
		field.type = arena_strndup(m->arena, type, (size_t)(end - type));
	}
	nr = add_field(m, slice(part->name, part->name_len), field);
	if (nr < LINE_MAX_FIELDS && m->type->fields[nr].kind == LINE_PRINTED) {
		m->type->fields[nr].kind = field.kind;
		m->type->most += field_bytes(&field) - FIELD_BYTES;
	}
	add_piece(m, before, nr);
}

static void add_known(struct format_maker *m, const char *pattern)
{
	struct text literal = { 0 };
	struct template_part part;

	while (template_next(&pattern, &part)) {
		text_bytes(&literal, part.text, part.text_len);
		if (!part.name)
			continue;
		add_known_field(m, &part, slice(text_str(&literal), literal.len));
		text_clear(&literal);
	}
	add_pattern(m, slice(text_str(&literal), literal.len), false);
	text_fini(&literal);
}

static enum line_kind kind_of_value(struct text_slice value)
{
	size_t end;
	int64_t v;

	if (begins_with(value, "(____ptrval____)") || begins_with(value, "(ptrval)"))
		return LINE_ADDRESS;
	if (!line_number(value, &v, &end) || (end < value.len && !strchr(" ,)]", value.s[end])))
		return LINE_STRING;
	return begins_with(value, "0x") && end > 10 ? LINE_ADDRESS : LINE_NUMBER;
}

/* "dev=", "[action=", "fd: " of system calls: a name, with what stands before it. */
static bool next_pair(struct text_slice body, size_t *at, size_t *start, size_t *name, bool is_call)
{
	char mark = is_call ? ':' : '=';

	for (; *at < body.len; ++*at) {
		size_t i = *at;

		if (body.s[i] != mark ||
		    (!is_call && i + 1 < body.len && strchr("=>", body.s[i + 1])))
			continue;
		while (i && text_is_name_char(body.s[i - 1]))
			i--;
		if (i == *at || (body.s[i] >= '0' && body.s[i] <= '9') ||
		    (i && !strchr(" [(,{", body.s[i - 1])))
			continue;
		*name = i;
		*start = i && body.s[i - 1] != ' ' && !is_call ? i - 1 : i;
		return true;
	}
	return false;
}

static void add_pairs(struct format_maker *m, struct text_slice body, bool is_call)
{
	for (size_t at = 0, start, name; next_pair(body, &at, &start, &name, is_call); at++) {
		struct line_field field = { .kind = LINE_ADDRESS, .is_sure = true };
		struct text_slice of = slice(body.s + name, at - name);

		if (!is_call && !line_known_kind(of, &field.kind)) {
			field.kind = kind_of_value(without_blanks(slice_from(body, at + 1)));
			field.is_sure = false;
		}
		if (of.len < MAX_PIECE)
			add_piece(m, slice(body.s + start, at + 1 - start),
				  add_field(m, of, field));
	}
	add_pattern(m, nothing, true);
}

/* A number, an address, a text: a field has the last of these kinds that one of its values has. */
static void widen(struct line_type *type, struct text_slice body)
{
	struct line_values values;
	const struct line_pattern *p = line_type_values(type, body, &values);

	type->fits |= p && !p->is_loose;
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		struct line_field *f = &type->fields[i];
		enum line_kind own = values.v[i].s ? kind_of_value(values.v[i]) : f->kind;

		f->is_told |= values.v[i].s != NULL;
		if (!f->is_sure && own > f->kind)
			f->kind = own;
	}
}

/* Fields with the name of a task, which is that of the field with its pid. */
static void find_pairs(struct line_type *type)
{
	for (unsigned int i = 0; i < type->nr_fields && type->nr_pairs < LINE_MAX_PAIRS; i++) {
		const char *comm = type->fields[i].name;
		size_t len = strlen(comm);
		unsigned int pid = 0;
		char name[MAX_PIECE];

		if (type->fields[i].kind != LINE_COMM || len + 1 > sizeof(name) ||
		    !slice_listed(slice_of(type->system), "sched task") || !strcmp(comm, "oldcomm"))
			continue;
		memcpy(name, comm, len + 1);
		memcpy(strcmp(name, "newcomm") ? name + len - 4 : name, "pid", 4);
		while (pid < type->nr_fields && strcmp(type->fields[pid].name, name) != 0)
			pid++;
		if (!strcmp(type->name, "sched_process_wait"))	/* the task that is waited for */
			pid = type->nr_fields;
		else if (pid == type->nr_fields)
			continue;
		type->pairs[type->nr_pairs].comm = i;
		type->pairs[type->nr_pairs++].pid = pid;
	}
}

static void find_behind(struct line_type *type)
{
	for (struct line_pattern *p = type->patterns; p; p = p->next)
		if (type->nr_pairs == 1 && !type->has_symbols && p->nr > 2 && p->pieces[2].len &&
		    p->pieces[0].field == type->pairs[0].comm &&
		    p->pieces[1].field == type->pairs[0].pid)
			p->behind = &p->pieces[2];
}

/* "ret=0x1", and "} /" "* f = -5 *" "/", "f(); /" "* = 0x0 *" "/" of kernels before 6.13 */
static bool has_value(struct text_slice line)
{
	const char *comment = memmem(line.s, line.len, "/* ", 3), *end = line.s + line.len;

	return memmem(line.s, line.len, "ret=", 4) ||
	       (comment && memmem(comment, (size_t)(end - comment), " = ", 3));
}

/* The fields of a call of function_graph.  Its lines have no pattern: see line_calls.c. */
static bool add_call(struct format_maker *m, struct text_slice line)
{
	const struct line_field number = { .kind = LINE_NUMBER, .is_sure = true },
				symbol = { .kind = LINE_SYMBOL, .is_sure = true },
				depth = { .kind = LINE_INT, .is_sure = true },
				value = { .kind = LINE_NUMBER, .is_sure = true, .size = 8,
					  .type = "unsigned long" };
	bool is_exit = !strcmp(m->type->name, "funcgraph_exit");
	bool has_caller = !strcmp(m->type->name, "fgraph_retaddr_entry");

	if ((!is_exit && !has_caller && strcmp(m->type->name, "funcgraph_entry")) ||
	    memmem(line.s, line.len, "func=", 5))
		return false;
	add_field(m, slice_of("func"), symbol);
	add_field(m, slice_of("depth"), depth);
	if (has_caller)
		add_field(m, slice_of("retaddr"), symbol);
	if (is_exit) {
		add_field(m, slice_of("calltime"), number);
		add_field(m, slice_of("rettime"), number);
	}
	if (is_exit && has_value(line))
		add_field(m, slice_of("retval"), value);
	return true;
}

/*
 * All patterns of the event; the pairs of its first line, if none of them fits it.  A sample of an
 * event of perf's own has its period, or nothing.
 */
static void add_fields(struct format_maker *m, const struct line_formats *formats,
		       struct text_slice name, struct text_slice body)
{
	bool enter = begins_with(name, "sys_enter_"), exit = begins_with(name, "sys_exit_");
	struct line_type *type = m->type;
	struct line_values values;
	struct line_known known;

	if (type->system && !strcmp(type->system, PERF_SYSTEM)) {
		if (body.len && is_digit(*body.s))
			add_known(m, "{period}");
		return;
	}
	if (enter || exit)	/* first, as in the kernel's formats: all have it in one place */
		add_field(m, slice_of("__syscall_nr"),
			  (struct line_field){ .kind = LINE_CALL_NR, .is_sure = true });
	for (unsigned int at = 0; line_known_next(formats, name, &at, &known);) {
		if (!type->system && known.system)
			type->system = arena_strndup(m->arena, known.system, strlen(known.system));
		add_known(m, known.pattern);
	}
	if (exit)
		add_known(m, "{ret}");
	if (!add_call(m, body) && (enter || !line_type_values(type, body, &values)))
		add_pairs(m, body, enter);
	type->is_call = enter || exit;
}

static struct line_type *new_type(struct line_types *types, struct text_slice name,
				  struct text_slice body)
{
	struct line_type *type = arena_alloc(&types->arena, sizeof(*type));
	struct format_maker m = { .arena = &types->arena, .type = type };
	size_t system = length_until(name, ':', ':', ':');

	line_names_add(&types->names, slice(arena_strndup(m.arena, name.s, name.len), name.len));
	if (system + 1 < name.len) {
		type->system = arena_strndup(m.arena, name.s, system);
		name = slice_from(name, system + 1);
	}
	type->name = arena_strndup(m.arena, name.s, name.len);
	type->fields = m.fields;
	add_fields(&m, types->formats, name, body);
	type->fields = arena_copy(m.arena, m.fields, type->nr_fields * sizeof(*m.fields));
	if (!type->system)
		type->system = line_known_system(name);
	for (unsigned int i = 0; i < type->nr_fields; i++)
		type->has_symbols |= type->fields[i].kind == LINE_SYMBOL && type->patterns;
	while (type->state < type->nr_fields && type->fields[type->state].kind != LINE_STATE)
		type->state++;
	type->is_known = type->is_call || (type->patterns && !type->patterns->is_loose);
	find_pairs(type);
	find_behind(type);
	mem_grow(&types->types, types->nr, &types->cap);
	types->types[types->nr++] = type;
	type->id = (int)types->nr;
	return type;
}

struct line_type *line_types_find(const struct line_types *types, struct text_slice name)
{
	unsigned int i = line_names_find(&types->names, name);

	return i == UINT32_MAX ? NULL : types->types[i];
}

struct line_type *line_types_learn(struct line_types *types, struct text_slice name,
				   struct text_slice body)
{
	struct line_type *type = line_types_find(types, name);

	if (!type && types->nr < LINE_MAX_TYPES)
		type = new_type(types, name, body);
	if (type && type->lines++ < LINE_SAMPLES)
		widen(type, body);
	return type;
}

void line_types_fini(struct line_types *types)
{
	free(types->types);
	line_names_fini(&types->names);
	arena_fini(&types->arena);
}

/* --- formats -------------------------------------------------------------------------------- */

/* The lines have another format than the kernel's: records do not have what they do not tell. */
static void drop_fields(struct line_type *type)
{
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		struct line_field *f = &type->fields[i];

		if (!f->is_told) {
			f->name = "";
			f->size = 0;
		}
	}
}

void line_types_place(struct line_types *types)
{
	for (unsigned int i = 0; i < types->nr; i++) {
		struct line_type *type = types->types[i];
		uint32_t at = LINE_FIELDS_AT;

		if (type->is_known && !type->is_call && !type->fits)
			drop_fields(type);
		for (unsigned int k = 0; k < type->nr_fields; k++) {
			struct line_field *f = &type->fields[k];
			uint32_t align = kinds[f->kind].align;

			if (!*f->name)
				continue;
			if (!f->size) {
				f->type = kinds[f->kind].type;
				f->size = kinds[f->kind].size;
				f->is_signed = kinds[f->kind].is_signed;
			}
			if (align > f->size)
				align = f->size;
			at = (at + align - 1) / align * align;
			f->offset = (uint16_t)at;
			at += f->size;
		}
		type->size = (at + 7) / 8 * 8;
	}
}

/* "char[16]" is "char name[16]" there. */
static void add_declaration(const struct line_field *f, struct text *out)
{
	const char *bracket = strrchr(f->type, '[');
	size_t len = strlen(f->type);

	if (bracket && f->type[len - 1] == ']' && strncmp(f->type, "__data_loc", 10) != 0)
		len = (size_t)(bracket - f->type);

	text_printf(out, "\tfield:%.*s %s%s;\toffset:%u;\tsize:%u;\tsigned:%d;\n", (int)len,
		    f->type, f->name, f->type + len, f->offset, f->size, f->is_signed);
}

void line_type_format(const struct line_type *type, int id, bool has_text, struct text *out)
{
	/* names for a LINE_STATE, as in the kernel's format of sched_switch */
	static const char states[] =
		"\"%s%s\", REC->prev_state & 0x2ff ? __print_flags(REC->prev_state & 0x2ff, \"|\", "
		"{ 0x1, \"S\" }, { 0x2, \"D\" }, { 0x4, \"T\" }, { 0x8, \"t\" }, "
		"{ 0x10, \"X\" }, { 0x20, \"Z\" }, { 0x40, \"P\" }, { 0x80, \"I\" }, "
		"{ 0x200, \"x\" }) : \"R\", "
		"REC->prev_state & 0x100 ? \"+\" : \"\"";
	struct text symbols = { 0 }, print = { 0 };
	bool has_state = false;

	text_printf(out, "name: %s\nID: %d\nformat:\n", type->name, id);
	text_add(out, "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
		      "\tfield:unsigned char common_flags;\toffset:2;\tsize:1;\tsigned:0;\n"
		      "\tfield:unsigned char common_preempt_count;\toffset:3;\tsize:1;\tsigned:0;\n"
		      "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n");
	if (has_text)
		text_add(out, "\tfield:__data_loc char[] line;"
			      "\toffset:8;\tsize:4;\tsigned:0;\n");
	/* as the kernel's, to the end */
	if (has_text && !type->nr_fields && !strcmp(type->name, "print"))
		text_printf(out, "\tfield:char buf[];\toffset:%u;\tsize:0;\tsigned:0;\n",
			    type->size);
	for (unsigned int i = 0; i < type->nr_fields; i++) {
		const struct line_field *f = &type->fields[i];

		if (!*f->name)
			continue;
		has_state |= f->kind == LINE_STATE;
		add_declaration(f, out);
		if (f->kind != LINE_SYMBOL && !f->is_pointer)
			continue;
		text_add(&print, f->kind == LINE_SYMBOL ? "%ps" : "%p");
		text_printf(&symbols, ", (void *)REC->%s", f->name);
	}
	if (has_text)
		text_add(out, "\nprint fmt: \"%s\", __get_str(line)\n");
	else if (has_state)
		text_printf(out, "\nprint fmt: %s\n", states);
	else
		text_printf(out, "\nprint fmt: \"%s\"%s\n", text_str(&print), text_str(&symbols));
	text_fini(&symbols);
	text_fini(&print);
}
