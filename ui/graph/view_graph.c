/* SPDX-License-Identifier: GPL-2.0-or-later */
/* view_graph - the calls of a task, or of a CPU, as a tree around the moment under the cursor. */
#include "ui/graph/view_graph.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/rows/kept.h"
#include "ui/rows/slow.h"
#include "ui/view/no_calls.h"

/* --- its life ---------------------------------------------------------------------------- */

static struct view *graph_open(const struct view_ops *ops, const struct view_host *host,
			       struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	(void)ops;
	view->host = host;
	view->shared = shared;
	view->pid = -1;
	graph_rows_init(&view->rows);
	return view;
}

static void graph_close(struct view *view)
{
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

	shared->at.here = view->wanted;
	if (!row)
		return;
	if (!view->wanted.set)
		shared->at.here = view->last = graph_place(view, row, row->kind == GRAPH_ROW_END);
	bottom = view->lines.top + (view->lines.height ? view->lines.height - 1 : 0);
	if (bottom >= view->rows.nr)
		bottom = view->rows.nr - 1;
	shared->at.here_line = view->lines.at - view->lines.top;
	shared->at.has_window = true;
	shared->at.window_from =
		graph_place(view,
			    &view->rows.rows[view->lines.top < bottom ? view->lines.top : bottom],
			    false)
			.ts;
	shared->at.window_to = graph_place(view, &view->rows.rows[bottom], true).ts;
	/* the longest may come first */
	for (unsigned int i = view->lines.top; i <= bottom; i++) {
		ts = graph_place(view, &view->rows.rows[i], false).ts;
		shared->at.window_from = ts < shared->at.window_from ? ts : shared->at.window_from;
		shared->at.window_to = ts > shared->at.window_to ? ts : shared->at.window_to;
	}
}

/* Begin or end of the row under the cursor. */
static bool graph_span(struct view *view, bool end, struct place *place)
{
	const struct graph_row *row = graph_here(view);

	if (!row)
		return false;
	*place = graph_place(view, row, end);
	/* siblings in one row begin with the first of them */
	for (uint32_t i = 0; !end && i < row->nr; i++) {
		const struct call *member = call_tree_call(call_window_tree(view->window),
							   view->rows.members[row->members + i]);

		if (call_text_start(view->text, member) >= place->ts)
			continue;
		place->ts = call_text_start(view->text, member);
		place->ref = call_key(member);
		place->cpu = call_text_cpu(view->text, member, false);
	}
	return true;
}

/* --- work ---------------------------------------------------------------------------------- */

static bool graph_work(struct view *view, int64_t ns)
{
	bool more = false;

	if (!view->known)
		graph_find_calls(view);
	if (view->has_calls && !view->window)
		graph_begin(view);
	if (view->window) {
		graph_extend(view);
		more = call_window_work(view->window, ns);
		graph_refresh(view);
	}
	if (view->slow_step && view->slow && slow_places_are_done(view->slow))
		graph_step_to_slow(view);
	return more || view->slow_step;
}

static bool graph_searches(struct view *view, bool stop)
{
	bool runs = view->slow_step;

	view->slow_step = stop ? 0 : view->slow_step;
	return runs;
}

bool graph_has_net(const struct view *view)
{
	return graph_tells_away(view->shared->trace, view->file, view->buffer);
}

bool graph_waits(struct view *view)
{
	return !view->rows.nr &&
	       (!view->known ||
		(view->has_calls && (!view->window || !call_window_is_ready(view->window))));
}

static void graph_work_text(struct view *view, struct text *out)
{
	if (view->slow_step && view->slow)
		text_printf(out, "looking for slow calls: %u %%",
			    slow_places_permille(view->slow) / 10);
	else if (view->window && !call_window_is_ready(view->window))
		text_add(out, "reading calls …");
}

static bool graph_progressed(struct view *view)
{
	if (view->slow_step || graph_waits(view))
		host_work(view->host);
	return !view->known;
}

static void graph_changed(struct view *view)
{
	bool looked = view->window,
	     grew = call_scope_changed(&view->scope, view->shared, false) == CALL_SCOPE_GREW;

	view->stale = true;
	if (!view->has_calls)		/* what was recorded meanwhile may have some */
		graph_find_calls(view);
	if (grew && trace_has_dropped(view->shared->trace))
		graph_keep_folds(view);
	if (!graph_take_filters(view) || !looked)
		return;
	view->grew = grew && !view->shared->at.anchored;
	/* while a filter is typed, it may keep nothing for a moment */
	if (view->shared->at.anchored && view->shared->at.anchor.set)
		view->wanted = view->shared->at.anchor;
	else if (!view->wanted.set)
		view->wanted = view->last;
	graph_seek(view, view->wanted.set ? view->wanted.ts : view->shared->at.first);
}

static void graph_retrace(struct view *view)
{
	graph_reset(view);
	view->side = 0;
	view->wanted = (struct place){ 0 };
}

/* --- lists, tasks, text --------------------------------------------------------------------- */

static bool graph_pick_task(struct view *view, unsigned int file, int pid)
{
	struct place place = view->shared->at.here;
	struct trace *trace = view->shared->trace;
	unsigned int buffer;

	if (!view->known)
		graph_find_calls(view);
	if ((view->known && !view->has_calls) ||
	    (file != view->file && trace_status(trace).complete &&
	     !graph_has_trees(trace, file, &buffer)))
		return false;
	view->by_cpu = false;
	place.set = true;
	place.ref = TRACE_REF_NONE;
	place.pid = pid;
	place.file = file;
	if (!place.ts)
		place.ts = view->shared->at.first;
	host_jump_to(view->host, &place);
	return true;
}

static const struct list_tab all_lists[] = { { 't', "by task" }, { 'c', "by CPU" }, { 0, NULL } };

static char graph_list(struct view *view)
{
	return view->by_cpu ? 'c' : 't';
}

static bool graph_choose_list(struct view *view, char letter)
{
	struct place place = view->shared->at.here;

	if (view->by_cpu == (letter == 'c'))
		return true;
	view->by_cpu = letter == 'c';
	if (!view->window)
		return true;
	if (!place.set)
		place = (struct place){ .set = true, .ref = TRACE_REF_NONE,
					.ts = view->shared->at.first, .pid = view->pid,
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
	if (graph_call(view, row)->inferred)
		return;
	text_add(out, "  ");
	slow_by_net(view->shared, view->file);
	slow_text(view->shared, out);
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
	enum request wheel = list_window_wheel(mouse);
	int row = list_window_pressed(&view->lines, mouse, view->rows.nr);

	if (wheel != REQ_NONE)
		graph_request(view, wheel, 0);
	if (row < 0 || view->compare)
		return;
	graph_select(view, (unsigned int)row);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		graph_request(view, REQ_ENTER, 0);
}

static bool graph_can(struct view *view, enum request request)
{
	if (view->rows.nr)
		return true;
	if (view->has_calls && (request == REQ_SLOW_NEXT || request == REQ_PICK_TASK))
		return true;
	return request == REQ_FILTER && view->scope.of.nr_filters;
}

/* A fold is three numbers: key, group, open. */
static void graph_save(struct view *view, struct text *out)
{
	const struct graph_rows *rows = &view->rows;
	uint64_t *numbers = mem_array(rows->nr_folds + 1, 3 * sizeof(*numbers));

	for (uint32_t i = 0; i < rows->nr_folds; i++) {
		numbers[3 * i] = rows->folds[i].key;
		numbers[3 * i + 1] = rows->folds[i].group;
		numbers[3 * i + 2] = rows->folds[i].open;
	}
	if (rows->levels)
		kept_add_numbers(out, "levels", &(uint64_t){ rows->levels }, 1);
	if (rows->nr_folds)
		kept_add_numbers(out, "folds", numbers, 3 * rows->nr_folds);
	free(numbers);
	graph_save_columns(view, out);
}

static void graph_restore(struct view *view, const char *key, const char *value)
{
	uint64_t numbers[KEPT_MAX_NUMBERS];
	unsigned int nr = kept_numbers(value, numbers);

	graph_restore_columns(view, key, value);
	if (!strcmp(key, "levels") && nr == 1)
		graph_rows_forget(&view->rows, (uint32_t)numbers[0]);
	for (unsigned int i = 0; !strcmp(key, "folds") && i + 2 < nr; i += 3)
		graph_rows_take_fold(&view->rows,
				     &(struct graph_fold){ numbers[i], numbers[i + 1],
							   (uint8_t)numbers[i + 2] });
	view->stale = true;
}

/* The comparison of two calls has its own keys. */
static const char *graph_pending_hint(struct view *view)
{
	return view->compare ? "Enter Below  u Above  = q Back to the tree  ? Help" : NULL;
}

static const enum request row_requests[] = {
	REQ_ENTER,       REQ_RIGHT,      REQ_LEFT,       REQ_PARENT,    REQ_HEAVIEST,
	REQ_HOT_PATH,    REQ_SLOW_NEXT,  REQ_SLOW_PREV,  REQ_MARK_A,     REQ_MARK_B,    REQ_COMPARE,
	REQ_KERNEL_TEXT, REQ_ONLY,       REQ_WITHOUT,    REQ_COPY,      REQ_NONE
};

static const enum request bar[] = {
	REQ_ENTER, REQ_WHY, REQ_HOT_PATH, REQ_MORE, REQ_FILTER, REQ_PICK_TASK, REQ_BACK, REQ_RECORD,
	REQ_HELP, REQ_SLOW_NEXT, REQ_THRESHOLD, REQ_HEAVIEST, REQ_PARENT, REQ_SEARCH,
	REQ_GO, REQ_MARK_A, REQ_MARK_B, REQ_COLUMNS, REQ_COMPARE, REQ_KERNEL_TEXT,
	REQ_DETAIL, REQ_SPLIT, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "Fold", "open or close this call; a row of several calls opens with the "
		"longest first" },
	{ REQ_RIGHT, NULL, "open this call" },
	{ REQ_LEFT, NULL, "close this call; if it is closed, go to its caller" },
	{ REQ_FOLD_OPEN, NULL, "open this call, or close it" },
	{ REQ_OPEN_ALL, NULL, "open all calls; again closes them" },
	{ REQ_MORE, "Deeper", "open one more level everywhere" },
	{ REQ_LESS, NULL, "close one level everywhere" },
	{ REQ_RESET, NULL, "close all calls and scroll the text back to its start" },
	{ REQ_TRACK_NEXT, "Sibling", NULL },
	{ REQ_SLOW_NEXT, NULL, "go to the next innermost call of at least the threshold, of any "
		"task" },
	{ REQ_SLOW_PREV, NULL, "go to the previous innermost call of at least the threshold" },
	{ REQ_PICK_TASK, NULL, "choose a task and show its calls" },
	{ REQ_NEXT_LIST, NULL, "show calls by task, or by CPU" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: t by task, c by CPU" },
	{ REQ_COMPARE, NULL, "compare this call with the one at A, child by child; Enter goes to "
		"the next level, = or q returns" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = graph_can,
	.pending_hint = graph_pending_hint,
};

static bool has(const struct shared *shared)
{
	unsigned int buffer, nr = trace_nr_files(shared->trace);

	for (unsigned int f = 0; f < nr; f++)
		if (graph_has_trees(shared->trace, f, &buffer))
			return true;
	return false;
}

const struct view_ops view_graph_ops = {
	.open = graph_open,
	.close = graph_close,
	.has = has,
	.draw = graph_draw,
	.header = graph_header,
	.publish = graph_publish,
	.request = graph_request,
	.is_open = graph_is_open,
	.mouse = graph_mouse,
	.go = graph_go,
	.retrace = graph_retrace,
	.changed = graph_changed,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .say = graph_say },
	.lists = &(const struct view_lists){
		.all = all_lists, .shown = graph_list, .choose = graph_choose_list,
	},
	.columns = &(const struct view_columns){
		.count = graph_nr_columns, .name = graph_column, .toggle = graph_toggle_column,
	},
	.moments = &(const struct view_moments){ .span = graph_span },
	.kept = &(const struct view_kept){ .save = graph_save, .restore = graph_restore },
	.search = &(const struct view_search){
		.find = graph_find, .runs = graph_searches, .pick_task = graph_pick_task,
	},
	.commands = &(const struct view_commands){
		.command = graph_command, .save_row = graph_save_row, .record = graph_record,
	},
	.work = &(const struct view_work){
		.slice = graph_work, .text = graph_work_text, .progressed = graph_progressed,
		.waits = graph_waits,
	},
};
