/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * graph_window - the calls that the Graph view shows: their file, task and time, and the rows made
 * from them. Built in slices. Folds and the selection are kept by record.
 */
#include "ui/graph/view_graph.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/calls/graph_busiest.h"

#define FIRST_SLICE_NS	15000000	/* enough for most traces */
#define NEAR_ROWS	50		/* nearer to an end of the window, more is read */

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

void graph_drop(struct view *view)
{
	drop_window(view);
	call_scope_drop(&view->scope);
	call_text_free(view->text);
	graph_types_free(view->types);
	free(view->stream_cpus);
	view->text = NULL;
	view->types = NULL;
	view->stream_cpus = NULL;
	view->known = view->has_calls = view->has_cost = false;
}

void graph_reset(struct view *view)
{
	graph_drop(view);
	graph_rows_fini(&view->rows);
	graph_rows_init(&view->rows);
	view->pid = -1;
	view->lines.at = view->lines.top = 0;
	view->here = TRACE_REF_NONE;
	view->slow_step = 0;
}

/* Take the file and buffer whose calls are shown. The former ones are freed before. */
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

void graph_find_calls(struct view *view)
{
	struct trace *trace = view->shared->trace;
	bool complete = trace_status(trace).complete;	/* before they are looked for */
	unsigned int buffer;

	for (unsigned int f = 0; f < trace_nr_files(trace) && !view->has_calls; f++)
		if (graph_has_trees(trace, f, &buffer))
			use_calls(view, f, buffer);
	view->known = view->has_calls || complete;
	if (view->known && !view->has_calls)
		view->wanted.set = false;
}

/* Show the calls of the file and buffer of a place, if it has any. */
static void follow(struct view *view, const struct place *place)
{
	struct trace *trace = view->shared->trace;
	unsigned int file = view->file, buffer = view->buffer;

	if (place->ref != TRACE_REF_NONE) {
		const struct trace_stream_info info = trace_stream_info(trace, trace_ref_stream(
										       place->ref));

		file = info.file;
		buffer = info.buffer;
	} else if (place->pid >= 0) {
		file = place->file;
	}
	if (file == view->file &&
	    (buffer == view->buffer || !graph_buffer_has_trees(trace, file, buffer)))
		return;
	if (file != view->file &&
	    (place->ref == TRACE_REF_NONE || !graph_buffer_has_trees(trace, file, buffer)) &&
	    !graph_has_trees(trace, file, &buffer))
		return;
	if (view->window)
		graph_reset(view);
	else
		graph_drop(view);	/* folds of last time stay */
	use_calls(view, file, buffer);
	view->known = true;
}

bool graph_take_filters(struct view *view)
{
	if (!call_scope_changed(&view->scope, view->shared, false))
		return false;
	drop_window(view);
	view->slow_step = 0;
	view->rows.nr = 0;
	call_scope_take(&view->scope, view->shared, false);
	return true;
}

void graph_seek(struct view *view, int64_t ts)
{
	struct call_window_options options = {
		.trace = view->shared->trace, .types = view->types, .file = view->file,
		.buffer = view->buffer,
		.by_pid = !view->by_cpu, .pid = view->pid, .cpu = view->cpu,
	};

	graph_take_filters(view);
	options.scope = call_scope_of_calls(&view->scope);
	call_window_free(view->window);
	view->window = call_window_new(&options);
	view->rows.nr = 0;
	view->version = view->story_start = 0;
	view->sought = ts;
	call_window_seek(view->window, ts);
	call_window_work(view->window, FIRST_SLICE_NS);
	host_work(view->host);
}

/* --- rows ----------------------------------------------------------------------------- */

const struct graph_row *graph_here(struct view *view)
{
	graph_refresh(view);
	return view->lines.at < view->rows.nr ? &view->rows.rows[view->lines.at] : NULL;
}

static void build(struct view *view)
{
	struct graph_roots roots = { .by_cpu = view->by_cpu,
				     .cpu = view->cpu,
				     .pid = view->pid,
				     .stream_cpus = view->stream_cpus };

	view->rows.bare = view->shared->chosen.no_subtrees;
	graph_rows_build(&view->rows, call_window_tree(view->window), &roots,
			 view->scope.of.nr_filters, view->shared->chosen.filters.dim);
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

/* The task of the first call at or after a time, else of the first call; false if there is none. */
static bool find_task(const struct view *view, int64_t ts, int32_t *pid, int *cpu)
{
	struct graph_reader_options options = { .slices = true };
	struct graph_reader *reader = graph_reader_new(view->shared->trace, view->types, view->file,
						       view->buffer, &options);
	struct graph_record record;
	bool found = false;

	for (int again = 0; again < 2 && !found; again++) {
		if (!again)
			graph_reader_seek(reader, ts);
		else
			graph_reader_seek(reader, INT64_MIN);
		while (!found && graph_reader_read(reader, &record, 1))
			found = record.kind <= GRAPH_SLICE;
	}
	if (found) {
		*pid = record.pid;
		*cpu = view->stream_cpus[record.stream];
	}
	graph_reader_free(reader);
	return found;
}

/* The task has no calls: show the task of the nearest call. */
static void show_nearest(struct view *view, int64_t ts)
{
	struct text name = { 0 };
	int32_t pid;
	int cpu;

	if (view->by_cpu || view->scope.of.nr_filters || view->replaced ||
	    !find_task(view, ts, &pid, &cpu) || (pid == view->pid && (pid || cpu == view->cpu)))
		return;
	graph_task_name(view, view->pid, view->cpu, &name);
	host_message(view->host,
		     "%s has no calls: these are calls of the task that has the next "
		     "one",
		     text_str(&name));
	text_fini(&name);
	view->replaced = true;
	view->pid = pid;
	view->cpu = cpu;
	view->wanted = (struct place){ .set = true,
				       .ref = TRACE_REF_NONE,
				       .ts = ts,
				       .file = view->file,
				       .pid = pid,
				       .cpu = cpu };
	graph_seek(view, ts);
}

/* Because the trace grew: the cursor stays at a call's end, and on a closed group that it is in. */
static void show_again(struct view *view, uint32_t call)
{
	bool at_end = view->here_kind == GRAPH_ROW_END &&
		      graph_find_record(view, view->here) == call;

	if (graph_is_here(view, call))
		return;
	graph_show_call(view, call);
	if (!at_end)
		return;
	view->here_kind = GRAPH_ROW_END;
	graph_find_here(view);
}

/* The requested call is loaded: move the cursor to it. */
static void arrive(struct view *view)
{
	struct place place = view->wanted;
	uint32_t call = place.ref != TRACE_REF_NONE ? graph_find_record(view, place.ref) :
						      CALL_NONE;

	view->wanted = (struct place){ 0 };
	/* events outside all calls have no row */
	if (!call || (!call_tree_call(call_window_tree(view->window), call)->parent &&
		      !call_is_call(call_tree_call(call_window_tree(view->window), call))))
		call = graph_find_moment(view, place.ts);
	if (call && view->grew)
		show_again(view, call);
	else if (call)
		graph_show_call(view, call);
	else
		show_nearest(view, place.ts);
	view->replaced = view->grew = false;
}

void graph_refresh(struct view *view)
{
	if (!view->window || !call_window_is_ready(view->window))
		return;
	if (view->stale || view->version != call_window_version(view->window))
		build(view);
	if (view->wanted.set)
		arrive(view);
	/* another task is shown instead */
	if (view->wanted.set && call_window_is_ready(view->window)) {
		build(view);
		arrive(view);
	}
}

/* --- places ---------------------------------------------------------------------------- */

/* For a CPU without a task (lost events, ":7.5 cpu3"), take the task of its next event. */
static void find_whose(const struct view *view, struct place *place)
{
	struct trace *trace = view->shared->trace;
	trace_ref ref = place->ref != TRACE_REF_NONE ?
				place->ref :
				trace_seek_time(trace, place->ts, place->cpu);
	struct trace_cursor *cursor;
	struct trace_event event;
	unsigned int buffer;
	bool found = false;

	if (ref == TRACE_REF_NONE)
		return;
	cursor = trace_cursor_of_stream(trace, trace_ref_stream(ref));
	trace_cursor_seek(cursor, ref);
	while (!found && trace_cursor_next(cursor, &event))
		found = trace_is_event(&event);
	if (found &&
	    (graph_has_trees(trace, event.file, &buffer) || !trace_status(trace).complete)) {
		place->pid = event.pid;
		place->file = event.file;
	}
	trace_cursor_free(cursor);
}

#define FEW	10u			/* the busiest task has that many times the calls */

/* Where nobody has moved yet, a task with hardly a call gives way to the one that called most. */
static void choose_task(struct view *view, struct place *place)
{
	struct trace *trace = view->shared->trace;
	struct graph_busiest busiest;
	struct text name = { 0 };
	uint64_t calls;

	if (view->window || view->by_cpu || place->pid < 0 || place->file != view->file ||
	    place->ref != trace_first(trace) || place_same(place, &view->last) ||
	    !graph_find_busiest(trace, view->types, view->file, view->buffer, place->pid, &busiest,
				&calls) ||
	    calls >= busiest.calls / FEW)
		return;
	*place = shared_place(view->shared, busiest.ref);
	text_printf(&name, "%s-%d", trace_comm(trace, view->file, busiest.pid, place->ts),
		    busiest.pid);
	host_message(view->host, "%s has the most calls at first; p picks a task", text_str(&name));
	text_fini(&name);
}

/* The page directory may still find calls at a place. */
static bool is_early(const struct view *view, const struct place *place)
{
	struct trace *trace = view->shared->trace;
	struct trace_stream_info info;
	unsigned int buffer;

	if (trace_status(trace).complete)
		return false;
	if (place->ref == TRACE_REF_NONE)
		return place->pid < 0 ? !view->has_calls :
					!graph_has_trees(trace, place->file, &buffer);
	info = trace_stream_info(trace, trace_ref_stream(place->ref));
	return !graph_buffer_has_trees(trace, info.file, info.buffer);
}

/* Nothing is shown until calls are found: then graph_begin() goes there. */
static void wait_for_calls(struct view *view, const struct place *place)
{
	drop_window(view);
	view->slow_step = 0;
	view->wanted = *place;
}

void graph_begin(struct view *view)
{
	const struct place asked = view->wanted;
	struct place moment = { .set = true, .ref = TRACE_REF_NONE, .pid = -1, .cpu = -1 };

	moment.ts = asked.set ? asked.ts : view->shared->at.first;
	if (!asked.set || !graph_go(view, &asked))
		graph_go(view, &moment);
}

bool graph_go(struct view *view, const struct place *asked)
{
	struct place whose = *asked;
	const struct place *place = &whose;
	int64_t first, last;
	bool other;

	graph_compare_end(view);
	if (!view->known)
		graph_find_calls(view);
	if (!view->by_cpu && whose.pid < 0 && whose.cpu >= 0)
		find_whose(view, &whose);
	if (is_early(view, place)) {
		wait_for_calls(view, asked);
		return true;
	}
	if (!view->has_calls)
		return false;
	follow(view, place);
	if (!view->has_calls || (place->pid >= 0 && place->file != view->file))
		return false;
	choose_task(view, &whose);
	other = !view->window;
	if (!view->by_cpu && place->pid >= 0 &&
	    (place->pid != view->pid || (!place->pid && place->cpu != view->cpu)))
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
	view->grew = false;
	if (other || !call_window_span(view->window, &first, &last) ||
	    (place->ts < first && !call_window_at_start(view->window)) ||
	    (place->ts > last && !call_window_at_end(view->window)))
		graph_seek(view, place->ts);
	graph_refresh(view);
	return true;
}

/* False: all of its call is gone. */
static bool follow_fold(const struct view *view, struct graph_fold *fold)
{
	const struct trace *trace = view->shared->trace;
	uint32_t n;

	if (!trace_is_dropped(trace, fold->key))
		return true;
	n = graph_find_record(view, fold->key);
	fold->key = n ? call_tree_call(call_window_tree(view->window), n)->exit : TRACE_REF_NONE;
	return fold->key != TRACE_REF_NONE && !trace_is_dropped(trace, fold->key);
}

void graph_keep_folds(struct view *view)
{
	struct graph_rows *rows = &view->rows;
	uint32_t nr = rows->nr_folds;
	struct graph_fold *folds;

	if (!view->window || !nr)
		return;
	folds = mem_array(nr, sizeof(*folds));
	memcpy(folds, rows->folds, nr * sizeof(*folds));
	graph_rows_forget(rows, rows->levels);
	for (uint32_t i = 0; i < nr; i++)
		if (follow_fold(view, &folds[i]))
			graph_rows_take_fold(rows, &folds[i]);
	free(folds);
}

/* --- more ------------------------------------------------------------------------------ */

/* The window is full: make another one around its end. */
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
	graph_seek(view, place.ts);
}

void graph_extend(struct view *view)
{
	bool behind = view->lines.at + NEAR_ROWS >= view->rows.nr &&
		      !call_window_at_end(view->window);
	bool before = view->lines.at < NEAR_ROWS && !call_window_at_start(view->window) &&
		      view->upward;
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
