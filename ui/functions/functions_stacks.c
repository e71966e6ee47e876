/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_stacks - the flame graphs of stacks: of waits (off-CPU stacks, wakers' stacks, or both
 * joined), and of events, by how often they were recorded.
 */
#include "ui/functions/view_functions.h"
#include "ui/view/list_tabs.h"

static enum stacks_of shown(const struct view *view)
{
	return view->list == 'w'         ? STACKS_WAKER :
	       view->list == 'b'         ? STACKS_BOTH :
	       functions_is_events(view) ? STACKS_EVENTS :
					   STACKS_OFF_CPU;
}

static struct stacks **stacks_shown(struct view *view)
{
	return &view->stacks.of[functions_is_events(view)];
}

static void drop_former(struct functions_stacks *s)
{
	stacks_free(s->former);
	s->former = NULL;
}

void functions_stacks_drop(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	for (unsigned int i = 0; i < 2; i++) {
		stacks_free(s->of[i]);
		s->of[i] = NULL;
	}
	drop_former(s);
	s->counted = false;
	if (functions_is_stacks(view))
		functions_flame_drop(view);
}

/* What is shown of waits stays until they are counted again. */
void functions_stacks_grow(struct view *view)
{
	struct functions_stacks *s = &view->stacks;
	struct stacks *former = s->former;

	if (stacks_result(s->of[0])) {
		former = s->of[0];
		s->of[0] = s->former;
	}
	s->former = NULL;
	functions_stacks_drop(view);
	s->former = former;
}

/* Has the file stacks, and switches to which they belong? */
void functions_stacks_look(struct view *view)
{
	struct functions_stacks *s = &view->stacks;
	struct trace *trace = view->shared->trace;
	bool complete = trace_status(trace).complete;	/* before they are looked for */
	bool kernel = trace_has_event(trace, view->file, "kernel_stack");

	s->any = stacks_has_events(trace, view->file);
	s->of_waits = kernel && trace_has_switches(trace, view->file) &&
		      !trace_is_of_tasks(trace, (int)view->file);
	s->known = s->of_waits || complete;
}

void functions_stacks_work(struct view *view)
{
	struct functions_stacks *s = &view->stacks;
	struct stacks_options options = { .of_events = functions_is_events(view) };

	if (!functions_is_stacks(view) || *stacks_shown(view))
		return;
	options.what = call_scope_sweep(&view->scope, view->file);
	*stacks_shown(view) = stacks_next(s->former, view->shared->trace, &options);
	s->counted = false;
}

bool functions_stacks_progressed(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	if (s->counted || !stacks_result(*stacks_shown(view)))
		return false;
	s->counted = true;
	if (!functions_is_events(view))
		drop_former(s);
	functions_flame_drop(view);
	return true;
}

/* NULL: nothing is counted yet. */
static const struct stacks_result *result_shown(struct view *view)
{
	const struct stacks_result *result = stacks_result(*stacks_shown(view));

	return result || functions_is_events(view) ? result : stacks_result(view->stacks.former);
}

bool functions_stacks_vary(const struct view *view)
{
	const struct stacks_result *result = stacks_result(view->stacks.of[1]);

	return result && result->varies;
}

/* The stacks of the list that is shown; NULL: not counted yet. */
const struct call_paths *functions_stacks_paths(struct view *view)
{
	const struct stacks_result *result = result_shown(view);

	return result ? result->paths[shown(view)] : NULL;
}

void functions_stacks_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	const struct stacks_result *result = result_shown(view);
	int used = list_tabs_draw(canvas, area->top, functions_lists(view), view->list,
				  canvas->cols);
	bool any = functions_flame_refresh(view);
	struct text t = { 0 };

	functions_scope_text(view, &t);
	if (result && result->doubtful) {
		text_add(&t, "  without ~");
		text_count(&t, result->doubtful);
	}
	if (result && result->open) {
		text_add(&t, "  open: ");
		text_count(&t, result->open);
	}
	canvas_fit(canvas, area->top, used + 1, canvas->cols - used - 2,
		   call_scope_is_limited(&view->scope) ? ROLE_RANGE : ROLE_DIM, text_str(&t));
	text_fini(&t);
	if (any)
		functions_flame_draw(view, area);
	else
		canvas_fit(canvas, area->top + 2, 2, canvas->cols - 3, ROLE_DIM,
			   !result ? "Nothing counted so far …" :
			   functions_is_events(view) ?
				     "No stack is in the range that the filters keep." :
				     "No wait is in the range that the filters keep.");
}
