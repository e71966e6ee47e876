/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_models - a filter's requests to models that are built when a filter first needs them:
 * starts them, waits for them, and uses their results.
 */
#include <stdlib.h>

#include "src/filter/filter_computed.h"
#include "src/filter/filter_run.h"
#include "src/filter/value_sets.h"

void filter_use_model(struct filter *f, unsigned int file, const struct filter_name *name)
{
	f->uses_models = true;
	f->of_other |= name->task == FILTER_TASK_OTHER;
	f->of_leaving |= name->task == FILTER_TASK_LEAVING;
	if (!name->model->begin)
		return;
	for (unsigned int i = 0; i < f->nr_models; i++)
		if (f->models[i].file == file && f->models[i].model == name->model) {
			f->models[i].values |= name->kind == FILTER_NAME_VALUE;
			return;
		}
	mem_grow(&f->models, f->nr_models, &f->cap_models);
	f->models[f->nr_models++] = (struct filter_used_model){ file, name->model,
								name->kind == FILTER_NAME_VALUE };
}

bool filter_is_of_other(const struct filter *f)
{
	return f->of_other;
}

bool filter_is_of_leaving(const struct filter *f)
{
	return f->of_leaving;
}

bool filter_ready(const struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_wanted; i++)
		if (!value_set_done(f->wanted[i].set))
			return false;
	for (unsigned int i = 0; i < f->nr_models; i++)
		if (f->models[i].values && !f->models[i].model->ready(f->trace, f->models[i].file))
			return false;
	return true;
}

uint64_t filter_memory(const struct filter *f)
{
	uint64_t bytes = 0;

	for (unsigned int i = 0; i < f->nr_wanted; i++)
		if (value_set_done(f->wanted[i].set))
			bytes += value_set_bytes(f->wanted[i].set);
	return bytes;
}

void filter_wait(const struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_models; i++)
		f->models[i].model->wait(f->trace, f->models[i].file);
}

const char *filter_model_trouble(const struct filter *f)
{
	const char *trouble = NULL;

	for (unsigned int i = 0; i < f->nr_models && !trouble; i++)
		if (f->models[i].values && f->models[i].model->trouble)
			trouble = f->models[i].model->trouble(f->trace, f->models[i].file);
	for (unsigned int i = 0; i < f->nr_wanted && !trouble; i++)
		if (f->wanted[i].computes && value_set_cut_off(f->wanted[i].set))
			trouble = FILTER_CUT_OFF;
	return trouble;
}

/* --- filters that are what a model makes ------------------------------------------------- */

/* Does a program only test the sets of the model? */
static bool asks_alone(const struct filter *f, const struct filter_file *ff, uint32_t entry,
		       const struct filter_wanted *w)
{
	const struct filter_insn *in = &ff->code.insns[entry];

	if (in->op != FILTER_INSN_TEST || in->yes != FILTER_YES || in->no != FILTER_NO)
		return false;
	if (in->test->kind == FILTER_TEST_COMPUTED)
		return &f->wanted[in->test->index] == w;
	return (in->test->kind == FILTER_TEST_AMONG || in->test->kind == FILTER_TEST_WITHIN) &&
	       in->test->set == w->set;
}

/* Can the set contain records of this type? */
static bool may_hold(const struct filter_wanted *w, const struct event_type *type)
{
	return w->computes ? filter_asks_type(value_set_asks(w->set), type->id) :
			     filter_name_applies(w->name, type);
}

/* For the types that occur according to the directory. */
static bool is_set(const struct filter *f, const struct filter_file *ff,
		   const struct filter_wanted *w)
{
	const struct page_kinds *kinds = &trace_source_at(f->trace, w->file)->kinds;
	uint32_t nr = atomic_load(&kinds->nr);

	if (f->uses_lost)
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		const struct event_type *type = kinds->ids[i] < ff->nr_ids ?
							ff->types[kinds->ids[i]] :
							NULL;
		uint32_t entry = type ? ff->entry[kinds->ids[i]] : ff->unknown;
		bool never = entry == FILTER_ENTRY_NEVER;

		if (entry == FILTER_ENTRY_ALWAYS || never == (type && may_hold(w, type)) ||
		    (!never && !asks_alone(f, ff, entry, w)))
			return false;
	}
	return true;
}

struct match_item *filter_run_item(const struct filter_run *run, uint64_t page, uint32_t nr_pages)
{
	const struct filter *f = run->f;

	for (unsigned int i = 0; i < f->nr_wanted; i++)
		if (f->wanted[i].file == run->file && is_set(f, run->ff, &f->wanted[i]))
			return value_set_item(f->wanted[i].set, run->stream, page, nr_pages);
	return NULL;
}

/* --- making them ---------------------------------------------------------------------------- */

void filter_drop_wanted(struct filter *f, unsigned int first)
{
	while (f->nr_wanted > first) {
		struct filter_wanted *w = &f->wanted[--f->nr_wanted];

		if (w->set)
			value_set_drop(w->set);
		filter_free(w->asks);
	}
}

void filter_want(struct filter *f, struct filter_wanted *w)
{
	struct filter_question question = { .number = w->numbers ? w->name->number : 0,
					    .numbers = w->numbers,
					    .negate = w->negate, .asks = w->asks };

	w->set = w->name->model->want(f->trace, w->file, &question);
}

void filter_begin_models(struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_wanted; i++) {
		struct filter_wanted *w = &f->wanted[i];

		if (!w->computes)
			continue;
		/* the model's pass waits for the directory, which collects them */
		if (w->asks->uses_tgid)
			trace_hold(f->trace, -1);
		filter_want(f, w);
		w->asks = NULL;
	}
	for (unsigned int i = 0; i < f->nr_models; i++)
		f->models[i].model->begin(f->trace, f->models[i].file);
}

void filter_fini_models(struct filter *f)
{
	filter_drop_wanted(f, 0);
	free(f->models);
	free(f->wanted);
	free(f->questions);
}
