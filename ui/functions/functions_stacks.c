/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_stacks - the flame graphs of stacks: of waits (off-CPU stacks, wakers' stacks, or both
 * joined), and of events, by how often they were recorded.
 */
#include "ui/functions/view_functions.h"
#include "ui/rows/call_scope.h"
#include "ui/view/list_tabs.h"

bool functions_is_events(const struct view *view)
{
	return view->list == 'e';
}

bool functions_is_stacks(const struct view *view)
{
	return view->list == 'o' || view->list == 'w' || view->list == 'b' ||
	       functions_is_events(view);
}

static enum wait_stacks_mode mode_of(const struct view *view)
{
	return view->list == 'w' ? WAIT_STACKS_WAKER :
	       view->list == 'b' ? WAIT_STACKS_BOTH :
				   WAIT_STACKS_OFF_CPU;
}

void functions_stacks_drop(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	wait_stacks_free(s->waits);
	event_stacks_free(s->events);
	s->waits = NULL;
	s->events = NULL;
	s->table = NULL;
	s->counted = false;
	call_scope_drop(&s->scope);
}

/* Has the file stacks, and switches to which they belong? */
void functions_stacks_look(struct view *view)
{
	struct functions_stacks *s = &view->stacks;
	struct trace *trace = view->shared->trace;
	bool kernel = trace_has_event(trace, view->file, "kernel_stack");

	s->any = kernel || trace_has_event(trace, view->file, "user_stack");
	s->of_waits = kernel && trace_has_event(trace, view->file, "sched_switch");
	s->known = s->of_waits || trace_status(trace).complete;
}

static void count(struct view *view)
{
	struct functions_stacks *s = &view->stacks;
	const struct event_sweep_options what = {
		.file = view->file,
		.range = { s->scope.has_from, s->scope.from, s->scope.to },
		.filters = s->scope.filters,
		.nr_filters = s->scope.nr_filters,
	};

	if (functions_is_events(view))
		s->events = event_stacks_new(view->shared->trace, &what);
	else
		s->waits = wait_stacks_new(view->shared->trace,
					   &(struct wait_stacks_options){ .what = what });
}

void functions_stacks_work(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	if (!functions_is_stacks(view) || (functions_is_events(view) ? !!s->events : !!s->waits))
		return;
	if (!s->events && !s->waits)
		call_scope_take(&s->scope, view->shared, true);
	count(view);
	s->counted = false;
}

bool functions_stacks_progressed(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	if (s->counted || (!s->waits && !s->events) ||
	    (s->waits && !wait_stacks_result(s->waits)) ||
	    (s->events && !event_sweep_is_done(event_stacks_sweep(s->events))))
		return false;
	s->counted = true;
	return true;
}

/* The stacks of the list that is shown; NULL: not counted yet. */
const struct call_paths *functions_stacks_paths(struct view *view)
{
	struct functions_stacks *s = &view->stacks;

	if (!s->counted)
		return NULL;
	s->table = functions_is_events(view) ? event_stacks_table(s->events) :
					       wait_stacks_result(s->waits)->tables[mode_of(view)];
	return stack_table_paths(s->table);
}

void functions_stacks_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	const struct wait_stacks_result *waits = NULL;
	int used = list_tabs_draw(canvas, area->top, functions_lists(view), view->list,
				  canvas->cols);
	bool any = functions_flame_refresh(view);
	struct text t = { 0 };

	if (view->stacks.counted && !functions_is_events(view))
		waits = wait_stacks_result(view->stacks.waits);
	functions_scope_text(view, &t);
	if (waits && waits->doubtful) {
		text_add(&t, "  without ~");
		text_count(&t, waits->doubtful);
	}
	if (waits && waits->open) {
		text_add(&t, "  open: ");
		text_count(&t, waits->open);
	}
	canvas_fit(canvas, area->top, used + 1, canvas->cols - used - 2, ROLE_DIM, text_str(&t));
	text_fini(&t);
	if (any)
		functions_flame_draw(view, area);
	else
		canvas_fit(canvas, area->top + 2, 2, canvas->cols - 3, ROLE_DIM,
			   !view->stacks.counted ?
				   "Nothing counted so far …" :
			   functions_is_events(view) ?
				   "No stack is in the range that the filters keep." :
				   "No wait is in the range that the filters keep.");
}
