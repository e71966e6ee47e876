/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_oracle_terms - terms made up around what a record holds: their text, and what they are
 * evaluated by.
 */
#include "tests/lib/filter_oracle_private.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* --- making terms ----------------------------------------------------------------------------- */

static bool is_number_kind(enum oracle_kind kind)
{
	return kind == KIND_SIGNED || kind == KIND_UNSIGNED || kind == KIND_ELEMENT ||
	       kind == KIND_PID || kind == KIND_CPU;
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
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN ||
		       (op >= OP_REGEX && op <= OP_CONTAINS);
	switch (kind) {
	case KIND_TIME:
		return (op >= OP_LT && op <= OP_GE) || op == OP_RANGE;
	case KIND_ADDRESS:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN ||
		       op == OP_REGEX || op == OP_NOT_REGEX || op == OP_GLOB || op == OP_BITS ||
		       op == OP_GT;
	case KIND_FUNC:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_REGEX || op == OP_GLOB;
	case KIND_ANY:
		return op <= OP_GE || op == OP_CONTAINS || op == OP_IN;
	case KIND_MASK:
		return op == OP_EQ || op == OP_NE || op == OP_CONTAINS || op == OP_BITS ||
		       op == OP_IN;
	case KIND_STATE:
		return op == OP_EQ || op == OP_NE || op == OP_IN || op == OP_NOT_IN ||
		       op == OP_BITS;
	case KIND_FLAG:
	case KIND_EVENT:
		return op == OP_ALONE;
	default:
		return false;
	}
}

static int state_of(uint64_t v)
{
	for (int i = (int)ORACLE_STATES - 1; i >= 0; i--)
		if ((v & oracle_states[i].mask) == oracle_states[i].value)
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

/*
 * Special characters of both kinds of regular expressions do not occur in plain text, but for the
 * slash.
 */
static void make_pattern(const char *s, unsigned int how, char *out, size_t room)
{
	size_t len = strlen(s), from = len > 2 ? how % (len - 1) : 0,
	       nr = len - from > 4 ? 4 : len - from;

	switch (how / 7 % 5) {
	case 0: snprintf(out, room, "^%.*s", (int)nr, s); break;
	case 1: snprintf(out, room, "%s$", s + from); break;
	case 2: snprintf(out, room, "%.*s", (int)nr, s + from); break;
	case 3: snprintf(out, room, "^%c.*%c", s[0], s[len - 1]); break;
	default:
		snprintf(out, room, "[%c%c]%.*s", s[from], 'x', nr > 1 ? (int)nr - 1 : 0,
			 s + from + 1);
		break;
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
	return op == OP_REGEX || op == OP_POSIX         ? "=~" :
	       op == OP_NOT_REGEX || op == OP_NOT_POSIX ? "!~" :
							  oracle_op_texts[op];
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

static void number_text(struct oracle_term *t, const char *left, __int128 value, unsigned int how,
			char *out, size_t room)
{
	static const enum oracle_op compares[] = { OP_EQ, OP_NE, OP_LT, OP_GT, OP_GE, OP_LE };
	__int128 beside = (value > INT64_MAX ? value >> 1 : value) +
			  (how % 4 == 0 ? (int)(how / 4 % 7) - 3 : 0);
	/* Room for what is added below. */
	int64_t near = (int64_t)(beside > INT64_MAX - 64 ? INT64_MAX - 64 :
				 beside < INT64_MIN + 64 ? INT64_MIN + 64 :
							   beside);
	uint64_t computed;

	t->number = near;
	if (t->op <= OP_GE) {
		snprintf(out, room, "%s %s %lld", left, oracle_op_texts[t->op], (long long)near);
		return;
	}
	if (t->op == OP_RANGE) {
		t->number = near < 5 ? 0 : near - (int64_t)(how % 5);
		t->other = t->number + (int64_t)(how / 5 % 9);
		snprintf(out, room, "%s in %lld-%lld", left, (long long)t->number,
			 (long long)t->other);
		return;
	}
	if (t->op == OP_IN || t->op == OP_NOT_IN) {
		t->nr_list = 3;
		for (unsigned int i = 0; i < 3; i++)
			t->list[i] = near + (int64_t)(i * (1 + how % 3));
		snprintf(out, room, "%s %s (%lld, %lld, %lld)", left, oracle_op_texts[t->op],
			 (long long)t->list[0], (long long)t->list[1], (long long)t->list[2]);
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
	snprintf(out, room, "%s %s %lld %s %lld", left, oracle_op_texts[t->op],
		 (long long)t->number, oracle_op_texts[t->compare], (long long)t->other);
}

static bool function_text(struct oracle *o, struct oracle_term *t, const char *left,
			  uint64_t address, unsigned int how, char *out, size_t room)
{
	unsigned int first, nr = oracle_symbols_at(o, address, &first);
	const char *name = nr ? o->symbols[first + how % nr].name : "";

	if (t->op == OP_BITS || t->op == OP_GT) {
		t->number = t->op == OP_BITS ? 1ll << (how % 12) : (int64_t)(address >> 1);
		snprintf(t->string, sizeof(t->string), "0x%llx", (unsigned long long)address);
		snprintf(out, room, t->op == OP_BITS ? "%s & 0x%llx" : "%s > 0x%llx", left,
			 t->op == OP_BITS ? (unsigned long long)t->number :
					    (unsigned long long)address);
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

static void mask_text(struct oracle_term *t, const char *left, uint64_t mask, unsigned int how,
		      char *out, size_t room)
{
	unsigned int bit = how % 6;

	if (t->op == OP_EQ || t->op == OP_NE) {
		/* The bits below 8 as a list. */
		size_t len = (size_t)snprintf(out, room, "%s %s \"", left, oracle_op_texts[t->op]);

		t->number = (int64_t)(mask & 0xff);
		for (unsigned int i = 0; i < 8; i++)
			if (mask >> i & 1)
				len += (size_t)snprintf(out + len, room - len, "%s%u",
							out[len - 1] == '"' ? "" : ",", i);
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
static struct tep_format_field *pick_field(const struct oracle_record *r, enum oracle_kind kind,
					   unsigned int how)
{
	struct tep_format_field *found[64];
	unsigned int nr = 0;

	for (struct tep_format_field *f = r->event->format.fields; f && nr < 64; f = f->next)
		if (oracle_field_is(r->event, f, kind))
			found[nr++] = f;
	return nr ? found[how % nr] : NULL;
}

static bool field_text(struct oracle *o, const struct oracle_record *r,
		       const struct tep_format_field *f, struct oracle_term *t, unsigned int how)
{
	char left[128], s[256];
	int state;

	snprintf(left, sizeof(left), "%s", f->name);
	switch (t->kind) {
	case KIND_SIGNED:
	case KIND_UNSIGNED:
		number_text(t, left, oracle_read_number(f, r), how, t->text, sizeof(t->text));
		return true;
	case KIND_ELEMENT:
		t->index = how % (f->size / f->elementsize);
		snprintf(left, sizeof(left), "%s[%u]", f->name, t->index);
		number_text(t, left, oracle_read_element(f, r, t->index), how, t->text,
			    sizeof(t->text));
		return true;
	case KIND_ANY:
		if (t->op == OP_CONTAINS || t->op == OP_IN) {
			t->number = (int64_t)oracle_read_element(f, r,
								 how % (f->size / f->elementsize));
			if (t->number < 0)
				return false;
			snprintf(t->text, sizeof(t->text),
				 t->op == OP_IN ? "%s in (%lld)" : "%s contains %lld", left,
				 (long long)t->number);
			return true;
		}
		number_text(t, left, oracle_read_element(f, r, how % (f->size / f->elementsize)),
			    how, t->text, sizeof(t->text));
		return true;
	case KIND_STRING:
	case KIND_DYNAMIC:
		oracle_read_string(f, r, s, sizeof(s));
		if (!is_plain_text(s))
			return false;
		choose_string(t, s, how);
		add_string_term(t, left, t->text, sizeof(t->text));
		return true;
	case KIND_ADDRESS:
		return function_text(o, t, left, (uint64_t)oracle_read_number(f, r), how, t->text,
				     sizeof(t->text));
	case KIND_MASK:
		mask_text(t, left, oracle_read_mask(f, r), how, t->text, sizeof(t->text));
		return true;
	case KIND_STATE:
		state = how % 3 ? state_of((uint64_t)oracle_read_number(f, r)) :
				  (int)(how / 3 % ORACLE_STATES);
		if (t->op == OP_BITS)
			state = 1 + (int)(how % 8);
		t->number = state;
		snprintf(t->text, sizeof(t->text),
			 t->op == OP_IN || t->op == OP_NOT_IN ? "%s %s (\"%s\")" : "%s %s \"%s\"",
			 left, oracle_op_texts[t->op], oracle_states[state].name);
		if (t->op == OP_BITS)
			snprintf(t->text, sizeof(t->text), "%s & %s", left,
				 oracle_states[state].name);
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
		snprintf(t->text, sizeof(t->text), "between %lld.%09lld %lld.%09lld",
			 (long long)t->number / 1000000000, (long long)t->number % 1000000000,
			 (long long)t->other / 1000000000, (long long)t->other % 1000000000);
	else if (how % 2)
		snprintf(t->text, sizeof(t->text), "time %s %lldns", oracle_op_texts[t->op],
			 (long long)ts);
	else
		snprintf(t->text, sizeof(t->text), "time %s %lld.%09lld", oracle_op_texts[t->op],
			 (long long)ts / 1000000000, (long long)ts % 1000000000);
}

bool oracle_term_make(struct oracle *o, const struct oracle_record *r, enum oracle_kind kind,
		      enum oracle_op op, unsigned int (*random)(void), struct oracle_term *t)
{
	static const struct {
		const char *name;
		int bits;
	} flags[] = { { "irq", 8 }, { "softirq", 16 }, { "irqs_off", 1 }, { "need_resched", 4 } };
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
		f = oracle_func_field(r->event);
		return f && oracle_is_plain_number(f) &&
		       function_text(o, t, "func", (uint64_t)oracle_read_number(f, r), how, t->text,
				     sizeof(t->text));
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
