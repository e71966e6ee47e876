/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * filter_models - what binding adds to a filter: sets, patterns, and requests to models, which are
 * built when a filter first needs them.  Starts these, waits for them, and uses their results.
 */
#include <stdlib.h>

#include "src/filter/filter_run.h"

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
		if (!derived_value_done(f->wanted[i].value))
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
		if (derived_value_done(f->wanted[i].value))
			bytes += derived_value_bytes(f->wanted[i].value);
	return bytes;
}

void filter_wait(const struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_models; i++)
		f->models[i].model->wait(f->trace, f->models[i].file);
}

bool filter_asks_models(const struct filter *f)
{
	return f->nr_models;
}

const char *filter_model_trouble(const struct filter *f)
{
	const char *trouble = NULL;

	for (unsigned int i = 0; i < f->nr_models && !trouble; i++)
		if (f->models[i].values && f->models[i].model->trouble)
			trouble = f->models[i].model->trouble(f->trace, f->models[i].file);
	for (unsigned int i = 0; i < f->nr_wanted && !trouble; i++)
		if (derived_value_done(f->wanted[i].value) && f->wanted[i].value->full)
			trouble = DERIVED_FULL;
	return trouble;
}

const struct derived_value *filter_want(struct filter *f, unsigned int file,
					const struct filter_name *name,
					const struct filter_set *functions)
{
	struct derived_value *value;

	for (unsigned int i = 0; i < f->nr_wanted; i++)
		if (f->wanted[i].file == file && f->wanted[i].name == name &&
		    (!functions || filter_set_same(f->wanted[i].functions, functions)))
			return f->wanted[i].value;
	value = name->model->want(f->trace, file, name->number, functions);
	if (!value)
		return NULL;
	mem_grow(&f->wanted, f->nr_wanted, &f->cap_wanted);
	f->wanted[f->nr_wanted++] =
		(struct filter_wanted){ file, name, functions, value };
	return value;
}

void filter_begin_models(struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_models; i++)
		f->models[i].model->begin(f->trace, f->models[i].file);
}

void filter_fini_models(struct filter *f)
{
	for (unsigned int i = 0; i < f->nr_wanted; i++)
		derived_value_drop(f->wanted[i].value);
	free(f->models);
	free(f->wanted);
}

/* --- sets and patterns ------------------------------------------------------------------------ */

uint32_t filter_add_set(struct filter *f, struct filter_set *set)
{
	filter_set_sort(set);
	mem_grow(&f->sets, f->nr_sets, &f->cap_sets);
	f->sets[f->nr_sets] = set;
	return f->nr_sets++;
}

struct filter_pattern *filter_add_pattern(struct filter *f, uint32_t *index)
{
	mem_grow(&f->patterns, f->nr_patterns, &f->cap_patterns);
	*index = f->nr_patterns;
	return f->patterns[f->nr_patterns++] = mem_alloc(sizeof(struct filter_pattern));
}
