/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/derived_names.h"
#include "parsers/io/byte_reader.h"
#include "tests/lib/filter_oracle_private.h"

#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/source/source.h"
#include "src/base/memory.h"

const char *const oracle_kind_names[KIND_NR] = {
	"signed", "unsigned", "address", "string", "dynamic string", "element", "any element",
	"mask", "state", "comm", "pid",
	"cpu", "time", "func", "flag", "event",
};
const char *const oracle_op_texts[OP_NR] = {
	"==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "+", "-", "*", "/", "%", "<<", ">>", "in",
	"not in", "range", "=~ //",
	"!~ //", "=~ \"\"", "!~ \"\"", "~", "contains", "alone",
};

const struct oracle_state oracle_states[ORACLE_STATES] = {
	{ "R", 0, 0xff }, { "S", 1, 0xff }, { "D", 2, 0xff }, { "T", 4, 0xff }, { "t", 8, 0xff },
	{ "X", 0x10, 0xff },
	{ "Z", 0x20, 0xff }, { "P", 0x40, 0xff }, { "I", 0x80, 0xff }, { "R+", 0x100, 0x1ff },
};

/* --- fields ------------------------------------------------------------------------- */

static bool is_struct(const struct tep_format_field *f)
{
	return !strncmp(f->type, "struct ", 7) || !strncmp(f->type, "union ", 6);
}

bool oracle_is_plain_number(const struct tep_format_field *f)
{
	return !(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC)) &&
	       !is_struct(f) && (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool is_function_field(const char *event, const char *field)
{
	return (!strcmp(event, "function") &&
		(!strcmp(field, "ip") || !strcmp(field, "parent_ip"))) ||
	       (!strncmp(event, "funcgraph_", 10) && !strcmp(field, "func")) ||
	       !strcmp(field, "call_site");
}

static bool is_mask(const struct tep_format_field *f)
{
	return (f->flags & TEP_FIELD_IS_DYNAMIC) && strstr(f->type, "cpumask") != NULL;
}

bool oracle_field_is(const struct tep_event *event, const struct tep_format_field *f,
		     enum oracle_kind kind)
{
	bool address = is_function_field(event->name, f->name), number = oracle_is_plain_number(f);

	if (!strcmp(event->system, "myfs") && !strcmp(f->name, "arr"))
		return false; /* a kprobe's array of strings, which
					   libtraceevent takes for a string */
	switch (kind) {
	case KIND_SIGNED:
		return number && (f->flags & TEP_FIELD_IS_SIGNED) &&
		       strcmp(f->name, "prev_state") != 0;
	case KIND_UNSIGNED:
		return number && !(f->flags & (TEP_FIELD_IS_SIGNED | TEP_FIELD_IS_POINTER)) &&
		       !address;
	case KIND_ADDRESS:
		return number && address;
	case KIND_STRING:
		return (f->flags & TEP_FIELD_IS_STRING) && !(f->flags & TEP_FIELD_IS_DYNAMIC);
	case KIND_DYNAMIC:
		return (f->flags & TEP_FIELD_IS_STRING) && (f->flags & TEP_FIELD_IS_DYNAMIC);
	case KIND_ELEMENT:
	case KIND_ANY:
		return (f->flags & TEP_FIELD_IS_ARRAY) &&
		       !(f->flags & (TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC)) &&
		       !is_struct(f) && (f->elementsize == 4 || f->elementsize == 8) &&
		       f->size >= (int)f->elementsize && strcmp(f->name, "caller") != 0;
	case KIND_MASK:
		return is_mask(f);
	case KIND_STATE:
		return number && !strcmp(f->name, "prev_state") && !strcmp(event->system, "sched");
	default:
		return false;
	}
}

__int128 oracle_read_number(const struct tep_format_field *f, const struct oracle_record *r)
{
	unsigned long long v = 0;

	tep_read_number_field((struct tep_format_field *)f, r->record.data, &v);
	if (!(f->flags & TEP_FIELD_IS_SIGNED))
		return v;
	return f->size == 1 ? (int8_t)v :
	       f->size == 2 ? (int16_t)v :
	       f->size == 4 ? (int32_t)v :
			      (int64_t)v;
}

__int128 oracle_read_element(const struct tep_format_field *f, const struct oracle_record *r,
			     unsigned int i)
{
	unsigned long long v = tep_read_number(f->event->tep,
					       (uint8_t *)r->record.data + f->offset +
						       i * f->elementsize,
					       (int)f->elementsize);

	if (!(f->flags & TEP_FIELD_IS_SIGNED))
		return v;
	return f->elementsize == 4 ? (int32_t)v : (int64_t)v;
}

void oracle_read_string(const struct tep_format_field *f, const struct oracle_record *r, char *out,
			size_t room)
{
	const char *s = (const char *)r->record.data + f->offset;
	size_t len = f->size;

	if (f->flags & TEP_FIELD_IS_DYNAMIC) {
		unsigned long long word = tep_read_number(f->event->tep, s, 4);

		len = word >> 16;
		s = (const char *)r->record.data + (word & 0xffff);
		if (f->flags & TEP_FIELD_IS_RELATIVE)
			s += f->offset + f->size;
	}
	snprintf(out, room, "%.*s", (int)len, s);
}

uint64_t oracle_read_mask(const struct tep_format_field *f, const struct oracle_record *r)
{
	unsigned long long word = tep_read_number(f->event->tep,
						  (uint8_t *)r->record.data + f->offset, 4);
	uint64_t at = word & 0xffff;

	if (f->flags & TEP_FIELD_IS_RELATIVE)
		at += f->offset + f->size;
	return (word >> 16) >= 8 ?
		       tep_read_number(f->event->tep, (uint8_t *)r->record.data + at, 8) :
		       0;
}

struct tep_format_field *oracle_func_field(const struct tep_event *event)
{
	struct tep_format_field *f = tep_find_any_field((struct tep_event *)event, "func");

	if (!f && !strcmp(event->system, "ftrace") &&
	    (!strcmp(event->name, "function") || !strcmp(event->name, "func_repeats")))
		f = tep_find_any_field((struct tep_event *)event, "ip");
	return f;
}

/* --- functions and tasks ---------------------------------------------------------------- */

static int by_address(const void *a, const void *b)
{
	const struct oracle_symbol *x = a, *y = b;

	return x->address < y->address ? -1 : x->address > y->address;
}

static void load_symbols(struct oracle *o)
{
	uint64_t size;
	const char *p = source_text(trace_file_of(o->trace, 0), TRACE_TEXT_KALLSYMS, &size);

	while (*p) {
		unsigned long long address;
		char type, name[512];
		int len = (int)strcspn(p, "\n");

		if (sscanf(p, "%llx %c %511s", &address, &type, name) == 3 && type != 'A' &&
		    type != 'a' && name[0] != '$') {
			mem_grow(&o->symbols, o->nr_symbols, &o->cap_symbols);
			o->symbols[o->nr_symbols++] = (struct oracle_symbol){ address,
									      mem_strdup(name) };
		}
		p += len + (p[len] == '\n');
	}
	qsort(o->symbols, o->nr_symbols, sizeof(*o->symbols), by_address);
}

/* The symbols at the highest address that is not above. */
unsigned int oracle_symbols_at(const struct oracle *o, uint64_t address, unsigned int *first)
{
	unsigned int low = 0, high = o->nr_symbols, nr = 0;

	while (low < high) {
		unsigned int mid = (low + high) / 2;

		if (o->symbols[mid].address <= address)
			low = mid + 1;
		else
			high = mid;
	}
	*first = low;
	while (*first > 0 && o->symbols[*first - 1].address == o->symbols[low - 1].address) {
		--*first;
		nr++;
	}
	return nr;
}

bool oracle_symbol_is_single(const struct oracle *o, const char *name)
{
	unsigned int first;

	for (unsigned int i = 0; i < o->nr_symbols; i++)
		if (!strcmp(o->symbols[i].name, name) &&
		    oracle_symbols_at(o, o->symbols[i].address, &first) != 1)
			return false;
	return true;
}

static void see_name(struct oracle *o, const struct oracle_record *r, const char *pid_field,
		     const char *comm_field)
{
	struct tep_format_field *comm = tep_find_any_field(r->event, comm_field);
	struct tep_format_field *pid = pid_field ? tep_find_any_field(r->event, pid_field) : NULL;
	struct oracle_name name = { .pid = r->pid, .ts = r->ts, .order = o->nr_names };

	if (!comm || !(comm->flags & TEP_FIELD_IS_STRING))
		return;
	if (pid)
		name.pid = (int)oracle_read_number(pid, r);
	oracle_read_string(comm, r, name.comm, sizeof(name.comm));
	if (name.pid <= 0 || !name.comm[0])
		return;
	mem_grow(&o->names, o->nr_names, &o->cap_names);
	o->names[o->nr_names++] = name;
}

/*
 * sched and task events tell names: of both tasks of a switch, of who is woken, forked, renamed,
 * ends.
 */
static void see_names(struct oracle *o, const struct oracle_record *r)
{
	if (!r->event || (strcmp(r->event->system, "sched") && strcmp(r->event->system, "task")))
		return;
	if (!strcmp(r->event->name, "sched_process_exec"))
		return;
	see_name(o, r, "prev_pid", "prev_comm");
	see_name(o, r, "next_pid", "next_comm");
	see_name(o, r, "parent_pid", "parent_comm");
	see_name(o, r, "child_pid", "child_comm");
	if (tep_find_any_field(r->event, "pid") && strcmp(r->event->name, "sched_process_hang"))
		see_name(o, r, "pid", "comm");
	see_name(o, r, "pid", "newcomm");
}

static const char *name_at(const struct oracle *o, int pid, int64_t ts, const char *saved)
{
	const struct oracle_name *before = NULL, *after = NULL;

	if (!pid)
		return "<idle>";
	for (unsigned int i = 0; i < o->nr_names; i++) {
		const struct oracle_name *n = &o->names[i];

		if (n->pid != pid)
			continue;
		if (n->ts <= ts && (!before || n->ts > before->ts))
			before = n;
		if (n->ts > ts && (!after || n->ts < after->ts))
			after = n;
	}
	return before ? before->comm : after ? after->comm : saved ? saved : "<...>";
}

/* --- loading ------------------------------------------------------------------------------- */

static void load_tep(struct oracle *o)
{
	const struct source *file = trace_file_of(o->trace, 0);
	unsigned int nr = source_nr_formats(file);
	uint64_t size;
	const char *text = source_text(file, TRACE_TEXT_CMDLINES, &size);
	char *copy = mem_strndup(text, size);

	o->tep = tep_alloc();
	tep_set_long_size(o->tep, 8);
	tep_set_file_bigendian(o->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(o->tep, HOST_BIG_ENDIAN ? TEP_BIG_ENDIAN : TEP_LITTLE_ENDIAN);
	tep_set_loglevel(TEP_LOG_NONE);
	for (unsigned int i = 0; i < nr; i++) {
		const struct source_format *format = source_format(file, i);
		const char *print = memmem(format->text, format->size, "\nprint fmt:", 11);
		struct text fields = { 0 };

		/* Fields alone: the library stumbles over some print formats. */
		text_bytes(&fields, format->text,
			   print ? (size_t)(print - format->text) : format->size);
		text_add(&fields, "\nprint fmt: \"\"\n");
		tep_parse_event(o->tep, text_str(&fields), fields.len, format->system);
		text_fini(&fields);
	}
	tep_parse_saved_cmdlines(o->tep, copy);
	free(copy);
	text = source_text(file, TRACE_TEXT_KALLSYMS, &size);
	copy = mem_strndup(text, size);
	tep_parse_kallsyms(o->tep, copy);
	free(copy);
}

static void add_record(struct oracle *o, unsigned int *cap, const struct trace_event *e)
{
	struct oracle_record *r;
	uint8_t *data = mem_alloc(e->size + 4096);

	mem_grow(&o->records, o->nr, cap);
	r = &o->records[o->nr++];
	memcpy(data, e->data, e->size);
	*r = (struct oracle_record){ .record = { .data = data, .size = (int)e->size, .cpu = e->cpu,
						 .ts = (uint64_t)e->ts },
				     .event = tep_find_event(o->tep, e->type_id),
				     .type_id = e->type_id, .room = e->size,
				     .pid = e->pid, .cpu = e->cpu, .stream = e->stream,
				     .ts = e->ts };
	if (tep_is_pid_registered(o->tep, e->pid))
		r->saved_comm = tep_data_comm_from_pid(o->tep, e->pid);
}

struct oracle *oracle_new(const char *path, unsigned int max)
{
	struct trace_options options = { .nr_workers = 1,
					 .filter_names = derived_names,
					 .hold_permille = -1 };
	struct oracle *o = mem_alloc(sizeof(*o));
	struct trace_cursor *cursor;
	struct trace_event e;
	unsigned int cap = 0, kept = 0, step;

	o->trace = trace_open(&path, 1, true, &options, NULL);
	if (!o->trace) {
		free(o);
		return NULL;
	}
	trace_wait(o->trace);
	load_tep(o);
	load_symbols(o);
	cursor = trace_cursor_new(o->trace);
	trace_cursor_seek(cursor, trace_first(o->trace));
	while (trace_cursor_next(cursor, &e)) {
		if (e.kind != TRACE_ROW_EVENT)
			continue;
		add_record(o, &cap, &e);
		see_names(o, &o->records[o->nr - 1]);
	}
	trace_cursor_free(cursor);
	/* Names come from all records, terms are tried on some. */
	step = o->nr / max + 1;
	for (unsigned int i = 0; i < o->nr; i++) {
		if (i % step) {
			free(o->records[i].record.data);
			continue;
		}
		o->records[kept++] = o->records[i];
	}
	o->nr = kept;
	for (unsigned int i = 0; i < o->nr; i++)
		o->records[i].comm = name_at(o, o->records[i].pid, o->records[i].ts,
					     o->records[i].saved_comm);
	return o;
}

void oracle_free(struct oracle *o)
{
	if (!o)
		return;
	for (unsigned int i = 0; i < o->nr; i++)
		free(o->records[i].record.data);
	for (unsigned int i = 0; i < o->nr_symbols; i++)
		free(o->symbols[i].name);
	free(o->records);
	free(o->symbols);
	free(o->names);
	tep_free(o->tep);
	trace_close(o->trace);
	free(o);
}

/* --- evaluating terms ------------------------------------------------------------------------- */

static bool compare(enum oracle_op op, __int128 a, __int128 b)
{
	switch (op) {
	case OP_EQ: return a == b;
	case OP_NE: return a != b;
	case OP_LT: return a < b;
	case OP_LE: return a <= b;
	case OP_GT: return a > b;
	case OP_GE: return a >= b;
	default: return false;
	}
}

static __int128 with_sign(__int128 v, unsigned int bytes)
{
	return bytes == 1 ? (int8_t)v :
	       bytes == 2 ? (int16_t)v :
	       bytes == 4 ? (int32_t)v :
			    (int64_t)v;
}

/*
 * As the man page has it: against a negative number a field without a sign has one, errors may be
 * of 32 bits.
 */
static bool number_compares(enum oracle_op op, __int128 v, bool is_signed, unsigned int bytes,
			    int64_t c)
{
	if (!is_signed && (c < 0 || (c == 0 && op == OP_LT))) {
		__int128 view = with_sign(v, bytes);

		if (bytes == 8 && c >= -4095 && c < 0 && (op == OP_EQ || op == OP_NE)) {
			bool equal = view == c || (v >> 32 == 0 && (int32_t)v == c);

			return equal == (op == OP_EQ);
		}
		return compare(op, view, c);
	}
	return compare(op, v, c);
}

static bool number_holds(const struct oracle_term *t, __int128 v, bool is_signed,
			 unsigned int bytes)
{
	bool wide = !is_signed && bytes == 8, found = false;
	uint64_t x = (uint64_t)v, n = (uint64_t)t->number, result;
	int64_t sn = t->number;

	if (t->op <= OP_GE)
		return number_compares(t->op, v, is_signed, bytes, t->number);
	if (t->op == OP_RANGE)
		return v >= t->number && v <= t->other;
	if (t->op == OP_IN || t->op == OP_NOT_IN) {
		for (unsigned int i = 0; i < t->nr_list; i++)
			found |= number_compares(OP_EQ, v, is_signed, bytes, t->list[i]);
		return found == (t->op == OP_IN);
	}
	switch (t->op) {
	case OP_BITS: result = x & n; break;
	case OP_OR: result = x | n; break;
	case OP_XOR: result = x ^ n; break;
	case OP_ADD: result = x + n; break;
	case OP_SUB: result = x - n; break;
	case OP_MUL: result = x * n; break;
	case OP_DIV: result = wide ? x / n : (uint64_t)((int64_t)x / sn); break;
	case OP_MOD: result = wide ? x % n : (uint64_t)((int64_t)x % sn); break;
	case OP_SHL: result = x << n; break;
	default: result = wide ? x >> n : (uint64_t)((int64_t)x >> n); break;
	}
	/*
	 * What comes of numbers without signs that need all 64 bits has none, but for differences.
	 */
	if (wide && t->op != OP_SUB) {
		if (t->compare == OP_EQ || t->compare == OP_NE)
			return (result == (uint64_t)t->other) == (t->compare == OP_EQ);
		return compare(t->compare, result, t->other);
	}
	return compare(t->compare, (int64_t)result, t->other);
}

static bool regex_holds(const char *pattern, int flags, const char *s)
{
	regex_t regex;
	bool hit;

	if (regcomp(&regex, pattern, flags | REG_NOSUB))
		return false;
	hit = !regexec(&regex, s, 0, NULL, 0);
	regfree(&regex);
	return hit;
}

static bool string_holds(const struct oracle_term *t, const char *s)
{
	switch (t->op) {
	case OP_EQ:
	case OP_IN:
		return !strcmp(s, t->string);
	case OP_NE:
	case OP_NOT_IN:
		return strcmp(s, t->string) != 0;
	case OP_REGEX:
		return regex_holds(t->string, REG_EXTENDED, s);
	case OP_NOT_REGEX:
		return !regex_holds(t->string, REG_EXTENDED, s);
	case OP_POSIX:
		return regex_holds(t->string, REG_ICASE, s);
	case OP_NOT_POSIX:
		return !regex_holds(t->string, REG_ICASE, s);
	case OP_GLOB:
		return !fnmatch(t->string, s, 0);
	case OP_CONTAINS:
		return strstr(s, t->string) != NULL;
	default:
		return false;
	}
}

/* Of several names of an address any may be meant. */
static bool function_holds(const struct oracle *o, const struct oracle_term *t, uint64_t address)
{
	struct oracle_term positive = *t;
	unsigned int first, nr = oracle_symbols_at(o, address, &first);
	bool any = false;

	if (t->op == OP_BITS)
		return address & (uint64_t)t->number;
	if (t->op == OP_GT)
		return address > (uint64_t)t->number;
	positive.op = t->op == OP_NE        ? OP_EQ :
		      t->op == OP_NOT_IN    ? OP_IN :
		      t->op == OP_NOT_REGEX ? OP_REGEX :
					      t->op;
	for (unsigned int i = 0; i < nr; i++)
		any |= string_holds(&positive, o->symbols[first + i].name);
	return any == (positive.op == t->op);
}

static bool any_holds(const struct oracle_term *t, const struct tep_format_field *f,
		      const struct oracle_record *r)
{
	for (unsigned int i = 0; i < f->size / f->elementsize; i++) {
		__int128 v = oracle_read_element(f, r, i);
		bool is_signed = f->flags & TEP_FIELD_IS_SIGNED;

		if (t->op == OP_CONTAINS || t->op == OP_IN ?
			    v == t->number :
			    number_compares(t->op, v, is_signed, f->elementsize, t->number))
			return true;
	}
	return false;
}

static bool mask_holds(const struct oracle_term *t, uint64_t mask)
{
	uint64_t want = (uint64_t)t->number;

	switch (t->op) {
	case OP_EQ: return mask == want;
	case OP_NE: return mask != want;
	case OP_CONTAINS: return (mask & want) == want;
	case OP_BITS: return mask & want;
	case OP_IN: return mask && !(mask & ~want);
	default: return false;
	}
}

static bool field_holds(const struct oracle *o, const struct oracle_term *t,
			const struct oracle_record *r)
{
	struct tep_format_field *f = tep_find_any_field(r->event, t->field);
	char s[512];
	bool equal;

	if (!f)
		return false;
	switch (t->kind) {
	case KIND_SIGNED:
	case KIND_UNSIGNED:
		return number_holds(t, oracle_read_number(f, r), f->flags & TEP_FIELD_IS_SIGNED,
				    f->size);
	case KIND_ELEMENT:
		return number_holds(t, oracle_read_element(f, r, t->index),
				    f->flags & TEP_FIELD_IS_SIGNED, f->elementsize);
	case KIND_ANY:
		return any_holds(t, f, r);
	case KIND_STRING:
	case KIND_DYNAMIC:
		oracle_read_string(f, r, s, sizeof(s));
		return string_holds(t, s);
	case KIND_ADDRESS:
		return function_holds(o, t, (uint64_t)oracle_read_number(f, r));
	case KIND_MASK:
		return mask_holds(t, oracle_read_mask(f, r));
	case KIND_STATE:
		if (t->op == OP_BITS)
			return (uint64_t)oracle_read_number(f, r) & oracle_states[t->number].value;
		equal = ((uint64_t)oracle_read_number(f, r) & oracle_states[t->number].mask) ==
			oracle_states[t->number].value;
		return equal == (t->op == OP_EQ || t->op == OP_IN);
	default:
		return false;
	}
}

bool oracle_term_holds(const struct oracle *o, const struct oracle_term *t,
		       const struct oracle_record *r)
{
	struct tep_format_field *f;
	unsigned long long flags = 0;

	switch (t->kind) {
	case KIND_COMM:
		return string_holds(t, r->comm);
	case KIND_PID:
		return number_holds(t, r->pid, true, 4);
	case KIND_CPU:
		return number_holds(t, r->cpu, true, 4);
	case KIND_TIME:
		return t->op == OP_RANGE ? r->ts >= t->number && r->ts <= t->other :
					   compare(t->op, r->ts, t->number);
	case KIND_FUNC:
		f = r->event ? oracle_func_field(r->event) : NULL;
		return f && oracle_is_plain_number(f) &&
		       function_holds(o, t, (uint64_t)oracle_read_number(f, r));
	case KIND_FLAG:
		f = r->event ? tep_find_common_field(r->event, "common_flags") : NULL;
		if (f)
			tep_read_number_field(f, r->record.data, &flags);
		return flags & (unsigned long long)t->number;
	default:
		if (!r->event || strcmp(t->system, r->event->system) ||
		    (*t->event && strcmp(t->event, r->event->name)))
			return false;
		return t->kind == KIND_EVENT || field_holds(o, t, r);
	}
}
