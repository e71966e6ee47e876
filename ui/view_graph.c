/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_graph - the calls of a task, or of a CPU, as a tree around the moment under the
 * cursor.  Built in slices; what is folded and selected is remembered by records.
 */
#include "ui/view_graph.h"

#include <stdlib.h>
#include <string.h>

#include "src/memory.h"
#include "ui/call_scope.h"
#include "ui/no_calls.h"

#define FIRST_SLICE_NS	15000000	/* most traces are there at once */
#define NEAR_ROWS	50		/* so near to an end of the window more is read */

/* --- what is there ----------------------------------------------------------------- */

static void drop_window(struct view *view)
{
	graph_compare_end(view);
	slow_places_free(view->slow);
	call_window_free(view->window);
	view->slow = NULL;
	view->window = NULL;
	view->rows.nr = 0;
	view->version = view->story_start = 0;
}

static void drop_all(struct view *view)
{
	drop_window(view);
	call_scope_drop(&view->scope);
	text_fini(&view->scope_key);
	call_text_free(view->text);
	graph_types_free(view->types);
	free(view->stream_cpus);
	view->text = NULL;
	view->types = NULL;
	view->stream_cpus = NULL;
	view->known = view->has_calls = view->has_cost = false;
}

/* Nothing else is held. */
static void use_calls(struct view *view, unsigned int file, unsigned int buffer)
{
	struct trace *trace = view->shared->trace;
	unsigned int nr = trace_nr_streams(trace);

	view->types = graph_types_new(trace, file);
	view->has_calls = view->types != NULL;
	view->file = file;
	view->buffer = buffer;
	if (!view->has_calls)
		return;
	view->text = call_text_new(trace, view->file, view->buffer);
	view->stream_cpus = mem_array(nr + 1, sizeof(*view->stream_cpus));
	for (unsigned int i = 0; i < nr; i++)
		view->stream_cpus[i] = trace_stream_info(trace, i).cpu;
}

/* The first file that has calls, and its first buffer that has. */
static void find_calls(struct view *view)
{
	struct trace *trace = view->shared->trace;
	unsigned int buffer;

	for (unsigned int f = 0; f < trace_nr_files(trace) && !view->has_calls; f++)
		if (graph_has_calls(trace, f, &buffer))
			use_calls(view, f, buffer);
	view->known = view->has_calls || trace_status(trace).complete;
}

/* The calls of the file and buffer that a place is in, if it has some. */
static void follow(struct view *view, const struct place *place)
{
	struct trace *trace = view->shared->trace;
	unsigned int file = view->file, buffer = view->buffer;

	if (place->ref != TRACE_REF_NONE) {
		const struct trace_stream_info info = trace_stream_info(trace, trace_ref_stream(place->ref));

		file = info.file;
		buffer = info.buffer;
	} else if (place->pid >= 0) {
		file = place->file;
	}
	if (file == view->file && (buffer == view->buffer || !graph_buffer_has_calls(trace, file, buffer)))
		return;
	if (file != view->file && (place->ref == TRACE_REF_NONE || !graph_buffer_has_calls(trace, file, buffer)) &&
	    !graph_has_calls(trace, file, &buffer))
		return;
	drop_all(view);
	graph_rows_fini(&view->rows);
	graph_rows_init(&view->rows);
	view->pid = -1;
	view->at = view->top = 0;
	view->here = TRACE_REF_NONE;
	view->slow_step = 0;
	use_calls(view, file, buffer);
	view->known = true;
}

/* What was made with other filters goes.  True: they are others now. */
static bool take_filters(struct view *view)
{
	struct text key = { 0 };

	call_scope_key(view->shared, false, &key);
	if (!strcmp(text_str(&key), text_str(&view->scope_key))) {
		text_fini(&key);
		return false;
	}
	drop_window(view);
	view->slow_step = 0;
	view->rows.nr = 0;
	call_scope_drop(&view->scope);
	call_scope_take(&view->scope, view->shared, false);
	text_fini(&view->scope_key);
	view->scope_key = key;
	return true;
}

static void seek(struct view *view, int64_t ts)
{
	struct call_window_options options = {
		.trace = view->shared->trace, .types = view->types, .file = view->file, .buffer = view->buffer,
		.by_pid = !view->by_cpu, .pid = view->pid, .cpu = view->cpu,
	};

	take_filters(view);
	options.scope = view->scope.nr_filters ? &view->scope : NULL;
	call_window_free(view->window);
	view->window = call_window_new(&options);
	view->rows.nr = 0;
	view->version = view->story_start = 0;
	view->sought = ts;
	call_window_seek(view->window, ts);
	call_window_work(view->window, FIRST_SLICE_NS);
	app_work(view->app);
}

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
	drop_all(view);
	graph_rows_fini(&view->rows);
	free(view);
}

/* --- rows ----------------------------------------------------------------------------- */

const struct graph_row *graph_here(struct view *view)
{
	graph_refresh(view);
	return view->at < view->rows.nr ? &view->rows.rows[view->at] : NULL;
}

static void build(struct view *view)
{
	struct graph_roots roots = { .by_cpu = view->by_cpu, .cpu = view->cpu, .pid = view->pid, .stream_cpus = view->stream_cpus };

	view->rows.bare = view->shared->no_subtrees;
	graph_rows_build(&view->rows, call_window_tree(view->window), &roots, view->scope.nr_filters, view->shared->filters.dim);
	view->version = call_window_version(view->window);
	view->stale = false;
	graph_find_here(view);
}

void graph_show_call(struct view *view, uint32_t call)
{
	const struct call_tree *tree = call_window_tree(view->window);
	int row;

	graph_rows_reveal(&view->rows, tree, call);
	build(view);
	row = graph_rows_find(&view->rows, tree, call);
	if (row >= 0)
		graph_select(view, (unsigned int)row);
}

/* The task of the first call from a moment on, else of the first one of all; false: there is none. */
static bool find_task(const struct view *view, int64_t ts, int32_t *pid, int *cpu)
{
	struct graph_reader_options options = { 0 };
	struct graph_reader *reader = graph_reader_new(view->shared->trace, view->types, view->file, view->buffer, &options);
	struct graph_record record;
	bool found = false;

	for (int again = 0; again < 2 && !found; again++) {
		if (!again)
			graph_reader_seek(reader, ts);
		else
			graph_reader_seek(reader, INT64_MIN);
		while (!found && graph_reader_read(reader, &record, 1))
			found = record.kind == GRAPH_ENTRY || record.kind == GRAPH_EXIT;
	}
	if (found) {
		*pid = record.pid;
		*cpu = view->stream_cpus[record.stream];
	}
	graph_reader_free(reader);
	return found;
}

/* The task has no calls: that of the nearest one is shown instead. */
static void show_nearest(struct view *view, int64_t ts)
{
	struct text name = { 0 };
	int32_t pid;
	int cpu;

	if (view->by_cpu || view->scope.nr_filters || view->replaced || !find_task(view, ts, &pid, &cpu) ||
	    (pid == view->pid && (pid || cpu == view->cpu)))
		return;
	graph_task_name(view, view->pid, view->cpu, &name);
	app_message(view->app, "%s has no calls: these are of the task with the next one", text_str(&name));
	text_fini(&name);
	view->replaced = true;
	view->pid = pid;
	view->cpu = cpu;
	view->wanted = (struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = ts, .file = view->file, .pid = pid, .cpu = cpu };
	seek(view, ts);
}

/* What was to be shown is there: the cursor goes to it. */
static void arrive(struct view *view)
{
	struct place place = view->wanted;
	uint32_t call = place.ref != TRACE_REF_NONE ? graph_find_record(view, place.ref) : CALL_NONE;

	view->wanted = (struct place){ 0 };
	/* What happened outside of all calls has no row. */
	if (!call || (!call_tree_call(call_window_tree(view->window), call)->parent &&
		      !call_is_call(call_tree_call(call_window_tree(view->window), call))))
		call = graph_find_moment(view, place.ts);
	if (call)
		graph_show_call(view, call);
	else
		show_nearest(view, place.ts);
	view->replaced = false;
}

void graph_refresh(struct view *view)
{
	if (!view->window || !call_window_is_ready(view->window))
		return;
	if (view->stale || view->version != call_window_version(view->window))
		build(view);
	if (view->wanted.set)
		arrive(view);
	/* Another task took its place. */
	if (view->wanted.set && call_window_is_ready(view->window)) {
		build(view);
		arrive(view);
	}
}

/* --- places ---------------------------------------------------------------------------- */

/* Of a CPU without a task (lost events, ":7.5 cpu3"): the one that its next event is of. */
static void find_whose(const struct view *view, struct place *place)
{
	struct trace *trace = view->shared->trace;
	trace_ref ref = place->ref != TRACE_REF_NONE ? place->ref : trace_seek_time(trace, place->ts, place->cpu);
	struct trace_cursor *cursor;
	struct trace_event event;
	unsigned int buffer;
	bool found = false;

	if (ref == TRACE_REF_NONE)
		return;
	cursor = trace_cursor_new(trace);
	trace_cursor_only_stream(cursor, trace_ref_stream(ref));
	trace_cursor_seek(cursor, ref);
	while (!found && trace_cursor_next(cursor, &event))
		found = event.kind == TRACE_ROW_EVENT;
	if (found && graph_has_calls(trace, event.file, &buffer)) {
		place->pid = event.pid;
		place->file = event.file;
	}
	trace_cursor_free(cursor);
}

bool graph_go(struct view *view, const struct place *asked)
{
	struct place whose = *asked;
	const struct place *place = &whose;
	int64_t first, last;
	bool other;

	graph_compare_end(view);
	if (!view->known)
		find_calls(view);
	if (!view->has_calls)
		return false;
	if (!view->by_cpu && whose.pid < 0 && whose.cpu >= 0)
		find_whose(view, &whose);
	follow(view, place);
	if (!view->has_calls || (place->pid >= 0 && place->file != view->file))
		return false;
	other = !view->window;
	if (!view->by_cpu && place->pid >= 0 && (place->pid != view->pid || (!place->pid && place->cpu != view->cpu)))
		other = true;
	if (view->by_cpu && place->cpu >= 0 && place->cpu != view->cpu)
		other = true;
	if (place->pid >= 0)
		view->pid = place->pid;
	if (place->cpu >= 0 && (view->by_cpu || place->pid >= 0))
		view->cpu = place->cpu;
	if (view->pid < 0)
		view->pid = 0;
	view->wanted = *place;
	if (other || !call_window_span(view->window, &first, &last) ||
	    (place->ts < first && !call_window_at_start(view->window)) || (place->ts > last && !call_window_at_end(view->window)))
		seek(view, place->ts);
	graph_refresh(view);
	return true;
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

/* There is no room for more: another window, around the end of this one. */
static void go_beyond(struct view *view, bool forward)
{
	struct place place = view->last;
	int64_t first, last;

	if (!call_window_span(view->window, &first, &last))
		return;
	place.set = true;
	place.ref = TRACE_REF_NONE;
	place.ts = forward ? last : first;
	view->wanted = place;
	seek(view, place.ts);
}

/* More where one looks. */
static void extend(struct view *view)
{
	bool behind = view->at + NEAR_ROWS >= view->rows.nr && !call_window_at_end(view->window);
	bool before = view->at < NEAR_ROWS && !call_window_at_start(view->window) && view->upward;
	int beyond = view->beyond;

	if (!call_window_is_ready(view->window) || view->wanted.set)
		return;
	view->beyond = 0;
	view->upward = false;
	if (before) {
		if (!call_window_extend(view->window, false) && beyond < 0)
			go_beyond(view, false);
	} else if (behind && !call_window_extend(view->window, true) && beyond > 0) {
		go_beyond(view, true);
	}
}

static bool graph_work(struct view *view, int64_t ns)
{
	bool more = false;

	if (!view->known)
		find_calls(view);
	if (view->has_calls && !view->window)
		graph_go(view, &(struct place){ .set = true, .ref = TRACE_REF_NONE, .ts = view->shared->first, .pid = -1, .cpu = -1 });
	if (view->window) {
		extend(view);
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
	if (!take_filters(view) || !looked)
		return;
	/* While a filter is typed nothing may be left for a moment. */
	view->wanted = view->shared->anchored && view->shared->anchor.set ? view->shared->anchor : view->last;
	seek(view, view->wanted.set ? view->wanted.ts : view->shared->first);
}

static void graph_retrace(struct view *view)
{
	drop_all(view);
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
	seek(view, place.ts);
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
