/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_graph - the calls of a task, or of a CPU, as a tree around the moment under the
 * cursor.
 */
#include "ui/graph/view_graph.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/view/no_calls.h"

/* --- its life ---------------------------------------------------------------------------- */

static struct view *graph_open(struct app *app, struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->app = app;
	view->shared = shared;
	view->pid = -1;
	graph_rows_init(&view->rows);
	return view;
}

static void graph_close(struct view *view)
{
	if (!view)
		return;
	graph_drop(view);
	graph_rows_fini(&view->rows);
	free(view);
}

static void graph_publish(struct view *view)
{
	const struct graph_row *row = graph_here(view);
	struct shared *shared = view->shared;
	unsigned int bottom;
	int64_t ts;

	shared->here = (struct place){ 0 };
	if (!row)
		return;
	shared->here = view->last = graph_place(view, row, row->kind == GRAPH_ROW_END);
	bottom = view->top + (view->height ? view->height - 1 : 0);
	if (bottom >= view->rows.nr)
		bottom = view->rows.nr - 1;
	shared->here_line = view->at - view->top;
	shared->window_from = graph_place(view, &view->rows.rows[view->top < bottom ? view->top : bottom], false).ts;
	shared->window_to = graph_place(view, &view->rows.rows[bottom], true).ts;
	for (unsigned int i = view->top; i <= bottom; i++) {	/* the longest may come first */
		ts = graph_place(view, &view->rows.rows[i], false).ts;
		shared->window_from = ts < shared->window_from ? ts : shared->window_from;
		shared->window_to = ts > shared->window_to ? ts : shared->window_to;
	}
}

/* --- slow places ------------------------------------------------------------------------- */

static void step_to_slow(struct view *view)
{
	struct shared *shared = view->shared;
	const struct graph_row *row = graph_here(view);
	const struct slow_place *place;
	trace_ref exit = 0;
	int64_t key = view->sought;	/* where nothing is shown */
	bool forward = view->slow_step > 0;

	view->slow_step = 0;
	if (!shared->threshold)
		shared->threshold = (int64_t)slow_places_mark(view->slow, 5);
	if (!shared->threshold)
		shared->threshold = 10000;
	if (row)
		slow_places_find(view->slow, (uint64_t)shared->threshold, graph_call(view, row), &key, &exit);
	place = slow_places_next(view->slow, (uint64_t)shared->threshold, key, exit, forward);
	if (!place) {
		app_message(view->app, forward ? "no slow call further on; T sets how slow is slow%s" :
						 "no slow call before; T sets how slow is slow%s",
			    view->slow_net ? ", now by net time" : "");
		return;
	}
	app_jump_to(view->app, &(struct place){ .set = true, .ref = place->exit, .ts = place->start, .file = view->file,
						.pid = place->pid, .cpu = view->stream_cpus[place->stream] });
	if ((uint64_t)shared->threshold < slow_places_least(view->slow)) {
		struct text t = { 0 };

		shared_span(shared, (int64_t)slow_places_least(view->slow), &t);
		app_message(view->app, "there are too many: of calls shorter than %s some are left out", text_str(&t));
		text_fini(&t);
	}
}

void graph_look_for_slow(struct view *view, bool forward)
{
	struct slow_options options = { .trace = view->shared->trace, .types = view->types, .file = view->file,
					.buffer = view->buffer, .workers = trace_workers(view->shared->trace) };

	if (!view->window)
		return;
	options.scope = view->scope.nr_filters ? &view->scope : NULL;
	options.net = view->shared->by_net;
	view->slow_step = forward ? 1 : -1;
	if (view->slow && view->slow_net != options.net) {
		slow_places_free(view->slow);
		view->slow = NULL;
	}
	view->slow_net = options.net;
	if (!view->slow)
		view->slow = slow_places_new(&options);
	if (slow_places_are_done(view->slow))
		step_to_slow(view);
	else
		app_work(view->app);
}

/* --- work ---------------------------------------------------------------------------------- */

static bool graph_work(struct view *view, int64_t ns)
{
	bool more = false;

	if (!view->known)
		graph_find_calls(view);
	if (view->has_calls && !view->window)
		graph_go(view, &(struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = view->shared->first, .pid = -1, .cpu = -1 });
	if (view->window) {
		graph_extend(view);
		more = call_window_work(view->window, ns);
		graph_refresh(view);
	}
	if (view->slow_step && view->slow && slow_places_are_done(view->slow))
		step_to_slow(view);
	return more || view->slow_step || !view->known;
}

static void graph_work_text(struct view *view, struct text *out)
{
	if (view->slow_step && view->slow)
		text_printf(out, "looking for slow calls: %u %%", slow_places_permille(view->slow) / 10);
	else if (view->window && !call_window_is_ready(view->window))
		text_add(out, "reading calls …");
}

static bool graph_progressed(struct view *view)
{
	if (view->slow_step || !view->known)
		app_work(view->app);
	return !view->known;
}

static void graph_changed(struct view *view)
{
	bool looked = view->window;

	view->stale = true;
	if (!graph_take_filters(view) || !looked)
		return;
	/* While a filter is typed nothing may be left for a moment. */
	view->wanted = view->shared->anchored && view->shared->anchor.set ? view->shared->anchor : view->last;
	graph_seek(view, view->wanted.set ? view->wanted.ts : view->shared->first);
}

static void graph_retrace(struct view *view)
{
	graph_drop(view);
	graph_rows_fini(&view->rows);
	graph_rows_init(&view->rows);
	view->pid = -1;
	view->at = view->top = 0;
	view->side = 0;
	view->here = TRACE_REF_NONE;
	view->wanted = view->last = (struct place){ 0 };
	view->slow_step = 0;
}

/* --- lists, tasks, text --------------------------------------------------------------------- */

static bool graph_pick_task(struct view *view, unsigned int file, int pid)
{
	struct place place = view->shared->here;
	unsigned int buffer;

	if (!view->has_calls || !view->window || (file != view->file && !graph_has_calls(view->shared->trace, file, &buffer)))
		return false;
	view->by_cpu = false;
	place.set = true;
	place.ref = TRACE_REF_NONE;
	place.pid = pid;
	place.file = file;
	if (!place.ts)
		place.ts = view->shared->first;
	app_jump_to(view->app, &place);
	return true;
}

static const struct view_list lists[] = { { 't', "by task" }, { 'c', "by CPU" }, { 0, NULL } };

static char graph_list(struct view *view)
{
	return view->by_cpu ? 'c' : 't';
}

static bool graph_choose_list(struct view *view, char letter)
{
	struct place place = view->shared->here;

	if (view->by_cpu == (letter == 'c'))
		return true;
	view->by_cpu = letter == 'c';
	if (!view->window)
		return true;
	if (!place.set)
		place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = view->shared->first, .pid = view->pid,
					.cpu = view->cpu };
	view->wanted = place;
	graph_seek(view, place.ts);
	return true;
}

static void graph_header(struct view *view, struct text *out)
{
	const struct graph_row *row = graph_here(view);

	if (!row)
		return;
	shared_time(view->shared, graph_place(view, row, false).ts, 6, out);
	if (view->shared->threshold) {
		char mark = text_duration_mark((uint64_t)view->shared->threshold + 1);

		text_add(out, view->shared->by_net ? "  net ≥ " : "  slow ≥ ");
		if (mark != text_duration_mark((uint64_t)view->shared->threshold))
			text_char(out, mark);
		else
			shared_span(view->shared, view->shared->threshold, out);
	}
}

static void graph_command(struct view *view, struct text *out)
{
	if (view->by_cpu)
		text_printf(out, "graph --by=cpu --cpu %d", view->cpu);
	else
		text_printf(out, "graph --task %d", view->pid < 0 ? 0 : view->pid);
}

static bool graph_save_row(struct view *view, uint64_t i, struct text *out)
{
	graph_refresh(view);
	if (i >= view->rows.nr)
		return false;
	graph_row_text(view, &view->rows.rows[i], out);
	return true;
}

static int graph_detail_rows(struct view *view, int normal, int most)
{
	(void)most;
	return normal && view->rows.nr && !view->compare ? normal + 1 : 0;
}

static const char *graph_record(struct view *view)
{
	return view->known && !view->has_calls ? NO_CALLS_RECORD : NULL;
}

static unsigned int graph_nr_columns(struct view *view)
{
	(void)view;
	return NR_GRAPH_COLUMNS;
}

static void graph_mouse(struct view *view, const struct ui_mouse *mouse)
{
	int line = mouse->row - view->body_top;

	if (view->compare && mouse->kind != UI_MOUSE_WHEEL_UP && mouse->kind != UI_MOUSE_WHEEL_DOWN)
		return;
	if (mouse->kind == UI_MOUSE_WHEEL_UP || mouse->kind == UI_MOUSE_WHEEL_DOWN) {
		graph_request(view, mouse->kind == UI_MOUSE_WHEEL_UP ? REQ_UP : REQ_DOWN, 0);
		return;
	}
	if (line < 0 || line >= (int)view->height || view->top + (unsigned int)line >= view->rows.nr)
		return;
	if (mouse->kind == UI_MOUSE_PRESS || mouse->kind == UI_MOUSE_DOUBLE)
		graph_select(view, view->top + (unsigned int)line);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		graph_request(view, REQ_ENTER, 0);
}

static bool graph_can(struct view *view, enum request request)
{
	if (view->rows.nr)
		return true;
	if (view->has_calls && (request == REQ_SLOW_NEXT || request == REQ_PICK_TASK))
		return true;
	return request == REQ_HELP || request == REQ_OPTIONS || (request == REQ_FILTER && view->scope.nr_filters);
}

/* Two calls beside each other have keys of their own. */
static const char *graph_pending_hint(struct view *view)
{
	return view->compare ? "Enter Below  u Above  = q Back to the tree  ? Help" : NULL;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_RIGHT, REQ_LEFT, REQ_PARENT, REQ_HEAVIEST, REQ_HOT_PATH, REQ_TRACK_NEXT, REQ_SAME_NEXT, REQ_MARK_A, REQ_MARK_B,
	REQ_COMPARE, REQ_KERNEL_TEXT,
	REQ_ONLY, REQ_WITHOUT, REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_SLOW_NEXT, REQ_HEAVIEST, REQ_HOT_PATH, REQ_TRACK_NEXT, REQ_PARENT, REQ_FILTER, REQ_SEARCH, REQ_HELP,
	REQ_PICK_TASK, REQ_SAME_NEXT, REQ_GO, REQ_MARK_A, REQ_MARK_B, REQ_COLUMNS, REQ_COMPARE, REQ_KERNEL_TEXT,
	REQ_DETAIL, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "Fold", "open or close this call; of siblings in one row the longest comes first" },
	{ REQ_RIGHT, NULL, "open this call" },
	{ REQ_LEFT, NULL, "close this call, or to its caller" },
	{ REQ_FOLD_OPEN, NULL, "open this call" },
	{ REQ_FOLD_CLOSE, NULL, "close it" },
	{ REQ_OPEN_ALL, NULL, "open all calls" },
	{ REQ_CLOSE_ALL, NULL, "close all calls" },
	{ REQ_MORE, NULL, "one level deeper everywhere" },
	{ REQ_LESS, NULL, "one level less" },
	{ REQ_RESET, NULL, "all calls closed, and their texts from the left" },
	{ REQ_TRACK_NEXT, "Sibling", "next call of the same caller" },
	{ REQ_TRACK_PREV, NULL, "previous call of the same caller" },
	{ REQ_SAME_NEXT, NULL, "next call of this function" },
	{ REQ_SAME_PREV, NULL, "previous call of this function" },
	{ REQ_SLOW_NEXT, NULL, "next innermost call of at least the threshold, of any task" },
	{ REQ_SLOW_PREV, NULL, "the one before" },
	{ REQ_PICK_TASK, NULL, "the calls of one of all tasks" },
	{ REQ_NEXT_LIST, NULL, "by task, or by CPU" },
	{ REQ_CHOOSE_LIST, NULL, "a list directly: t by task, c by CPU" },
	{ REQ_COMPARE, NULL, "this call beside the one at A, child by child; Enter goes on below, = or q back" },
	{ REQ_NONE, NULL, NULL },
};

extern const struct view_ops view_graph_ops;
const struct view_ops view_graph_ops = {
	.hint = "New here: Enter opens a call, H leads to where its time went",
	.row_requests = row_requests,
	.bar = bar,
	.words = words,
	.lists = lists,
	.open = graph_open,
	.close = graph_close,
	.draw = graph_draw,
	.publish = graph_publish,
	.detail_rows = graph_detail_rows,
	.draw_detail = graph_draw_detail,
	.header = graph_header,
	.request = graph_request,
	.mouse = graph_mouse,
	.go = graph_go,
	.span = graph_span,
	.retrace = graph_retrace,
	.changed = graph_changed,
	.work = graph_work,
	.work_text = graph_work_text,
	.progressed = graph_progressed,
	.find = graph_find,
	.pick_task = graph_pick_task,
	.list = graph_list,
	.choose_list = graph_choose_list,
	.nr_columns = graph_nr_columns,
	.column = graph_column,
	.toggle_column = graph_toggle_column,
	.save_row = graph_save_row,
	.command = graph_command,
	.record = graph_record,
	.can = graph_can,
	.pending_hint = graph_pending_hint,
};
