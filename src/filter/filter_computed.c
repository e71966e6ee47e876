/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter/filter_computed.h"

#include <stdlib.h>
#include <string.h>

#include "src/filter/filter_private.h"
#include "src/filter/value_sets.h"
#include "src/trace/trace_streams.h"

struct filter *filter_asks_new(const struct filter *of, unsigned int file)
{
	struct filter *asks = filter_alloc(of->trace, NULL, 0, NULL);
	struct filter_file *ff = &asks->files[file];

	filter_load_types(asks, file);
	for (unsigned int id = 0; id < ff->nr_ids; id++)
		ff->entry[id] = FILTER_ENTRY_NEVER;
	ff->unknown = FILTER_ENTRY_NEVER;
	ff->general = &filter_bound_true;
	asks->uses_models = true;	/* its tests need the record's type */
	return asks;
}

/* --- copies of what is asked ------------------------------------------------------------- */

static uint32_t copy_set(struct filter *asks, const struct filter_set *from)
{
	struct filter_set *set = mem_alloc(sizeof(*set));

	filter_set_copy(set, from);
	return filter_add_set(asks, set);
}

static uint32_t copy_matcher(struct filter *asks, const struct filter_matcher *from)
{
	struct filter_error err = { 0 };
	struct filter_matcher *m;
	uint32_t index;

	m = filter_add_matcher(asks, &index);
	/* its text was valid before */
	if (!filter_matcher_init(m, from->kind, from->text, from->len, from->fold, 0, 0, &err))
		abort();
	return index;
}

/* Note other models that a number comes from, because they must be ready. */
static void note_load(struct filter *asks, unsigned int file, const struct filter_load *load)
{
	asks->uses_tgid |= load->from == FILTER_FROM_TGID;
	if (load->from == FILTER_FROM_NAME && load->name->kind != FILTER_NAME_DERIVED)
		filter_use_model(asks, file, load->name);
}

/* The file that it is about: the one whose types are loaded. */
static unsigned int file_of(const struct filter *asks)
{
	unsigned int file = 0;

	while (!asks->files[file].types)
		file++;
	return file;
}

static bool has_set(const struct filter_test *test)
{
	return test->kind == FILTER_TEST_SET || test->kind == FILTER_TEST_ARRAY ||
	       test->kind == FILTER_TEST_MASK;
}

static bool has_matcher(const struct filter_test *test)
{
	return test->kind == FILTER_TEST_HEX || test->kind == FILTER_TEST_STRING;
}

static const struct filter_bound *copy_test(struct filter *asks, const struct filter *of,
					    const struct filter_test *test)
{
	unsigned int file = file_of(asks);
	struct filter_test copy;

	if (test->kind == FILTER_TEST_WITHIN)
		return &filter_bound_true;	/* only records within calls are tested */
	if (test->kind == FILTER_TEST_COMPUTED)
		return copy_test(asks, of->wanted[test->index].asks, test->asked);
	copy = *test;
	if (test->kind == FILTER_TEST_AMONG)
		copy.kind = FILTER_TEST_SET;	/* the model provides the value */
	if (test->nr_steps)
		copy.steps = arena_copy(&asks->arena, test->steps,
					test->nr_steps * sizeof(*test->steps));
	if (has_set(&copy))
		copy.index = copy_set(asks, of->sets[test->index]);
	else if (has_matcher(&copy))
		copy.index = copy_matcher(asks, of->matchers[test->index]);
	for (uint32_t i = 0; i < test->nr_steps; i++)
		if (test->steps[i].op == FILTER_PUSH_LOAD)
			note_load(asks, file, &test->steps[i].load);
	return filter_bound_test(&asks->arena, &copy);
}

static const struct filter_bound *copy_bound(struct filter *asks, const struct filter *of,
					     const struct filter_bound *n)
{
	struct arena *arena = &asks->arena;
	const struct filter_bound *left;

	switch (n->kind) {
	case FILTER_BOUND_FALSE:
	case FILTER_BOUND_TRUE:
		break;
	case FILTER_BOUND_AND:
		left = copy_bound(asks, of, n->a);
		return filter_bound_and(arena, left, copy_bound(asks, of, n->b));
	case FILTER_BOUND_OR:
		left = copy_bound(asks, of, n->a);
		return filter_bound_or(arena, left, copy_bound(asks, of, n->b));
	case FILTER_BOUND_NOT:
		return filter_bound_not(arena, copy_bound(asks, of, n->a));
	case FILTER_BOUND_TEST:
		return copy_test(asks, of, &n->test);
	}
	return n;
}

void filter_asks_add(struct filter *asks, const struct filter *of, int type_id,
		     const struct filter_bound *bound)
{
	const struct filter_bound *copy = copy_bound(asks, of, bound);
	struct filter_file *ff = &asks->files[file_of(asks)];
	bool full = false;

	/* it is no longer than the original */
	ff->entry[type_id] = filter_code_add(&ff->code, copy, &full);
	mem_grow(&asks->questions, asks->nr_questions, &asks->cap_questions);
	asks->questions[asks->nr_questions++] = (struct filter_asked_type){ type_id, copy };
}

bool filter_asks_type(const struct filter *asks, int type_id)
{
	for (unsigned int i = 0; i < asks->nr_questions; i++)
		if (asks->questions[i].type_id == type_id)
			return true;
	return false;
}

/* --- two of them -------------------------------------------------------------------- */

static bool same_matcher(const struct filter_matcher *a, const struct filter_matcher *b)
{
	return a->kind == b->kind && a->fold == b->fold && a->len == b->len &&
	       !memcmp(a->text, b->text, a->len);
}

static bool same_test(const struct filter *fa, const struct filter_test *a, const struct filter *fb,
		      const struct filter_test *b)
{
	if (a->kind != b->kind || a->nr_steps != b->nr_steps || a->op != b->op ||
	    a->sign != b->sign || a->mask_op != b->mask_op || a->negate != b->negate ||
	    a->lo != b->lo || a->span != b->span || a->field != b->field || a->other != b->other)
		return false;
	if (a->nr_steps ? !filter_steps_same(a->steps, b->steps, a->nr_steps) :
			  !filter_load_same(&a->load, &b->load))
		return false;
	if (has_matcher(a))
		return same_matcher(fa->matchers[a->index], fb->matchers[b->index]);
	return !has_set(a) || filter_set_same(fa->sets[a->index], fb->sets[b->index]);
}

static bool same_bound(const struct filter *fa, const struct filter_bound *a,
		       const struct filter *fb, const struct filter_bound *b)
{
	if (a->kind != b->kind)
		return false;
	if (a->kind == FILTER_BOUND_TEST)
		return same_test(fa, &a->test, fb, &b->test);
	return (!a->a || same_bound(fa, a->a, fb, b->a)) &&
	       (!a->b || same_bound(fa, a->b, fb, b->b));
}

bool filter_asks_same(const struct filter *a, const struct filter *b)
{
	if (a->nr_questions != b->nr_questions)
		return false;
	for (unsigned int i = 0; i < a->nr_questions; i++)
		if (a->questions[i].type_id != b->questions[i].type_id ||
		    !same_bound(a, a->questions[i].bound, b, b->questions[i].bound))
			return false;
	return true;
}

bool filter_asks_ready(const struct filter *asks)
{
	return filter_ready(asks) && (!asks->uses_tgid || trace_status(asks->trace).complete);
}

/* --- a whole filter ------------------------------------------------------------------- */

/* Is it false for all records without a value from the model? */
static bool needs_told(const struct filter_bound *n)
{
	switch (n->kind) {
	case FILTER_BOUND_FALSE:
		return true;
	case FILTER_BOUND_AND:
		return needs_told(n->a) || needs_told(n->b);
	case FILTER_BOUND_OR:
		return needs_told(n->a) && needs_told(n->b);
	case FILTER_BOUND_TEST:
		return n->test.kind == FILTER_TEST_COMPUTED || n->test.kind == FILTER_TEST_AMONG ||
		       n->test.kind == FILTER_TEST_WITHIN;
	case FILTER_BOUND_TRUE:
	case FILTER_BOUND_NOT:
		break;
	}
	return false;
}

/* Data of a record that is available during the pass. */
struct at_hand {
	const struct filter_name *of;	/* a name of the model of the pass; NULL = not found yet */
	bool			 within;	/* it is about one set of functions */
};

/* Is the number known to the model, or contained in the record? */
static bool is_at_hand(struct at_hand *hand, const struct filter_load *load)
{
	switch ((enum filter_from)load->from) {
	case FILTER_FROM_FIELD:
	case FILTER_FROM_ELEMENT:
	case FILTER_FROM_CPU:
	case FILTER_FROM_BUFFER:
	case FILTER_FROM_TIME:
		return true;
	case FILTER_FROM_TGID:		/* tgids are only known later */
		return false;
	case FILTER_FROM_NAME:
		break;
	}
	if (load->name->kind == FILTER_NAME_VALUE)
		return !load->name->model->begin;
	if (!hand->of)
		hand->of = load->name;
	return hand->of->model == load->name->model;
}

static bool test_is_at_hand(struct at_hand *hand, const struct filter *f,
			    const struct filter_test *test)
{
	switch (test->kind) {
	case FILTER_TEST_COMPUTED:
		return test_is_at_hand(hand, f->wanted[test->index].asks, test->asked);
	case FILTER_TEST_WITHIN:
		return hand->within;
	case FILTER_TEST_STRING:
	case FILTER_TEST_HEX:
		/* only the filter itself can report that a regular expression was given up */
		if (f->matchers[test->index]->code)
			return false;
		break;
	case FILTER_TEST_RANGE:
	case FILTER_TEST_BITS:
	case FILTER_TEST_SET:
	case FILTER_TEST_COMPARE:
	case FILTER_TEST_STRINGS:
	case FILTER_TEST_ARRAY:
	case FILTER_TEST_MASK:
	case FILTER_TEST_AMONG:
		break;
	default:
		return false;
	}
	for (uint32_t i = 0; i < test->nr_steps; i++)
		if (test->steps[i].op == FILTER_PUSH_LOAD &&
		    !is_at_hand(hand, &test->steps[i].load))
			return false;
	return test->nr_steps || is_at_hand(hand, &test->load);
}

static bool all_at_hand(struct at_hand *hand, const struct filter *f, const struct filter_bound *n)
{
	if (n->kind == FILTER_BOUND_TEST)
		return test_is_at_hand(hand, f, &n->test);
	return (!n->a || all_at_hand(hand, f, n->a)) && (!n->b || all_at_hand(hand, f, n->b));
}

/* Is this useless, because the sets are the whole test or already exist? */
static bool is_well(const struct filter *f, const struct filter_file *ff,
		    const struct filter_bound *const *bounds, unsigned int first)
{
	const struct filter_wanted *w = &f->wanted[first];
	bool alone = f->nr_wanted == first + 1, made = true;

	for (unsigned int i = first; i < f->nr_wanted; i++)
		made &= f->wanted[i].set && value_set_done(f->wanted[i].set);
	for (unsigned int id = 0; id < ff->nr_ids && alone; id++) {
		bool holds = ff->types[id] &&
			     (w->asks ? filter_asks_type(w->asks, (int)id) :
					filter_name_applies(w->name, ff->types[id]));

		alone = holds ? bounds[id]->kind == FILTER_BOUND_TEST :
				!ff->types[id] || bounds[id]->kind == FILTER_BOUND_FALSE;
	}
	return alone || made;
}

void filter_ask_whole(struct filter *f, unsigned int file, const struct filter_bound **bounds,
		      unsigned int first)
{
	const struct filter_file *ff = &f->files[file];
	struct filter_test test = { .kind = FILTER_TEST_COMPUTED,
				    .swap = ff->swap,
				    .index = first };
	struct filter_wanted whole = { .file = file, .computes = true };
	struct at_hand hand = { .of = NULL };

	if (first == f->nr_wanted || f->uses_lost || is_well(f, ff, bounds, first))
		return;
	if (f->nr_wanted == first + 1 && f->wanted[first].name->kind == FILTER_NAME_WORD) {
		hand.of = f->wanted[first].name;
		hand.within = true;
		whole.numbers = f->wanted[first].numbers;
	}
	for (unsigned int id = 0; id < ff->nr_ids; id++)
		if (ff->types[id] &&
		    (!needs_told(bounds[id]) || !all_at_hand(&hand, f, bounds[id])))
			return;
	if (!hand.of)
		return;			/* nothing matches */
	whole.name = hand.of;
	whole.asks = filter_asks_new(f, file);
	for (unsigned int id = 0; id < ff->nr_ids; id++) {
		if (!ff->types[id] || bounds[id]->kind == FILTER_BOUND_FALSE)
			continue;
		filter_asks_add(whole.asks, f, (int)id, bounds[id]);
		bounds[id] = filter_bound_test(&f->arena, &test);
	}
	filter_drop_wanted(f, first);
	f->wanted[f->nr_wanted++] = whole;
}
