/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/filter_oracle.h"

#include <ctype.h>
#include <fnmatch.h>
#include <regex.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/trace_file.h"
#include "src/memory.h"

const char *const oracle_kind_names[KIND_NR] = {
	"signed", "unsigned", "address", "string", "dynamic string", "element", "any element", "mask", "state", "comm", "pid",
	"cpu", "time", "func", "flag", "event",
};
const char *const oracle_op_texts[OP_NR] = {
	"==", "!=", "<", "<=", ">", ">=", "&", "|", "^", "+", "-", "*", "/", "%", "<<", ">>", "in", "not in", "range", "=~ //",
	"!~ //", "=~ \"\"", "!~ \"\"", "~", "contains", "alone",
};

/* --- fields ------------------------------------------------------------------------- */

static bool is_struct(const struct tep_format_field *f)
{
	return !strncmp(f->type, "struct ", 7) || !strncmp(f->type, "union ", 6);
}

static bool is_plain_number(const struct tep_format_field *f)
{
	return !(f->flags & (TEP_FIELD_IS_ARRAY | TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC)) && !is_struct(f) &&
	       (f->size == 1 || f->size == 2 || f->size == 4 || f->size == 8);
}

static bool is_function_field(const char *event, const char *field)
{
	return (!strcmp(event, "function") && (!strcmp(field, "ip") || !strcmp(field, "parent_ip"))) ||
	       (!strncmp(event, "funcgraph_", 10) && !strcmp(field, "func")) || !strcmp(field, "call_site");
}

static bool is_mask(const struct tep_format_field *f)
{
	return (f->flags & TEP_FIELD_IS_DYNAMIC) && strstr(f->type, "cpumask") != NULL;
}

static bool field_is(const struct tep_event *event, const struct tep_format_field *f, enum oracle_kind kind)
{
	bool address = is_function_field(event->name, f->name), number = is_plain_number(f);

	if (!strcmp(event->system, "myfs") && !strcmp(f->name, "arr"))
		return false;		/* a kprobe's array of strings, which libtraceevent takes for a string */
	switch (kind) {
	case KIND_SIGNED:
		return number && (f->flags & TEP_FIELD_IS_SIGNED) && strcmp(f->name, "prev_state") != 0;
	case KIND_UNSIGNED:
		return number && !(f->flags & (TEP_FIELD_IS_SIGNED | TEP_FIELD_IS_POINTER)) && !address;
	case KIND_ADDRESS:
		return number && address;
	case KIND_STRING:
		return (f->flags & TEP_FIELD_IS_STRING) && !(f->flags & TEP_FIELD_IS_DYNAMIC);
	case KIND_DYNAMIC:
		return (f->flags & TEP_FIELD_IS_STRING) && (f->flags & TEP_FIELD_IS_DYNAMIC);
	case KIND_ELEMENT:
	case KIND_ANY:
		return (f->flags & TEP_FIELD_IS_ARRAY) && !(f->flags & (TEP_FIELD_IS_STRING | TEP_FIELD_IS_DYNAMIC)) && !is_struct(f) &&
		       (f->elementsize == 4 || f->elementsize == 8) && f->size >= (int)f->elementsize && strcmp(f->name, "caller") != 0;
	case KIND_MASK:
		return is_mask(f);
	case KIND_STATE:
		return number && !strcmp(f->name, "prev_state") && !strcmp(event->system, "sched");
	default:
		return false;
	}
}

static __int128 read_number(const struct tep_format_field *f, const struct oracle_record *r)
{
	unsigned long long v = 0;

	tep_read_number_field((struct tep_format_field *)f, r->record.data, &v);
	if (!(f->flags & TEP_FIELD_IS_SIGNED))
		return v;
	return f->size == 1 ? (int8_t)v : f->size == 2 ? (int16_t)v : f->size == 4 ? (int32_t)v : (int64_t)v;
}

static __int128 read_element(const struct tep_format_field *f, const struct oracle_record *r, unsigned int i)
{
	unsigned long long v = tep_read_number(f->event->tep, (uint8_t *)r->record.data + f->offset + i * f->elementsize,
					       (int)f->elementsize);

	if (!(f->flags & TEP_FIELD_IS_SIGNED))
		return v;
	return f->elementsize == 4 ? (int32_t)v : (int64_t)v;
}

static void read_string(const struct tep_format_field *f, const struct oracle_record *r, char *out, size_t room)
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

static uint64_t read_mask(const struct tep_format_field *f, const struct oracle_record *r)
{
	unsigned long long word = tep_read_number(f->event->tep, (uint8_t *)r->record.data + f->offset, 4);
	uint64_t at = word & 0xffff;

	if (f->flags & TEP_FIELD_IS_RELATIVE)
		at += f->offset + f->size;
	return (word >> 16) >= 8 ? tep_read_number(f->event->tep, (uint8_t *)r->record.data + at, 8) : 0;
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
	const char *p = trace_file_section_text(trace_file_of(o->trace, 0), TRACE_TEXT_KALLSYMS, &size);

	while (*p) {
		unsigned long long address;
		char type, name[512];
		int len = (int)strcspn(p, "\n");

		if (sscanf(p, "%llx %c %511s", &address, &type, name) == 3 && type != 'A' && type != 'a' && name[0] != '$') {
			mem_grow(&o->symbols, o->nr_symbols, &o->cap_symbols);
			o->symbols[o->nr_symbols++] = (struct oracle_symbol){ address, mem_strdup(name) };
		}
		p += len + (p[len] == '\n');
	}
	qsort(o->symbols, o->nr_symbols, sizeof(*o->symbols), by_address);
}

/* The symbols at the highest address that is not above. */
static unsigned int symbols_at(const struct oracle *o, uint64_t address, unsigned int *first)
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
		if (!strcmp(o->symbols[i].name, name) && symbols_at(o, o->symbols[i].address, &first) != 1)
			return false;
	return true;
}

static void see_name(struct oracle *o, const struct oracle_record *r, const char *pid_field, const char *comm_field)
{
	struct tep_format_field *comm = tep_find_any_field(r->event, comm_field);
	struct tep_format_field *pid = pid_field ? tep_find_any_field(r->event, pid_field) : NULL;
	struct oracle_name name = { .pid = r->pid, .ts = r->ts, .order = o->nr_names };

	if (!comm || !(comm->flags & TEP_FIELD_IS_STRING))
		return;
	if (pid)
		name.pid = (int)read_number(pid, r);
	read_string(comm, r, name.comm, sizeof(name.comm));
	if (name.pid <= 0 || !name.comm[0])
		return;
	mem_grow(&o->names, o->nr_names, &o->cap_names);
	o->names[o->nr_names++] = name;
}

/* sched and task events tell names: of both tasks of a switch, of who is woken, forked, renamed, ends. */
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
	const struct trace_file *file = trace_file_of(o->trace, 0);
	unsigned int nr = trace_file_nr_formats(file);
	uint64_t size;
	const char *text = trace_file_section_text(file, TRACE_TEXT_CMDLINES, &size);
	char *copy = mem_strndup(text, size);

	o->tep = tep_alloc();
	tep_set_long_size(o->tep, 8);
	tep_set_file_bigendian(o->tep, TEP_LITTLE_ENDIAN);
	tep_set_local_bigendian(o->tep, TEP_LITTLE_ENDIAN);
	tep_set_loglevel(TEP_LOG_NONE);
	for (unsigned int i = 0; i < nr; i++) {
		const struct trace_file_format *format = trace_file_format(file, i);
		const char *print = memmem(format->text, format->size, "\nprint fmt:", 11);
		struct text fields = { 0 };

		/* Fields alone: the library stumbles over some print formats. */
		text_bytes(&fields, format->text, print ? (size_t)(print - format->text) : format->size);
		text_add(&fields, "\nprint fmt: \"\"\n");
		tep_parse_event(o->tep, text_str(&fields), fields.len, format->system);
		text_fini(&fields);
	}
	tep_parse_saved_cmdlines(o->tep, copy);
	free(copy);
	text = trace_file_section_text(file, TRACE_TEXT_KALLSYMS, &size);
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
	*r = (struct oracle_record){ .record = { .data = data, .size = (int)e->size, .cpu = e->cpu, .ts = (uint64_t)e->ts },
				     .event = tep_find_event(o->tep, e->type_id), .type_id = e->type_id, .room = e->size,
				     .pid = e->pid, .cpu = e->cpu, .stream = e->stream, .ts = e->ts };
	if (tep_is_pid_registered(o->tep, e->pid))
		r->saved_comm = tep_data_comm_from_pid(o->tep, e->pid);
}

struct oracle *oracle_new(const char *path, unsigned int max)
{
	struct trace_options options = { .nr_workers = 1, .hold_permille = -1 };
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
		o->records[i].comm = name_at(o, o->records[i].pid, o->records[i].ts, o->records[i].saved_comm);
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

/* --- making terms ------------------------------------------------------------------------------ */

static bool is_number_kind(enum oracle_kind kind)
{
	return kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_ELEMENT || kind == KIND_PID || kind == KIND_CPU;
}

static bool is_string_kind(enum oracle_kind kind)
{
	return kind == KIND_STRING || kind == KIND_DYNAMIC || kind == KIND_COMM;
}

bool oracle_can(enum oracle_kind kind, enum oracle_op op)
{
	if (is_number_kind(kind))
		return op <= OP_RANGE;
	if (is_string_kind(kind))
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN || (op >= OP_REGEX && op <= OP_CONTAINS);
	switch (kind) {
	case KIND_TIME:
		return (op >= OP_LT && op <= OP_GE) || op == OP_RANGE;
	case KIND_ADDRESS:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN || op == OP_REGEX || op == OP_NOT_REGEX ||
		       op == OP_GLOB || op == OP_BITS || op == OP_GT;
	case KIND_FUNC:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_REGEX || op == OP_GLOB;
	case KIND_ANY:
		return op <= OP_GE || op == OP_CONTAINS || op == OP_IN;
	case KIND_MASK:
		return op == OP_EQ || op == OP_NE || op == OP_CONTAINS || op == OP_BITS || op == OP_IN;
	case KIND_STATE:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN || op == OP_BITS;
	case KIND_FLAG:
	case KIND_EVENT:
		return op == OP_ALONE;
	default:
		return false;
	}
}

/* States as linux include/trace/events/sched.h has named them since 4.14. */
static const struct {
	const char	*name;
	uint64_t	 value, mask;
} states[] = {
	{ "R", 0, 0xff }, { "S", 1, 0xff }, { "D", 2, 0xff }, { "T", 4, 0xff }, { "t", 8, 0xff }, { "X", 0x10, 0xff },
	{ "Z", 0x20, 0xff }, { "P", 0x40, 0xff }, { "I", 0x80, 0xff }, { "R+", 0x100, 0x1ff },
};
#define NR_STATES (sizeof(states) / sizeof(states[0]))

static int state_of(uint64_t v)
{
	for (int i = (int)NR_STATES - 1; i >= 0; i--)
		if ((v & states[i].mask) == states[i].value)
			return i;
	return 0;
}

static bool is_plain_text(const char *s)
{
	if (!*s || strlen(s) > 40)
		return false;
	for (; *s; s++)
		if (!isalnum((unsigned char)*s) && !strchr("_-/: ", *s))
			return false;
	return true;
}

/* Special characters of both kinds of regular expressions do not occur in plain text, but for the slash. */
static void make_pattern(const char *s, unsigned int how, char *out, size_t room)
{
	size_t len = strlen(s), from = len > 2 ? how % (len - 1) : 0, nr = len - from > 4 ? 4 : len - from;

	switch (how / 7 % 5) {
	case 0: snprintf(out, room, "^%.*s", (int)nr, s); break;
	case 1: snprintf(out, room, "%s$", s + from); break;
	case 2: snprintf(out, room, "%.*s", (int)nr, s + from); break;
	case 3: snprintf(out, room, "^%c.*%c", s[0], s[len - 1]); break;
	default: snprintf(out, room, "[%c%c]%.*s", s[from], 'x', nr > 1 ? (int)nr - 1 : 0, s + from + 1); break;
	}
}

static void make_glob(const char *s, unsigned int how, char *out, size_t room)
{
	size_t len = strlen(s), from = len > 2 ? how % (len - 1) : 0;

	switch (how / 7 % 4) {
	case 0: snprintf(out, room, "%.*s*", (int)(len < 3 ? len : 3), s); break;
	case 1: snprintf(out, room, "*%s", s + from); break;
	case 2: snprintf(out, room, "?%s", s + 1); break;
	default: snprintf(out, room, "*%c*", s[from]); break;
	}
}

static const char *operator_text(enum oracle_op op)
{
	return op == OP_REGEX || op == OP_POSIX ? "=~" : op == OP_NOT_REGEX || op == OP_NOT_POSIX ? "!~" : oracle_op_texts[op];
}

static void add_string_term(struct oracle_term *t, const char *left, char *out, size_t room)
{
	char escaped[128];
	size_t len = 0;

	switch (t->op) {
	case OP_REGEX:
	case OP_NOT_REGEX:
		for (const char *s = t->string; *s; s++) {
			if (*s == '/')
				escaped[len++] = '\\';
			escaped[len++] = *s;
		}
		escaped[len] = '\0';
		snprintf(out, room, "%s %s /%s/", left, operator_text(t->op), escaped);
		return;
	case OP_IN:
	case OP_NOT_IN:
		snprintf(out, room, "%s %s (\"%s\", zzz)", left, operator_text(t->op), t->string);
		return;
	default:
		snprintf(out, room, "%s %s \"%s\"", left, operator_text(t->op), t->string);
		return;
	}
}

static void choose_string(struct oracle_term *t, const char *s, unsigned int how)
{
	size_t len = strlen(s), from = len > 2 ? how % (len - 1) : 0;

	if (t->op >= OP_REGEX && t->op <= OP_NOT_POSIX)
		make_pattern(s, how, t->string, sizeof(t->string));
	else if (t->op == OP_GLOB)
		make_glob(s, how, t->string, sizeof(t->string));
	else if (t->op == OP_CONTAINS)
		snprintf(t->string, sizeof(t->string), "%.*s", 4, s + from);
	else
		snprintf(t->string, sizeof(t->string), "%s", s);
}

static void number_text(struct oracle_term *t, const char *left, __int128 value, unsigned int how, char *out, size_t room)
{
	static const enum oracle_op compares[] = { OP_EQ, OP_NE, OP_LT, OP_GT, OP_GE, OP_LE };
	__int128 beside = (value > INT64_MAX ? value >> 1 : value) + (how % 4 == 0 ? (int)(how / 4 % 7) - 3 : 0);
	/* Room for what is added below. */
	int64_t near = (int64_t)(beside > INT64_MAX - 64 ? INT64_MAX - 64 : beside < INT64_MIN + 64 ? INT64_MIN + 64 : beside);
	uint64_t computed;

	t->number = near;
	if (t->op <= OP_GE) {
		snprintf(out, room, "%s %s %lld", left, oracle_op_texts[t->op], (long long)near);
		return;
	}
	if (t->op == OP_RANGE) {
		t->number = near < 5 ? 0 : near - (int64_t)(how % 5);
		t->other = t->number + (int64_t)(how / 5 % 9);
		snprintf(out, room, "%s in %lld-%lld", left, (long long)t->number, (long long)t->other);
		return;
	}
	if (t->op == OP_IN || t->op == OP_NOT_IN) {
		t->nr_list = 3;
		for (unsigned int i = 0; i < 3; i++)
			t->list[i] = near + (int64_t)(i * (1 + how % 3));
		snprintf(out, room, "%s %s (%lld, %lld, %lld)", left, oracle_op_texts[t->op], (long long)t->list[0],
			 (long long)t->list[1], (long long)t->list[2]);
		return;
	}
	t->number = 1 + (int64_t)(how % (t->op == OP_SHL || t->op == OP_SHR ? 6 : 9));
	t->compare = compares[how / 9 % 6];
	computed = (uint64_t)value;
	switch (t->op) {
	case OP_BITS: computed &= (uint64_t)t->number; break;
	case OP_OR: computed |= (uint64_t)t->number; break;
	case OP_XOR: computed ^= (uint64_t)t->number; break;
	case OP_ADD: computed += (uint64_t)t->number; break;
	case OP_SUB: computed -= (uint64_t)t->number; break;
	case OP_MUL: computed *= (uint64_t)t->number; break;
	case OP_DIV: computed = (uint64_t)(value / t->number); break;
	case OP_MOD: computed = (uint64_t)(value % t->number); break;
	case OP_SHL: computed <<= t->number; break;
	default: computed = (uint64_t)(value >> t->number); break;
	}
	t->other = (int64_t)(computed >> 63 && value >= 0 ? computed >> 1 : computed);
	snprintf(out, room, "%s %s %lld %s %lld", left, oracle_op_texts[t->op], (long long)t->number, oracle_op_texts[t->compare],
		 (long long)t->other);
}

static bool function_text(struct oracle *o, struct oracle_term *t, const char *left, uint64_t address, unsigned int how,
			  char *out, size_t room)
{
	unsigned int first, nr = symbols_at(o, address, &first);
	const char *name = nr ? o->symbols[first + how % nr].name : "";

	if (t->op == OP_BITS || t->op == OP_GT) {
		t->number = t->op == OP_BITS ? 1ll << (how % 12) : (int64_t)(address >> 1);
		snprintf(t->string, sizeof(t->string), "0x%llx", (unsigned long long)address);
		snprintf(out, room, t->op == OP_BITS ? "%s & 0x%llx" : "%s > 0x%llx", left,
			 t->op == OP_BITS ? (unsigned long long)t->number : (unsigned long long)address);
		if (t->op == OP_GT)
			t->number = (int64_t)address;
		return true;
	}
	if (!nr || strlen(name) > 40 || !is_plain_text(name) || isdigit((unsigned char)name[0]))
		return false;
	choose_string(t, name, how);
	if (t->op == OP_EQ || t->op == OP_NE)
		snprintf(out, room, "%s %s %s", left, oracle_op_texts[t->op], t->string);
	else if (t->op == OP_IN || t->op == OP_NOT_IN)
		snprintf(out, room, "%s %s (%s)", left, oracle_op_texts[t->op], t->string);
	else
		add_string_term(t, left, out, room);
	return true;
}

static void mask_text(struct oracle_term *t, const char *left, uint64_t mask, unsigned int how, char *out, size_t room)
{
	unsigned int bit = how % 6;

	if (t->op == OP_EQ || t->op == OP_NE) {
		/* The bits below 8 as a list. */
		size_t len = (size_t)snprintf(out, room, "%s %s \"", left, oracle_op_texts[t->op]);

		t->number = (int64_t)(mask & 0xff);
		for (unsigned int i = 0; i < 8; i++)
			if (mask >> i & 1)
				len += (size_t)snprintf(out + len, room - len, "%s%u", out[len - 1] == '"' ? "" : ",", i);
		snprintf(out + len, room - len, "\"");
		return;
	}
	t->number = 1ll << bit | (t->op == OP_CONTAINS ? 0 : 1ll << (bit + 1));
	if (t->op == OP_CONTAINS)
		snprintf(out, room, "%s contains %u", left, bit);
	else if (t->op == OP_BITS)
		snprintf(out, room, "%s & CPUS{%u-%u}", left, bit, bit + 1);
	else
		snprintf(out, room, "%s in %u-%u", left, bit, bit + 1);
}

/* A field of the wanted kind, any of them; NULL: the event has none. */
static struct tep_format_field *pick_field(const struct oracle_record *r, enum oracle_kind kind, unsigned int how)
{
	struct tep_format_field *found[64];
	unsigned int nr = 0;

	for (struct tep_format_field *f = r->event->format.fields; f && nr < 64; f = f->next)
		if (field_is(r->event, f, kind))
			found[nr++] = f;
	return nr ? found[how % nr] : NULL;
}

static bool field_text(struct oracle *o, const struct oracle_record *r, const struct tep_format_field *f, struct oracle_term *t,
		       unsigned int how)
{
	char left[128], s[256];
	int state;

	snprintf(left, sizeof(left), "%s", f->name);
	switch (t->kind) {
	case KIND_SIGNED:
	case KIND_UNSIGNED:
		number_text(t, left, read_number(f, r), how, t->text, sizeof(t->text));
		return true;
	case KIND_ELEMENT:
		t->index = how % (f->size / f->elementsize);
		snprintf(left, sizeof(left), "%s[%u]", f->name, t->index);
		number_text(t, left, read_element(f, r, t->index), how, t->text, sizeof(t->text));
		return true;
	case KIND_ANY:
		if (t->op == OP_CONTAINS || t->op == OP_IN) {
			t->number = (int64_t)read_element(f, r, how % (f->size / f->elementsize));
			if (t->number < 0)
				return false;
			snprintf(t->text, sizeof(t->text), t->op == OP_IN ? "%s in (%lld)" : "%s contains %lld", left,
				 (long long)t->number);
			return true;
		}
		number_text(t, left, read_element(f, r, how % (f->size / f->elementsize)), how, t->text, sizeof(t->text));
		return true;
	case KIND_STRING:
	case KIND_DYNAMIC:
		read_string(f, r, s, sizeof(s));
		if (!is_plain_text(s))
			return false;
		choose_string(t, s, how);
		add_string_term(t, left, t->text, sizeof(t->text));
		return true;
	case KIND_ADDRESS:
		return function_text(o, t, left, (uint64_t)read_number(f, r), how, t->text, sizeof(t->text));
	case KIND_MASK:
		mask_text(t, left, read_mask(f, r), how, t->text, sizeof(t->text));
		return true;
	case KIND_STATE:
		state = how % 3 ? state_of((uint64_t)read_number(f, r)) : (int)(how / 3 % NR_STATES);
		if (t->op == OP_BITS)
			state = 1 + (int)(how % 8);
		t->number = state;
		snprintf(t->text, sizeof(t->text), t->op == OP_IN || t->op == OP_NOT_IN ? "%s %s (\"%s\")" : "%s %s \"%s\"", left,
			 oracle_op_texts[t->op], states[state].name);
		if (t->op == OP_BITS)
			snprintf(t->text, sizeof(t->text), "%s & %s", left, states[state].name);
		return true;
	default:
		return false;
	}
}

static void time_text(struct oracle_term *t, int64_t ts, unsigned int how)
{
	t->number = ts;
	t->other = ts + 1000 * (int64_t)(how % 5000);
	if (t->op == OP_RANGE)
		snprintf(t->text, sizeof(t->text), "between %lld.%09lld %lld.%09lld", (long long)t->number / 1000000000,
			 (long long)t->number % 1000000000, (long long)t->other / 1000000000, (long long)t->other % 1000000000);
	else if (how % 2)
		snprintf(t->text, sizeof(t->text), "time %s %lldns", oracle_op_texts[t->op], (long long)ts);
	else
		snprintf(t->text, sizeof(t->text), "time %s %lld.%09lld", oracle_op_texts[t->op], (long long)ts / 1000000000,
			 (long long)ts % 1000000000);
}

static struct tep_format_field *func_field(const struct tep_event *event)
{
	struct tep_format_field *f = tep_find_any_field((struct tep_event *)event, "func");

	if (!f && !strcmp(event->system, "ftrace") && (!strcmp(event->name, "function") || !strcmp(event->name, "func_repeats")))
		f = tep_find_any_field((struct tep_event *)event, "ip");
	return f;
}

bool oracle_term_make(struct oracle *o, const struct oracle_record *r, enum oracle_kind kind, enum oracle_op op,
		      unsigned int (*random)(void), struct oracle_term *t)
{
	static const struct { const char *name; int bits; } flags[] = { { "irq", 8 }, { "softirq", 16 }, { "irqs_off", 1 }, { "need_resched", 4 } };
	struct tep_format_field *f;
	unsigned int how = random();
	char inner[400];

	memset(t, 0, sizeof(*t));
	t->kind = kind;
	t->op = op;
	if (!r->event)
		return false;
	switch (kind) {
	case KIND_COMM:
		if (!is_plain_text(r->comm))
			return false;
		choose_string(t, r->comm, how);
		add_string_term(t, "comm", t->text, sizeof(t->text));
		return true;
	case KIND_PID:
		number_text(t, "pid", r->pid, how, t->text, sizeof(t->text));
		return true;
	case KIND_CPU:
		number_text(t, "cpu", r->cpu, how, t->text, sizeof(t->text));
		return true;
	case KIND_TIME:
		time_text(t, r->ts, how);
		return true;
	case KIND_FUNC:
		f = func_field(r->event);
		return f && is_plain_number(f) &&
		       function_text(o, t, "func", (uint64_t)read_number(f, r), how, t->text, sizeof(t->text));
	case KIND_FLAG:
		t->number = flags[how % 4].bits;
		snprintf(t->text, sizeof(t->text), "%s", flags[how % 4].name);
		return true;
	case KIND_EVENT:
		snprintf(t->system, sizeof(t->system), "%s", r->event->system);
		snprintf(t->event, sizeof(t->event), "%s", how % 2 ? r->event->name : "");
		if (how % 2)
			snprintf(t->text, sizeof(t->text), "%s/%s", t->system, t->event);
		else
			snprintf(t->text, sizeof(t->text), "%s/*", t->system);
		return true;
	default:
		break;
	}
	f = pick_field(r, kind, random());
	if (!f)
		return false;
	snprintf(t->field, sizeof(t->field), "%s", f->name);
	if (!field_text(o, r, f, t, how))
		return false;
	snprintf(t->system, sizeof(t->system), "%s", r->event->system);
	snprintf(t->event, sizeof(t->event), "%s", r->event->name);
	snprintf(inner, sizeof(inner), "%.399s", t->text);
	snprintf(t->text, sizeof(t->text), "(%s/%s: %s)", t->system, t->event, inner);
	return true;
}

/* --- evaluating terms ------------------------------------------------------------------------------ */

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
	return bytes == 1 ? (int8_t)v : bytes == 2 ? (int16_t)v : bytes == 4 ? (int32_t)v : (int64_t)v;
}

/* As the man page has it: against a negative number a field without a sign has one, errors may be of 32 bits. */
static bool number_compares(enum oracle_op op, __int128 v, bool is_signed, unsigned int bytes, int64_t c)
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

static bool number_holds(const struct oracle_term *t, __int128 v, bool is_signed, unsigned int bytes)
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
	/* What comes of numbers without signs that need all 64 bits has none, but for differences. */
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
	unsigned int first, nr = symbols_at(o, address, &first);
	bool any = false;

	if (t->op == OP_BITS)
		return address & (uint64_t)t->number;
	if (t->op == OP_GT)
		return address > (uint64_t)t->number;
	positive.op = t->op == OP_NE ? OP_EQ : t->op == OP_NOT_IN ? OP_IN : t->op == OP_NOT_REGEX ? OP_REGEX : t->op;
	for (unsigned int i = 0; i < nr; i++)
		any |= string_holds(&positive, o->symbols[first + i].name);
	return any == (positive.op == t->op);
}

static bool any_holds(const struct oracle_term *t, const struct tep_format_field *f, const struct oracle_record *r)
{
	for (unsigned int i = 0; i < f->size / f->elementsize; i++) {
		__int128 v = read_element(f, r, i);
		bool is_signed = f->flags & TEP_FIELD_IS_SIGNED;

		if (t->op == OP_CONTAINS || t->op == OP_IN ? v == t->number
							   : number_compares(t->op, v, is_signed, f->elementsize, t->number))
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

static bool field_holds(const struct oracle *o, const struct oracle_term *t, const struct oracle_record *r)
{
	struct tep_format_field *f = tep_find_any_field(r->event, t->field);
	char s[512];
	bool equal;

	if (!f)
		return false;
	switch (t->kind) {
	case KIND_SIGNED:
	case KIND_UNSIGNED:
		return number_holds(t, read_number(f, r), f->flags & TEP_FIELD_IS_SIGNED, f->size);
	case KIND_ELEMENT:
		return number_holds(t, read_element(f, r, t->index), f->flags & TEP_FIELD_IS_SIGNED, f->elementsize);
	case KIND_ANY:
		return any_holds(t, f, r);
	case KIND_STRING:
	case KIND_DYNAMIC:
		read_string(f, r, s, sizeof(s));
		return string_holds(t, s);
	case KIND_ADDRESS:
		return function_holds(o, t, (uint64_t)read_number(f, r));
	case KIND_MASK:
		return mask_holds(t, read_mask(f, r));
	case KIND_STATE:
		if (t->op == OP_BITS)
			return (uint64_t)read_number(f, r) & states[t->number].value;
		equal = ((uint64_t)read_number(f, r) & states[t->number].mask) == states[t->number].value;
		return equal == (t->op == OP_EQ || t->op == OP_IN);
	default:
		return false;
	}
}

bool oracle_term_holds(const struct oracle *o, const struct oracle_term *t, const struct oracle_record *r)
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
		return t->op == OP_RANGE ? r->ts >= t->number && r->ts <= t->other : compare(t->op, r->ts, t->number);
	case KIND_FUNC:
		f = r->event ? func_field(r->event) : NULL;
		return f && is_plain_number(f) && function_holds(o, t, (uint64_t)read_number(f, r));
	case KIND_FLAG:
		f = r->event ? tep_find_common_field(r->event, "common_flags") : NULL;
		if (f)
			tep_read_number_field(f, r->record.data, &flags);
		return flags & (unsigned long long)t->number;
	default:
		if (!r->event || strcmp(t->system, r->event->system) || (*t->event && strcmp(t->event, r->event->name)))
			return false;
		return t->kind == KIND_EVENT || field_holds(o, t, r);
	}
}
