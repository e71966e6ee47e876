/* SPDX-License-Identifier: GPL-2.0-or-later */
/* filter_bind - terms for an event type: events, scopes, words by themselves; joining of terms. */
#include "src/filter/filter_bind.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/types/field.h"
#include "parsers/source/source.h"
#include "src/trace/trace_streams.h"

/* --- events --------------------------------------------------------------------------------- */

static const struct filter_scope *scope_of(const struct filter_binder *b,
					   const struct filter_node *n)
{
	return b->scope_of[n->id] ? &b->f->scopes[b->scope_of[n->id] - 1] : NULL;
}

/* Is the event one of the scope's? */
static const struct filter_bound *in_scope(struct filter_binder *b,
					   const struct filter_scope *scope)
{
	if (b->general)
		return filter_bound_test(&b->f->arena,
					 &(struct filter_test){
						 .kind = FILTER_TEST_TYPES,
						 .index = (uint32_t)(scope - b->f->scopes) });
	return b->type && filter_scope_has(scope, b->file, b->type->id) ? &filter_bound_true :
									  &filter_bound_false;
}

static const struct filter_bound *bind_scope(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_bound *outer = in_scope(b, scope_of(b, n)), *inner;

	if (outer == &filter_bound_false || !n->a)
		return outer;
	b->scope_depth++;
	inner = filter_bind_term(b, n->a);
	b->scope_depth--;
	return filter_bound_and(&b->f->arena, outer, inner);
}

/* --- terms ----------------------------------------------------------------------------------- */

static const struct filter_bound *flag_test(struct filter_binder *b, uint8_t bits)
{
	struct filter_test test = { .kind = FILTER_TEST_BITS, .lo = bits };
	struct event_field field = { .offset = b->common->flags_offset,
				     .size = b->common->flags_size,
				     .kind = FIELD_UINT };

	test.load = filter_field_load(b, &field);
	return b->general ? filter_unknown(b) : filter_bound_test(&b->f->arena, &test);
}

/* "61": it would be true of all events. */
static void number_alone(struct filter_binder *b, const struct filter_node *n)
{
	const char *text = b->f->sources[b->source].text;
	struct text meant = { 0 };

	if (!b->general && !b->notes[n->id].problem) {
		filter_offer_number(b, n);
		filter_offers_text(&b->offers, &meant);
	}
	filter_wrong(b, n, "%.*s is a number, not a condition%s", (int)(n->to - n->from),
		     text + n->from, text_str(&meant));
	text_fini(&meant);
}

static const struct filter_bound *value_is_set(struct filter_binder *b, const struct filter_node *n)
{
	struct filter_value zero = { .kind = FILTER_VALUE_CONST, .node = n };
	const struct filter_bound *bound = &filter_bound_false;
	struct filter_value v;

	if (n->kind == FILTER_NODE_NUMBER && !b->f->compat) {
		number_alone(b, n);
		return bound;
	}
	if (filter_bind_bits(b, n, &bound))
		return bound;
	v = filter_bind_value(b, n, NULL, false);
	if (v.kind == FILTER_VALUE_UNKNOWN)
		bound = filter_unknown(b);
	else if (v.kind == FILTER_VALUE_CONST)
		bound = v.number ? &filter_bound_true : &filter_bound_false;
	else if (v.kind == FILTER_VALUE_LOAD || v.kind == FILTER_VALUE_STEPS)
		bound = filter_bind_numbers(b, n, FILTER_OP_NE, &v, &zero);
	else if (v.kind == FILTER_VALUE_ARRAY && n->text)
		filter_wrong(b, n,
			     "an array is not a condition: compare it, as in %s == 3 (any element)",
			     n->text);
	else if (v.kind == FILTER_VALUE_SET)
		filter_wrong(
			b, n,
			n->text ?
				"a function is not a condition: compare it, as in func == %s" :
				"numbers are not a condition: compare a field with them, as in cpu in 0-3%s",
			n->text ? n->text : "");
	else if (v.kind != FILTER_VALUE_MISSING && v.kind != FILTER_VALUE_WRONG &&
		 v.kind != FILTER_VALUE_UNKNOWN)
		filter_wrong(b, n, "this is not a condition: compare it with a value");
	if (v.kind == FILTER_VALUE_LOAD || v.kind == FILTER_VALUE_STEPS ||
	    v.kind == FILTER_VALUE_CONST)
		b->notes[n->id].is_used = true;
	else if (v.kind != FILTER_VALUE_MISSING && v.kind != FILTER_VALUE_WRONG &&
		 v.kind != FILTER_VALUE_UNKNOWN)
		b->notes[n->id].is_misused = true;
	return bound;
}

/* A word as a term: a context, an event or a system, or a field that is not zero. */
static const struct filter_bound *bind_word_term(struct filter_binder *b,
						 const struct filter_node *n)
{
	const struct filter_name *name = filter_name_find(n->text, b->f->more_names);
	const struct filter_note *note = &b->notes[n->id];
	const struct filter_scope *scope = scope_of(b, n);
	const struct filter_bound *bound;

	if (note->is_field && note->in_scope && !(name && name->kind == FILTER_NAME_LOST))
		return value_is_set(b, n);
	if (name && name->kind == FILTER_NAME_FLAG) {
		filter_right(b, n);
		return flag_test(b, name->bits);
	}
	if (name && name->kind == FILTER_NAME_LOST) {
		filter_right(b, n);
		b->f->uses_lost = true;
		return b->general ? filter_bound_test(&b->f->arena,
						      &(struct filter_test){
							      .kind = FILTER_TEST_LOST }) :
				    &filter_bound_false;
	}
	if (scope) {
		filter_right(b, n);
		return in_scope(b, scope);
	}
	b->bare = true;
	bound = value_is_set(b, n);
	b->bare = false;
	return bound;
}

static const struct filter_bound *bind_glob_term(struct filter_binder *b,
						 const struct filter_node *n)
{
	const struct filter_scope *scope = scope_of(b, n);

	if (!scope)
		return filter_wrong(b, n, "no event matches %s", n->text), &filter_bound_false;
	return in_scope(b, scope);
}

static const struct filter_bound *bind_prefix(struct filter_binder *b, const struct filter_node *n)
{
	const struct filter_name *name = filter_name_find(n->text, b->f->more_names);
	struct filter_test test = { .kind = FILTER_TEST_WITHIN,
				    .load = { .from = FILTER_FROM_NAME, .name = name } };
	const struct filter_pattern *m;
	uint32_t index;

	if (b->general)
		return filter_unknown(b);
	if (!name || name->kind != FILTER_NAME_WORD || !n->a->text)
		return filter_wrong(b, n, "%s requires a function after it", n->text),
		       &filter_bound_false;
	if (!b->type || !filter_name_applies(name, b->type))
		return &filter_bound_false;
	m = filter_node_pattern(b, n->a,
				n->a->kind == FILTER_NODE_GLOB ? FILTER_PATTERN_GLOB :
								 FILTER_PATTERN_EQUAL,
				false, &index);
	if (!m || !filter_functions(b, n->a, m, &test.index))
		return filter_no_such_function(b, n->a), &filter_bound_false;
	filter_right(b, n);
	filter_right(b, n->a);
	filter_note_asked(b->f, name);
	filter_use_model(b->f, b->file, name);
	test.load.derived = filter_want(b->f, b->file, name, b->f->sets[test.index]);
	return filter_bound_test(&b->f->arena, &test);
}

const struct filter_bound *filter_bind_term(struct filter_binder *b, const struct filter_node *n)
{
	struct arena *arena = &b->f->arena;
	const struct filter_bound *left;

	switch (n->kind) {
	case FILTER_NODE_AND:
		left = filter_bind_term(b, n->a);
		return filter_bound_and(arena, left, filter_bind_term(b, n->b));
	case FILTER_NODE_OR:
		left = filter_bind_term(b, n->a);
		return filter_bound_or(arena, left, filter_bind_term(b, n->b));
	case FILTER_NODE_NOT:
		return filter_bound_not(arena, filter_bind_term(b, n->a));
	case FILTER_NODE_SCOPE:
		return bind_scope(b, n);
	case FILTER_NODE_COMPARE:
	case FILTER_NODE_IN:
		filter_offer_compared(b, n);
		left = n->kind == FILTER_NODE_IN ? filter_bind_in(b, n) : filter_bind_compare(b, n);
		b->offers.nr = 0;
		b->offers.to = 0;
		return left;
	case FILTER_NODE_BETWEEN:
		return filter_bind_between(b, n);
	case FILTER_NODE_CONSTANT:
		return n->value ? &filter_bound_true : &filter_bound_false;
	case FILTER_NODE_WORD:
		return bind_word_term(b, n);
	case FILTER_NODE_STRING:
	case FILTER_NODE_CHAR:
	case FILTER_NODE_REGEX:
		return filter_bind_line(b, n);
	case FILTER_NODE_PREFIX:
		return bind_prefix(b, n);
	case FILTER_NODE_GLOB:
		return bind_glob_term(b, n);
	case FILTER_NODE_NUMBER:
	case FILTER_NODE_RANGE:
	case FILTER_NODE_CPUS:
	case FILTER_NODE_INDEX:
	case FILTER_NODE_UNARY:
	case FILTER_NODE_BINARY:
		return value_is_set(b, n);
	}
	return &filter_bound_false;
}
