/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_bind_number - numbers: values of fields, arithmetic, and constants to compare with.
 *
 * Numbers have 64 bits.  A signed field compares as signed, an unsigned field as unsigned; compared
 * with a negative number, it also matches by its bits as a signed number.  trace-cmd compares
 * everything as unsigned, and so does compat.
 */
#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_bind.h"

#define SECOND	1000000000ll

/* --- constants ------------------------------------------------------------------------ */

static bool is_count_clock(const struct filter_binder *b)
{
	return trace_unit(b->f->trace) == TRACE_UNIT_COUNT;
}

/*
 * A number as a point in time: seconds if it has no unit; with a +, relative to the trace's start.
 */
static bool time_number(struct filter_binder *b, const struct filter_node *n, __int128 *out)
{
	int64_t first = 0, last;

	if (is_count_clock(b)) {
		if (n->unit == FILTER_UNIT_TIME || n->has_fraction) {
			filter_wrong(
				b, n,
				"times of this trace are clock counts: whole numbers without a unit");
			return false;
		}
		*out = n->value;
	} else if (n->unit == FILTER_UNIT_TIME) {
		*out = n->value;
	} else {
		*out = (__int128)n->value * SECOND + n->nano;
	}
	if (n->relative) {
		trace_span(b->f->trace, &first, &last);
		*out += first;
	}
	return true;
}

static bool plain_number(struct filter_binder *b, const struct filter_node *n, __int128 *out)
{
	if (n->has_fraction) {
		filter_wrong(b, n, "a whole number is expected, or a number with a unit");
		return false;
	}
	if (n->relative) {
		filter_wrong(
			b, n,
			"+ is only allowed in times, which then count from the first event: time > +1ms");
		return false;
	}
	*out = n->value;
	return true;
}

/* The number of a constant, in the form that the other side needs. */
bool filter_const_number(struct filter_binder *b, const struct filter_value *v, bool is_time,
			 __int128 *out)
{
	if (v->node->kind != FILTER_NODE_NUMBER) {
		*out = v->number;
		return true;
	}
	return is_time ? time_number(b, v->node, out) : plain_number(b, v->node, out);
}

/* --- values ---------------------------------------------------------------------------- */

bool filter_range_numbers(struct filter_binder *b, const struct filter_node *n, bool is_time,
			  __int128 *lo, __int128 *hi)
{
	if (is_time)
		return time_number(b, n->a, lo) && time_number(b, n->b, hi);
	return plain_number(b, n->a, lo) && plain_number(b, n->b, hi);
}

/* 0-3 or CPUS{0-3,7}: the same for all types, so it is made once. */
static struct filter_value number_set(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_note *note = &b->notes[n->id];
	struct filter_value v = filter_value_of(FILTER_VALUE_SET, n);
	struct filter_set *set;
	__int128 lo, hi;

	if (!note->set) {
		set = mem_alloc(sizeof(*set));
		for (const struct filter_node *item = n->kind == FILTER_NODE_CPUS ? n->list : n;
		     item; item = n->kind == FILTER_NODE_CPUS ? item->next : NULL) {
			bool ok = item->kind == FILTER_NODE_RANGE ?
					  filter_range_numbers(b, item, false, &lo, &hi) :
					  plain_number(b, item, &lo);

			if (!ok)
				continue;
			filter_set_add(set, (uint64_t)lo,
				       (uint64_t)(item->kind == FILTER_NODE_RANGE ? hi : lo));
		}
		note->set = 1 + filter_add_set(b->f, set);
	}
	v.set = note->set - 1;
	return v;
}

/* array[3] at a fixed offset is an ordinary load; other elements are located in each record. */
static struct filter_value element(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_value v = filter_bind_value(b, n->a, NULL, false);
	const struct event_field *f = v.field;
	struct filter_load load = { .from = FILTER_FROM_ELEMENT, .field = f };

	if (v.kind == FILTER_VALUE_MISSING || v.kind == FILTER_VALUE_WRONG ||
	    v.kind == FILTER_VALUE_UNKNOWN)
		return v;
	if (v.kind == FILTER_VALUE_DESCRIBED)
		return filter_wrong(b, n, FILTER_ONLY_COMPARED);
	if (v.kind != FILTER_VALUE_ARRAY && v.kind != FILTER_VALUE_STRING)
		return filter_wrong(b, n, "%s is not an array", n->a->text ? n->a->text : "this");
	if (!n->b && v.kind == FILTER_VALUE_STRING)
		return filter_wrong(b, n, "a string needs an index here, for one character: %s[0]",
				    f->name);
	if (!n->b) {
		filter_right(b, n);
		return v;
	}
	if (n->b->value > UINT16_MAX)
		return filter_wrong(b, n->b, "no array has so many elements");
	filter_right(b, n);
	load.width = (uint8_t)f->element_size;
	load.arg = (uint32_t)n->b->value;
	load.flags = (uint8_t)((f->is_signed && v.kind == FILTER_VALUE_ARRAY ? FILTER_SIGNED : 0) |
			       (b->swap ? FILTER_SWAP : 0));
	return (struct filter_value){ .kind = FILTER_VALUE_LOAD, .node = n, .load = load,
				      .is_signed = load.flags & FILTER_SIGNED,
				      .is_address = f->element_size == b->long_size };
}

static bool is_number(const struct filter_value *v)
{
	return v->kind == FILTER_VALUE_CONST || v->kind == FILTER_VALUE_LOAD ||
	       v->kind == FILTER_VALUE_STEPS;
}

/* Does it compare as a signed number?  Numbers below 2^63 do. */
static bool fits_signed(const struct filter_binder *b, const struct filter_value *v)
{
	if (b->f->compat)
		return false;
	if (v->kind == FILTER_VALUE_CONST)
		return v->number <= INT64_MAX;
	if (v->kind == FILTER_VALUE_LOAD && v->load.from == FILTER_FROM_FIELD && v->load.width < 8)
		return true;
	return v->is_signed;
}

static unsigned int steps_of(const struct filter_value *v)
{
	return v->kind == FILTER_VALUE_STEPS ? v->nr_steps : 1;
}

static void copy_steps(const struct filter_value *v, struct filter_step *out)
{
	if (v->kind == FILTER_VALUE_STEPS)
		memcpy(out, v->steps, v->nr_steps * sizeof(*out));
	else if (v->kind == FILTER_VALUE_LOAD)
		*out = (struct filter_step){ .op = FILTER_PUSH_LOAD, .load = v->load };
	else
		*out = (struct filter_step){ .op = FILTER_PUSH_CONST,
					     .value = (uint64_t)v->number };
}

static enum filter_step_op step_op(enum filter_op op, bool is_signed)
{
	switch (op) {
	case FILTER_OP_ADD: return FILTER_STEP_ADD;
	case FILTER_OP_SUB: return FILTER_STEP_SUB;
	case FILTER_OP_MUL: return FILTER_STEP_MUL;
	case FILTER_OP_DIV: return is_signed ? FILTER_STEP_DIV_SIGNED : FILTER_STEP_DIV;
	case FILTER_OP_MOD: return is_signed ? FILTER_STEP_MOD_SIGNED : FILTER_STEP_MOD;
	case FILTER_OP_AND: return FILTER_STEP_AND;
	case FILTER_OP_OR: return FILTER_STEP_OR;
	case FILTER_OP_XOR: return FILTER_STEP_XOR;
	case FILTER_OP_SHL: return FILTER_STEP_SHL;
	case FILTER_OP_SHR: return is_signed ? FILTER_STEP_SHR_SIGNED : FILTER_STEP_SHR;
	default: return FILTER_STEP_ADD;
	}
}

/* Compute with two constants; false: division by zero. */
static bool fold(enum filter_op op, __int128 a, __int128 c, __int128 *out)
{
	uint64_t x = (uint64_t)a, y = (uint64_t)c;

	switch (op) {
	case FILTER_OP_ADD:
		*out = a + c;
		break;
	case FILTER_OP_SUB:
		*out = a - c;
		break;
	case FILTER_OP_MUL:
		*out = (a > INT64_MAX || c > INT64_MAX) ? (__int128)(x * y) :
							  (__int128)(int64_t)(x * y);
		return true;
	case FILTER_OP_DIV: if (c) *out = a / c; return c != 0;
	case FILTER_OP_MOD: if (c) *out = a % c; return c != 0;
	case FILTER_OP_AND:
		*out = a < 0 && c < 0 ? (__int128)(int64_t)(x & y) : (__int128)(x & y);
		return true;
	case FILTER_OP_OR:
		*out = a < 0 || c < 0 ? (__int128)(int64_t)(x | y) : (__int128)(x | y);
		return true;
	case FILTER_OP_XOR:
		*out = (a < 0) != (c < 0) ? (__int128)(int64_t)(x ^ y) : (__int128)(x ^ y);
		return true;
	case FILTER_OP_SHL:
		*out = y < 64 ? (__int128)(x << y) : 0;
		return true;
	case FILTER_OP_SHR:
		*out = y < 64 ? (a < 0 ? (__int128)((int64_t)x >> y) : (__int128)(x >> y)) :
		       a < 0  ? -1 :
				0;
		return true;
	default: return false;
	}
	/* wraps around at 64 bits */
	if (*out > (__int128)UINT64_MAX || *out < INT64_MIN)
		*out = (int64_t)(uint64_t)*out;
	return true;
}

static struct filter_value operand(struct filter_binder *b, const struct filter_node *n,
				   const struct event_field *with)
{
	struct filter_value v = filter_bind_value(b, n, with, with != NULL);

	if (v.kind == FILTER_VALUE_MISSING && with && n->kind == FILTER_NODE_WORD &&
	    !b->notes[n->id].is_field)
		return filter_no_such_symbol(b, n, with);
	if (v.kind == FILTER_VALUE_CONST && n->kind == FILTER_NODE_NUMBER &&
	    !plain_number(b, n, &v.number))
		v.kind = FILTER_VALUE_WRONG;
	if (is_number(&v))
		b->notes[n->id].is_used = true;
	if (is_number(&v) || v.kind == FILTER_VALUE_MISSING || v.kind == FILTER_VALUE_WRONG ||
	    v.kind == FILTER_VALUE_UNKNOWN)
		return v;
	b->notes[n->id].is_misused = !b->general;
	if (v.kind == FILTER_VALUE_ARRAY && n->text)
		return filter_wrong(
			b, n,
			"a number is expected here: %s is an array, %s[0] is its first element",
			n->text, n->text);
	return filter_wrong(b, n,
			    v.kind == FILTER_VALUE_DESCRIBED ? FILTER_ONLY_COMPARED :
							       "a number is expected here");
}

/* The worse kind of two operands: if one is missing, so is the result. */
static enum filter_value_kind worse(const struct filter_value *a, const struct filter_value *c)
{
	static const enum filter_value_kind order[] = { FILTER_VALUE_WRONG, FILTER_VALUE_MISSING,
							FILTER_VALUE_UNKNOWN };

	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]); i++)
		if (a->kind == order[i] || c->kind == order[i])
			return order[i];
	return FILTER_VALUE_STEPS;
}

static struct filter_value join(struct filter_binder *b, const struct filter_node *n,
				const struct filter_value *x, const struct filter_value *y,
				enum filter_step_op op, bool is_signed)
{
	struct filter_value v = filter_value_of(FILTER_VALUE_STEPS, n);
	unsigned int nx = steps_of(x), ny = y ? steps_of(y) : 0;

	v.field = x->field ? x->field : y ? y->field : NULL;
	v.is_signed = is_signed;
	v.is_time = x->is_time && !y;
	v.nr_steps = nx + ny + 1;
	if (v.nr_steps >= FILTER_MAX_STACK)
		return filter_wrong(b, n, "the arithmetic is too long");
	v.steps = arena_alloc(b->scratch, v.nr_steps * sizeof(*v.steps));
	copy_steps(x, v.steps);
	if (y)
		copy_steps(y, v.steps + nx);
	v.steps[nx + ny] = (struct filter_step){ .op = (uint8_t)op };
	return v;
}

static struct filter_value binary(struct filter_binder *b, const struct filter_node *n,
				  const struct event_field *with)
{
	struct filter_value x = operand(b, n->a, with), y;
	bool is_signed;
	__int128 folded = 0;

	/* the meaning of names on the right depends on types that have the left side */
	if (x.kind == FILTER_VALUE_MISSING || x.kind == FILTER_VALUE_WRONG)
		return filter_value_of(x.kind, n);
	y = operand(b, n->b, x.field ? x.field : with);
	if (worse(&x, &y) != FILTER_VALUE_STEPS)
		return filter_value_of(worse(&x, &y), n);
	if (x.kind == FILTER_VALUE_CONST && y.kind == FILTER_VALUE_CONST) {
		if (!fold(n->op, x.number, y.number, &folded))
			return filter_wrong(b, n, "a division by zero");
		return (struct filter_value){ .kind = FILTER_VALUE_CONST,
					      .node = n,
					      .number = folded };
	}
	is_signed = n->op == FILTER_OP_SUB ? !b->f->compat :
					     fits_signed(b, &x) && fits_signed(b, &y);
	return join(b, n, &x, &y, step_op(n->op, is_signed), is_signed);
}

static struct filter_value unary(struct filter_binder *b, const struct filter_node *n,
				 const struct event_field *with)
{
	struct filter_value x = operand(b, n->a, with);

	if (x.kind == FILTER_VALUE_MISSING || x.kind == FILTER_VALUE_WRONG ||
	    x.kind == FILTER_VALUE_UNKNOWN)
		return x;
	if (x.kind == FILTER_VALUE_CONST) {
		x.node = n;
		x.mask = 0;
		x.is_symbol = false;
		x.number = n->op == FILTER_OP_NEG ? -x.number :
						    (__int128)(int64_t) ~(uint64_t)x.number;
		if (x.number < INT64_MIN)
			return filter_wrong(b, n, "the number does not fit 64 bits");
		return x;
	}
	return join(b, n, &x, NULL, n->op == FILTER_OP_NEG ? FILTER_STEP_NEG : FILTER_STEP_INVERT,
		    !b->f->compat);
}

struct filter_value filter_bind_value(struct filter_binder *b, const struct filter_node *n,
				      const struct event_field *with, bool right)
{
	struct filter_value v;

	switch (n->kind) {
	case FILTER_NODE_WORD:
		return filter_bind_word(b, n, with, right);
	case FILTER_NODE_NUMBER:
		v = filter_value_of(FILTER_VALUE_CONST, n);
		v.number = n->value;
		return v;
	case FILTER_NODE_RANGE:
	case FILTER_NODE_CPUS:
		return number_set(b, n);
	case FILTER_NODE_INDEX:
		return element(b, n);
	case FILTER_NODE_UNARY:
		return unary(b, n, with);
	case FILTER_NODE_BINARY:
		return binary(b, n, with);
	case FILTER_NODE_CHAR:
		/* as in trace-cmd, a single character is its number; strings use the node */
		v = filter_value_of(n->len == 1 ? FILTER_VALUE_CONST : FILTER_VALUE_TEXT, n);
		v.number = n->len == 1 ? (unsigned char)n->text[0] : 0;
		return v;
	case FILTER_NODE_GLOB:
	case FILTER_NODE_STRING:
	case FILTER_NODE_REGEX:
		return filter_value_of(FILTER_VALUE_TEXT, n);
	case FILTER_NODE_AND:
	case FILTER_NODE_OR:
	case FILTER_NODE_NOT:
	case FILTER_NODE_SCOPE:
	case FILTER_NODE_COMPARE:
	case FILTER_NODE_IN:
	case FILTER_NODE_BETWEEN:
	case FILTER_NODE_CONSTANT:
	case FILTER_NODE_PREFIX:
		break;
	}
	return filter_wrong(b, n, "a value is expected here, not a condition");
}

struct names {
	struct filter_near	near;
	struct text		list;
	unsigned int		nr;
};

static void add_name(void *arg, const char *name, uint64_t value, uint64_t mask)
{
	struct names *names = arg;

	(void)value;
	(void)mask;
	filter_near_add(&names->near, name);
	if (names->nr++ < 12)
		text_printf(&names->list, "%s%s", names->list.len ? ", " : "", name);
}

struct filter_value filter_no_such_function(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_near functions;
	struct text near = { 0 };
	struct filter_value v;

	if (b->general || (b->notes[n->id].problem && !b->notes[n->id].weak))
		return filter_value_of(FILTER_VALUE_WRONG, n);
	b->notes[n->id].problem = NULL;
	b->notes[n->id].weak = false;
	filter_near_init(&functions, n->text);
	filter_near_functions(b, &functions);
	filter_near_offer(&functions, &b->offers);
	filter_offers_text(&b->offers, &near);
	v = filter_wrong(b, n, "there is no function %s%s", n->text, text_str(&near));
	text_fini(&near);
	return v;
}

/* An address, or an array of them. */
static bool is_address_field(const struct filter_binder *b, const struct event_field *field)
{
	return field->kind == FIELD_POINTER ||
	       ((field->kind == FIELD_ARRAY || field->kind == FIELD_DYNAMIC_ARRAY) &&
		field->element_size == b->long_size);
}

/* "prev_state has no value Q; did you mean …". */
struct filter_value filter_no_such_symbol(struct filter_binder *b, const struct filter_node *n,
					  const struct event_field *field)
{
	struct names names = { .nr = 0 };
	struct text near = { 0 };
	struct filter_value v;

	if (b->general || (b->notes[n->id].problem && !b->notes[n->id].weak))
		return filter_value_of(FILTER_VALUE_WRONG, n);
	filter_near_init(&names.near, n->text);
	filter_symbols_each(b, field, add_name, &names);
	filter_near_errors(&names.near);
	if (!names.nr && is_address_field(b, field)) {
		v = filter_no_such_function(b, n);
	} else {
		filter_near_offer(&names.near, &b->offers);
		filter_offers_text(&b->offers, &near);
		if (near.len || names.nr) /* a better message than that of another type */
			b->notes[n->id].problem = NULL;
		b->notes[n->id].weak = !names.nr;
		if (near.len)
			v = filter_wrong(b, n, "%s has no value %s%s", field->name, n->text,
					 text_str(&near));
		else if (names.nr)
			v = filter_wrong(b, n, "%s has no value %s; its values are %s%s",
					 field->name, n->text, text_str(&names.list),
					 names.nr > 12 ? ", …" : "");
		else
			v = filter_wrong(b, n,
					 "the values of %s have no names, and there is no field %s",
					 field->name, n->text);
	}
	text_fini(&names.list);
	text_fini(&near);
	return v;
}

/* --- comparisons --------------------------------------------------------------------------- */

bool filter_const_range(const struct filter_binder *b, const struct filter_value *left,
			enum filter_op op, __int128 c, uint64_t *lo, uint64_t *hi, bool *all)
{
	/* a format may say that a number has no bytes, or many */
	unsigned int bits = left->kind == FILTER_VALUE_LOAD &&
					    left->load.from == FILTER_FROM_FIELD &&
					    left->load.width && left->load.width < 8 ?
				    left->load.width * 8u :
				    64;
	bool is_signed = left->is_signed && !b->f->compat;
	__int128 min = is_signed ? -((__int128)1 << (bits - 1)) : 0;
	__int128 max = is_signed ? ((__int128)1 << (bits - 1)) - 1 : ((__int128)1 << bits) - 1;
	int64_t least = left->kind == FILTER_VALUE_LOAD && left->load.from == FILTER_FROM_NAME ?
				left->load.name->least :
				0;
	__int128 from, to;

	if (least)
		max = (min = least) + UINT64_MAX;
	if (b->f->compat) {
		/* sign-extended, then taken as unsigned */
		min = 0;
		max = UINT64_MAX;
		c = (uint64_t)c;
	} else if (is_signed && c > INT64_MAX && c > max) {
		c -= (__int128)1 << 64;		/* 0xffff… written for a negative number */
	}
	from = min;
	to = max;
	switch (op) {
	case FILTER_OP_EQ: from = to = c; break;
	case FILTER_OP_LT: to = c - 1; break;
	case FILTER_OP_LE: to = c; break;
	case FILTER_OP_GT: from = c + 1; break;
	case FILTER_OP_GE: from = c; break;
	default: return false;
	}
	if (from < min)
		from = op == FILTER_OP_EQ ? max + 1 : min;
	if (to > max)
		to = op == FILTER_OP_EQ ? min - 1 : max;
	*all = from == min && to == max;
	*lo = (uint64_t)from;
	*hi = (uint64_t)to;
	return from <= to;
}

enum filter_op filter_op_mirrored(enum filter_op op)
{
	switch (op) {
	case FILTER_OP_LT: return FILTER_OP_GT;
	case FILTER_OP_LE: return FILTER_OP_GE;
	case FILTER_OP_GT: return FILTER_OP_LT;
	case FILTER_OP_GE: return FILTER_OP_LE;
	default: return op;
	}
}

bool filter_may_fail(const struct filter_load *load)
{
	return load->from == FILTER_FROM_ELEMENT || load->from == FILTER_FROM_NAME ||
	       load->from == FILTER_FROM_TGID;
}

static const struct filter_bound *compare_steps(struct filter_binder *b,
						const struct filter_node *n, enum filter_op op,
						const struct filter_value *x,
						const struct filter_value *y)
{
	struct filter_test test = { .kind = FILTER_TEST_COMPARE, .op = op, .swap = b->swap };
	unsigned int nx = steps_of(x), ny = steps_of(y);
	bool sx = fits_signed(b, x), sy = fits_signed(b, y);
	struct filter_step *steps;

	if (nx + ny >= FILTER_MAX_STACK)
		return filter_wrong(b, n, "the arithmetic is too long"), &filter_bound_false;
	steps = arena_alloc(&b->f->arena, (nx + ny) * sizeof(*steps));
	copy_steps(x, steps);
	copy_steps(y, steps + nx);
	test.steps = steps;
	test.nr_steps = nx + ny;
	test.sign = sx && sy ? FILTER_BOTH_SIGNED :
		    sx       ? FILTER_LEFT_SIGNED :
		    sy       ? FILTER_RIGHT_SIGNED :
			       FILTER_BOTH_UNSIGNED;
	return filter_bound_test(&b->f->arena, &test);
}

static const struct filter_bound *
range_test(struct filter_binder *b, const struct filter_value *left, uint64_t lo, uint64_t hi)
{
	struct filter_test test = { .kind = FILTER_TEST_RANGE,
				    .load = left->load,
				    .lo = lo,
				    .span = hi - lo,
				    .swap = b->swap };

	return filter_bound_test(&b->f->arena, &test);
}

/* An error code in an unsigned field: by 64 bits, or by 32 if a function returned an int. */
static const struct filter_bound *
error_test(struct filter_binder *b, const struct filter_value *left, __int128 c, bool negate)
{
	struct filter_set *set = mem_alloc(sizeof(*set));

	filter_set_add(set, (uint64_t)c, (uint64_t)c);
	filter_set_add(set, (uint32_t)c, (uint32_t)c);
	return filter_bind_number_set(b, left, filter_add_set(b->f, set), negate);
}

static bool is_unsigned_field(const struct filter_binder *b, const struct filter_value *v)
{
	return v->kind == FILTER_VALUE_LOAD &&
	       (v->load.from == FILTER_FROM_FIELD || v->load.from == FILTER_FROM_ELEMENT) &&
	       !v->is_signed && !b->f->compat;
}

static const struct filter_bound *with_const(struct filter_binder *b, const struct filter_node *n,
					     enum filter_op op, const struct filter_value *left,
					     const struct filter_value *right)
{
	struct filter_value x = *left, y = *right;
	bool negate = op == FILTER_OP_NE, all = false;
	const struct filter_bound *bound;
	uint64_t lo, hi;

	if (!filter_const_number(b, right, left->is_time, &y.number))
		return &filter_bound_false;
	if (x.kind == FILTER_VALUE_STEPS && op == FILTER_OP_NE && !y.number && x.nr_steps == 3 &&
	    x.steps[2].op == FILTER_STEP_AND && x.steps[0].op == FILTER_PUSH_LOAD &&
	    x.steps[1].op == FILTER_PUSH_CONST && !filter_may_fail(&x.steps[0].load)) {
		struct filter_test test = { .kind = FILTER_TEST_BITS,
					    .load = x.steps[0].load,
					    .lo = x.steps[1].value,
					    .swap = b->swap };

		return filter_bound_test(&b->f->arena, &test);
	}
	if (is_unsigned_field(b, &x) &&
	    (y.number < 0 ||
	     (!y.number && op == FILTER_OP_LT && !(x.field && x.field->kind == FIELD_POINTER)))) {
		if ((op == FILTER_OP_EQ || negate) && x.load.width == 8 && y.number >= -4095)
			return error_test(b, &x, y.number, negate);
		x.is_signed = true;
		x.load.flags |= FILTER_SIGNED;
	}
	if (x.kind == FILTER_VALUE_STEPS || (filter_may_fail(&x.load) && negate))
		return compare_steps(b, n, op, &x, &y);
	if (!filter_const_range(b, &x, negate ? FILTER_OP_EQ : op, y.number, &lo, &hi, &all))
		return negate ? &filter_bound_true : &filter_bound_false;
	bound = all ? &filter_bound_true : range_test(b, &x, lo, hi);
	return negate ? filter_bound_not(&b->f->arena, bound) : bound;
}

struct filter_value filter_masked(struct filter_binder *b, const struct filter_node *n,
				  const struct filter_value *left, uint64_t bits)
{
	struct filter_value mask = { .kind = FILTER_VALUE_CONST, .node = n, .number = bits };

	return join(b, n, left, &mask, FILTER_STEP_AND, fits_signed(b, left));
}

/* A name for some bits: only these are compared. */
static const struct filter_bound *with_symbol(struct filter_binder *b, const struct filter_node *n,
					      enum filter_op op, const struct filter_value *left,
					      const struct filter_value *right)
{
	struct filter_value masked = filter_masked(b, n, left, right->mask);

	return masked.kind == FILTER_VALUE_STEPS ? compare_steps(b, n, op, &masked, right) :
						   &filter_bound_false;
}

const struct filter_bound *filter_bind_number_set(struct filter_binder *b,
						  const struct filter_value *left, uint32_t index,
						  bool negate)
{
	struct filter_test test = { .kind = FILTER_TEST_SET, .load = left->load, .swap = b->swap };
	const struct filter_set *set = b->f->sets[index];
	const struct filter_bound *bound;

	if (left->kind == FILTER_VALUE_STEPS) {
		test.steps = arena_copy(&b->f->arena, left->steps,
					left->nr_steps * sizeof(*left->steps));
		test.nr_steps = left->nr_steps;
	}
	test.index = index;
	if (set->nr == 1 && left->kind == FILTER_VALUE_LOAD) {
		test.kind = FILTER_TEST_RANGE;
		test.lo = set->parts[0].lo;
		test.span = set->parts[0].hi - set->parts[0].lo;
	}
	test.negate = negate && (left->kind == FILTER_VALUE_STEPS || filter_may_fail(&left->load));
	bound = filter_bound_test(&b->f->arena, &test);
	return negate && !test.negate ? filter_bound_not(&b->f->arena, bound) : bound;
}

const struct filter_bound *filter_bind_numbers(struct filter_binder *b, const struct filter_node *n,
					       enum filter_op op, const struct filter_value *left,
					       const struct filter_value *right)
{
	__int128 x, y;

	if (left->kind == FILTER_VALUE_CONST && right->kind == FILTER_VALUE_CONST) {
		if (!filter_const_number(b, left, false, &x) ||
		    !filter_const_number(b, right, false, &y))
			return &filter_bound_false;
		return filter_op_holds(op, (x > y) - (x < y)) ? &filter_bound_true :
								&filter_bound_false;
	}
	if ((left->kind == FILTER_VALUE_CONST || left->kind == FILTER_VALUE_SET) &&
	    right->kind == FILTER_VALUE_SET)
		return filter_wrong(b, n, "a field is expected on one side"), &filter_bound_false;
	if (left->kind == FILTER_VALUE_CONST || left->kind == FILTER_VALUE_SET)
		return filter_bind_numbers(b, n, filter_op_mirrored(op), right, left);
	if (right->kind == FILTER_VALUE_SET) {
		if (op != FILTER_OP_EQ && op != FILTER_OP_NE)
			return filter_wrong(b, n,
					    "sets of numbers are compared with ==, != and in"),
			       &filter_bound_false;
		return filter_bind_number_set(b, left, right->set, op == FILTER_OP_NE);
	}
	if (right->kind == FILTER_VALUE_CONST && right->mask)
		return with_symbol(b, n, op, left, right);
	if (right->kind == FILTER_VALUE_CONST)
		return with_const(b, n, op, left, right);
	return compare_steps(b, n, op, left, right);
}
