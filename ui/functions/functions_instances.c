/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * functions_instances - the longest calls of a function, in the Functions view: a list of
 * its own, and lines below an open row of the table.
 */
#include <inttypes.h>
#include <string.h>

#include "ui/rows/call_scope.h"
#include "ui/screen/list_window.h"
#include "ui/functions/view_functions.h"

#define MOST_INSTANCES	1000u		/* looked for */

/* --- looked for ---------------------------------------------------------------------------- */

void functions_instances_drop(struct view *view)
{
	call_instances_free(view->instances);
	call_scope_drop(&view->instances_scope);
	view->instances = NULL;
}

void functions_instances_want(struct view *view, uint64_t function)
{
	const struct graph_scope *scope = &view->instances_scope;
	struct trace *trace = view->shared->trace;

	if (view->instances && call_instances_function(view->instances) == function)
		return;
	functions_instances_drop(view);
	call_scope_take(&view->instances_scope, view->shared, true);
	view->instances = call_instances_new(trace, view->file, scope->has_from || scope->nr_filters ? scope : NULL, function,
					     MOST_INSTANCES, trace_workers(trace));
	view->instance_at = view->instance_top = 0;
	app_work(view->app);
}

const struct call_instance *functions_instances(const struct view *view, uint32_t *nr)
{
	*nr = 0;
	return view->instances ? call_instances_list(view->instances, nr) : NULL;
}

void functions_show_instance(struct view *view, const struct call_instance *instance)
{
	struct place place = shared_place(view->shared, instance->exit);

	if (!place.set)
		return;
	place.ts -= (int64_t)(instance->duration < INT64_MAX / 2 ? instance->duration : 0);
	app_entering(view->app);
	app_show(view->app, VIEW_GRAPH, &place);
}

/* --- its words ------------------------------------------------------------------------------ */

static void add_right(struct text *out, const struct text *cell, int cells)
{
	int width = text_cells(text_str(cell), cell->len);

	text_pad(out, width < cells ? (size_t)(cells - width) : 0);
	text_add(out, text_str(cell));
}

static void add_time(struct text *out, uint64_t ns, int cells)
{
	struct text t = { 0 };

	text_duration(&t, ns);
	add_right(out, &t, cells);
	text_fini(&t);
}

void functions_instance_text(const struct view *view, const struct call_instance *instance, struct text *out)
{
	struct place place = shared_place(view->shared, instance->exit);
	struct text t = { 0 };
	const char *comm;

	text_char(out, text_duration_mark(instance->duration));
	add_time(out, instance->duration, 9);
	add_time(out, instance->self, 10);
	add_time(out, instance->net, 10);
	text_add(out, "  ");
	if (!place.set) {
		text_add(out, "its record is gone");
		return;
	}
	shared_time(view->shared, place.ts - (int64_t)(instance->duration < INT64_MAX / 2 ? instance->duration : 0), 6, &t);
	add_right(out, &t, 14);
	text_printf(out, " %3d  ", place.cpu);
	if (place.pid) {
		comm = trace_comm(view->shared->trace, place.file, place.pid, place.ts);
		text_printable(out, comm, strlen(comm));
		text_printf(out, "-%d", place.pid);
	} else {
		text_add(out, "<idle>");
	}
	if (instance->clipped)
		text_add(out, "  ~");
	if (instance->orphan)
		text_add(out, "  ◂");
	text_fini(&t);
}

void functions_instance_heading(struct text *out)
{
	text_add(out, "  duration      self       net           start CPU  task");
}

/* --- the list -------------------------------------------------------------------------------- */

static void draw_title(struct view *view, struct canvas *canvas, int y, uint32_t nr)
{
	struct text t = { 0 }, name = { 0 };

	function_name(view->shared->trace, view->file, call_instances_function(view->instances), &name);
	text_printable(&t, text_str(&name), name.len);
	if (call_instances_permille(view->instances) < 1000)
		text_printf(&t, "  looking for its calls: %u %%", call_instances_permille(view->instances) / 10);
	else if (!nr)
		text_add(&t, view->table && view->table->inferred ? "  its calls have no times: none is the longest" :
			 "  no call of it has an end here");
	else if (call_instances_calls(view->instances) > nr)
		text_printf(&t, "  the longest %" PRIu32 " of %" PRIu64 " calls", nr, call_instances_calls(view->instances));
	else
		text_printf(&t, "  %" PRIu32 " %s, the longest first", nr, nr == 1 ? "call" : "calls");
	canvas_fit(canvas, y, 1, canvas->cols - 2, ROLE_EVENT_FUNCTION, text_str(&t));
	text_fini(&t);
	text_fini(&name);
}

void functions_instances_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	uint32_t nr, rows = view->height > 1 ? view->height - 1 : 1;
	const struct call_instance *list = functions_instances(view, &nr);
	struct text t = { 0 };

	if (!view->instances)
		return;
	draw_title(view, canvas, area->top + 1, nr);
	functions_instance_heading(&t);
	canvas_text(canvas, area->top + 2, 1, canvas->cols - 2, ROLE_HEADING, text_str(&t));
	view->instance_top = list_window_show(view->instance_top, view->instance_at, rows, nr);
	for (uint32_t i = 0; i < rows && view->instance_top + i < nr; i++) {
		int y = area->top + 3 + (int)i;

		text_clear(&t);
		functions_instance_text(view, &list[view->instance_top + i], &t);
		canvas_fit(canvas, y, 1, canvas->cols - 2, functions_slow_role(list[view->instance_top + i].duration), text_str(&t));
		if (view->instance_top + i != view->instance_at)
			continue;
		canvas_over(canvas, y, 0, canvas->cols, ROLE_SELECTED);
		canvas_text(canvas, y, 0, 1, ROLE_TEXT, ">");
		canvas_over(canvas, y, 0, 1, ROLE_SELECTED);
	}
	text_fini(&t);
}

static void select_instance(struct view *view, int64_t at)
{
	uint32_t nr;

	functions_instances(view, &nr);
	view->instance_at = at < 0 || !nr ? 0 : at >= nr ? nr - 1 : (uint32_t)at;
}

static bool copy(struct view *view, const struct call_instance *instance, char letter)
{
	struct text t = { 0 };

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'y')
		functions_instance_text(view, instance, &t);
	else
		text_u64(&t, instance->duration);
	app_copy(view->app, letter == 'y' ? "the row" : "its duration", text_str(&t), t.len);
	text_fini(&t);
	return true;
}

static bool move_request(struct view *view, enum request request)
{
	int rows = request_rows(request, (int)view->height - 1, NULL);
	int64_t at = view->instance_at;

	if (rows)
		return select_instance(view, at + rows), true;
	switch ((int)request) {
	case REQ_SLOW_PREV:		/* faster ones stand behind */
		return select_instance(view, at + 1), true;
	case REQ_SLOW_NEXT:
		return select_instance(view, at - 1), true;
	case REQ_FIRST:
		return select_instance(view, 0), true;
	case REQ_LAST:
		return select_instance(view, INT64_MAX), true;
	}
	return false;
}

bool functions_instances_request(struct view *view, enum request request, char letter)
{
	uint32_t nr;
	const struct call_instance *list = functions_instances(view, &nr);

	if (request == REQ_SORT || request == REQ_SORT_INVERT || request == REQ_SIDE_RIGHT || request == REQ_SIDE_LEFT) {
		app_message(view->app, "instances stand by their duration, the longest first");
		return true;
	}
	if (request == REQ_COMPARE) {
		app_message(view->app, "the table compares: o t");
		return true;
	}
	if (!nr)
		return false;
	if (move_request(view, request))
		return true;
	if (request == REQ_ENTER)
		return functions_show_instance(view, &list[view->instance_at]), true;
	return request == REQ_COPY && copy(view, &list[view->instance_at], letter);
}

void functions_instances_click(struct view *view, int line, bool twice)
{
	uint32_t nr;

	functions_instances(view, &nr);
	if (line < 1 || view->instance_top + (uint32_t)line - 1 >= nr)
		return;
	select_instance(view, view->instance_top + line - 1);
	if (twice)
		functions_instances_request(view, REQ_ENTER, 0);
}
