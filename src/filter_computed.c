/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/filter_computed.h"

#include <stdlib.h>
#include <string.h>

#include "src/filter_private.h"
#include "src/trace_private.h"

struct filter *filter_asks_new(const struct filter *of, unsigned int file)
{
	struct filter *asks = filter_alloc(of->trace, NULL, 0, NULL);
	struct filter_file *ff = &asks->files[file];

	filter_load_types(asks, file);
	for (unsigned int id = 0; id < ff->nr_ids; id++)
		ff->entry[id] = FILTER_ENTRY_NEVER;
	ff->unknown = ff->text = FILTER_ENTRY_NEVER;
	ff->general = &filter_bound_true;
	asks->uses_models = true;	/* its tests want a record's type */
	asks->more_names = of->more_names;
	return asks;
}

/* --- a copy of a test ------------------------------------------------------------- */

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
	/* Its text was right before. */
	if (!filter_matcher_init(m, from->kind, from->text, from->len, from->fold, 0, 0, &err))
		abort();
	return index;
}

/* Of other models that a number comes from it has to be known whether they are made. */
static void note_load(struct filter *asks, unsigned int file, const struct filter_load *load)
{
	asks->uses_tgid |= load->from == FILTER_FROM_TGID;
	if (load->from == FILTER_FROM_NAME && !load->name->want_computed)
		filter_use_model(asks, file, load->name, true);
}

/* The file that it is about: the one whose types are known. */
static unsigned int file_of(const struct filter *asks)
{
	unsigned int file = 0;

	while (!asks->files[file].types)
		file++;
	return file;
}

void filter_asks_add(struct filter *asks, const struct filter *of, int type_id, const struct filter_test *test)
{
	struct filter_bound *bound = arena_alloc(&asks->arena, sizeof(*bound));
	struct filter_step *steps = arena_alloc(&asks->arena, (test->nr_steps + 1) * sizeof(*steps));
	unsigned int file = file_of(asks);
	bool full = false;

	*bound = (struct filter_bound){ .kind = FILTER_BOUND_TEST, .test = *test };
	if (test->nr_steps) {
		memcpy(steps, test->steps, test->nr_steps * sizeof(*steps));
		bound->test.steps = steps;
	}
	if (test->kind == FILTER_TEST_SET)
		bound->test.index = copy_set(asks, of->sets[test->index]);
	else if (test->kind == FILTER_TEST_HEX)
		bound->test.index = copy_matcher(asks, of->matchers[test->index]);
	for (uint32_t i = 0; i < test->nr_steps; i++)
		if (steps[i].op == FILTER_PUSH_LOAD)
			note_load(asks, file, &steps[i].load);
	asks->files[file].entry[type_id] = filter_code_add(&asks->files[file].code, bound, &full);
	mem_grow(&asks->questions, asks->nr_questions, &asks->cap_questions);
	asks->questions[asks->nr_questions++] = (struct filter_question){ type_id, &bound->test };
}

bool filter_asks_type(const struct filter *asks, int type_id)
{
	for (unsigned int i = 0; i < asks->nr_questions; i++)
		if (asks->questions[i].type_id == type_id)
			return true;
	return false;
}

/* --- two of them -------------------------------------------------------------------- */

/* Model time changes with the user's offset, so it is never the same. */
static bool same_load(const struct filter_load *a, const struct filter_load *b)
{
	return a->from == b->from && a->from != FILTER_FROM_TIME && a->width == b->width && a->flags == b->flags &&
	       a->offset == b->offset && a->arg == b->arg && a->name == b->name && a->field == b->field;
}

static bool same_step(const struct filter_step *a, const struct filter_step *b)
{
	if (a->op != b->op)
		return false;
	return a->op == FILTER_PUSH_LOAD ? same_load(&a->load, &b->load) : a->op != FILTER_PUSH_CONST || a->value == b->value;
}

static bool same_test(const struct filter *fa, const struct filter_test *a, const struct filter *fb, const struct filter_test *b)
{
	if (a->kind != b->kind || a->kind == FILTER_TEST_HEX || a->nr_steps != b->nr_steps || a->op != b->op ||
	    a->sign != b->sign || a->negate != b->negate || a->lo != b->lo || a->span != b->span)
		return false;
	if (!a->nr_steps && !same_load(&a->load, &b->load))
		return false;
	for (uint32_t i = 0; i < a->nr_steps; i++)
		if (!same_step(&a->steps[i], &b->steps[i]))
			return false;
	return a->kind != FILTER_TEST_SET || filter_set_same(fa->sets[a->index], fb->sets[b->index]);
}

bool filter_asks_same(const struct filter *a, const struct filter *b)
{
	if (a->nr_questions != b->nr_questions)
		return false;
	for (unsigned int i = 0; i < a->nr_questions; i++)
		if (a->questions[i].type_id != b->questions[i].type_id ||
		    !same_test(a, a->questions[i].test, b, b->questions[i].test))
			return false;
	return true;
}

bool filter_asks_ready(const struct filter *asks)
{
	return filter_ready(asks) && (!asks->uses_tgid || trace_status(asks->trace).complete);
}
