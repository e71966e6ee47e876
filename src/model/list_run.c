/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/model/list_run.h"

int list_run_begin(struct list_run *run, const struct list_source *source,
		   const struct list_scope *scope, struct ft_error *err)
{
	*run = (struct list_run){ .source = source, .model = source->begin(scope, err) };
	run->done = run->failed = !run->model;
	return run->failed ? -1 : 0;
}

enum list_state list_run_take(struct list_run *run, bool wait, struct ft_error *err)
{
	enum list_state state = run->source->take(run->model, wait, &run->permille, err);

	run->done = state != LIST_LATER;
	run->failed = state == LIST_FAILED;
	return state;
}

int list_run_all(struct list_run *run, const struct list_source *source,
		 const struct list_scope *scope, struct ft_error *err)
{
	return list_run_begin(run, source, scope, err) ||
			       list_run_take(run, true, err) == LIST_FAILED ?
		       -1 :
		       0;
}

void list_run_end(struct list_run *run)
{
	if (run->model)
		run->source->end(run->model);
	*run = (struct list_run){ 0 };
}
