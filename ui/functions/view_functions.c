/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_functions - the calls of the range by function. A worker counts them while the view is
 * shown; partial results are shown.
 */
#include "ui/functions/view_functions.h"

#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/functions/function_columns.h"
#include "ui/rows/kept.h"
#include "ui/view/no_calls.h"

/* --- what is counted --------------------------------------------------------------- */

static void drop_table(struct view *view)
{
	function_table_free(view->table);
	table_fini(&view->lines);
	functions_flame_drop(view);
	view->table = NULL;
	functions_drop_relatives(view);
}

static void stop(struct view *view)
{
	function_job_free(view->job);
	view->job = NULL;
}

/* Find calls in the requested file, else in the next file that has some. */
static void find_calls(struct view *view)
{
	struct trace *trace = view->shared->trace;
	bool complete = trace_status(trace).complete;	/* before they are looked for */
	unsigned int buffer, nr = trace_nr_files(trace), first = view->file % nr;

	for (unsigned int i = 0; i < nr && !view->has_calls; i++) {
		view->file = (first + i) % nr;
		view->has_calls = graph_has_calls(trace, view->file, &buffer);
	}
	if (!view->has_calls)
		view->file = first;
	view->known = view->has_calls || complete;
}

/* No job uses it. */
static void drop_past(struct view *view)
{
	call_past_free(view->past);
	view->past = NULL;
}

static void begin(struct view *view)
{
	struct trace *trace = view->shared->trace;
	const struct graph_scope *scope = call_scope_of_calls(&view->scope);

	if (!call_past_serves(trace, view->file, scope))
		drop_past(view);
	else if (!view->past)
		view->past = call_past_new(trace, view->file, FUNCTION_TREE_CALLS);
	view->job = function_job_new(trace, view->file, scope, GROUPING_NONE, view->past,
				     trace_workers(trace));
}

static void take_table(struct view *view, struct function_table *table)
{
	drop_table(view);
	view->table = table;
	view->groups.now.stale = true;
	/* without times, sort by the number of calls */
	if (table->inferred && view->order[0].column == FUNCTION_TOTAL)
		view->order[0].column = FUNCTION_CALLS;
	if (table->inferred)
		view->flame.measure = FLAME_CALLS;
	functions_sort(view);
	functions_measure(view);
	if (view->grows && view->list != 'i')
		functions_instances_grow(view);
	/* the instances of the former scope are gone */
	if (view->table->nr && !view->instances && (view->open_known || view->list == 'i'))
		functions_instances_want(view, view->list == 'i' ?
						       functions_here(view)->total->address :
						       view->open);
}

/* --- keys ------------------------------------------------------------------------------ */

static bool functions_request(struct view *view, enum request request, char letter)
{
	const struct function_row *row = functions_function_here(view);

	if (view->list == 'f' || functions_is_stacks(view))
		return functions_flame_request(view, request, letter);
	if (view->list == 't')
		return functions_table_request(view, request, letter);
	if (row && (request == REQ_ONLY || request == REQ_WITHOUT))
		return functions_filter(view, row->name, letter, request == REQ_WITHOUT), true;
	return functions_instances_request(view, request, letter);
}

static bool functions_find(struct view *view, const struct find *find)
{
	if (find->kind != FIND_PATTERN || !view->shared->chosen.pattern)
		return false;
	if (functions_is_stacks(view))
		return functions_flame_refresh(view) && functions_flame_find(view, find->forward);
	if (!view->table || !view->table->nr)
		return false;
	if (view->list == 'f')
		return functions_flame_find(view, find->forward);
	return table_find(&view->lines, find);
}

/* --- life ------------------------------------------------------------------------------ */

/* @grew: what the next count can go on from stays. */
static void drop_below_table(struct view *view, bool grew)
{
	functions_compare_drop(view);
	functions_groups_stop(view);
	view->flame.grew = grew;
	if (grew) {
		functions_instances_stop(view);
		functions_stacks_grow(view);
	} else {
		functions_instances_drop(view);
		functions_stacks_drop(view);
	}
}

static void drop_all(struct view *view, bool grew)
{
	stop(view);
	view->grows = false;
	drop_table(view);
	drop_below_table(view, grew);
	functions_groups_drop(view);
	if (!grew)
		drop_past(view);
}

/*
 * The trace grew: count it again; the list of a function's calls stays as it is.  False: there is
 * no complete table to show meanwhile.
 */
static bool grow(struct view *view)
{
	if (!view->table || view->lines.comparing || (view->job && !view->grows))
		return false;
	if (view->grows || view->list == 'i')
		return true;
	drop_below_table(view, true);
	call_scope_take(&view->scope, view->shared, true);
	view->grows = true;
	return true;
}

/* The range or a filter changed: count again when the view is shown. */
static void functions_changed(struct view *view)
{
	enum call_scope_change change = call_scope_changed(&view->scope, view->shared, true);

	if (!view->has_calls)		/* what was recorded meanwhile may have some */
		find_calls(view);
	if (!view->stacks.of_waits)
		functions_stacks_look(view);
	if (change == CALL_SCOPE_SAME || (change == CALL_SCOPE_GREW && grow(view)))
		return;
	drop_all(view, change == CALL_SCOPE_GREW);
	call_scope_take(&view->scope, view->shared, true);
	view->lines.comparing &= shared_can_compare(view->shared);
}

static struct view *functions_open(const struct view_ops *ops, const struct view_host *host,
				   struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	(void)ops;
	view->host = host;
	view->shared = shared;
	functions_lines_init(view);
	functions_instances_init(view);
	view->list = 't';
	return view;
}

static void functions_close(struct view *view)
{
	drop_all(view, false);
	call_scope_drop(&view->scope);
	functions_flame_fini(view);
	folds_fini(&view->groups.folds);
	free(view->open_callers.list);
	free(view->open_callees.list);
	free(view->callers.list);
	free(view->callees.list);
	free(view);
}

static void functions_left(struct view *view)
{
	if (view->job)
		function_job_hold(view->job, true);
	if (view->compare.job)
		function_job_hold(view->compare.job, true);
	functions_groups_hold(view);
}

static bool functions_work(struct view *view, int64_t ns)
{
	(void)ns;
	functions_changed(view);
	if (view->known && !view->has_calls && view->stacks.any && !functions_is_stacks(view))
		view->list = view->stacks.of_waits ? 'o' : 'e';
	functions_stacks_work(view);
	if (view->has_calls && view->job)
		function_job_hold(view->job, false);
	else if (view->has_calls && (!view->table || view->grows))
		begin(view);
	if (view->compare.job)
		function_job_hold(view->compare.job, false);
	else
		functions_compare_work(view);
	functions_groups_work(view);
	return false;
}

static bool functions_progressed(struct view *view)
{
	struct function_table *table;
	bool is_done, found = functions_instances_progressed(view),
		      compared = functions_compare_progressed(view),
		      grouped = functions_groups_progressed(view),
		      counted = functions_stacks_progressed(view),
		      looks = !view->known || !view->stacks.known;

	if (looks)
		host_work(view->host);
	if (!view->job)
		return looks || found || compared || grouped || counted;
	is_done = function_job_permille(view->job) == 1000;
	table = view->grows && !is_done ? NULL : function_job_take(view->job);
	if (table)
		take_table(view, table);
	if (table && view->grows)
		functions_leave_gone(view);
	if (is_done) {
		stop(view);
		view->grows = false;
		if (view->groups.by)
			host_work(view->host);
	}
	return true;
}

static void functions_retrace(struct view *view)
{
	drop_all(view, false);
	call_scope_drop(&view->scope);
	view->lines.comparing = false;
	view->open = 0;
	view->list = view->list == 'i' ? 't' : view->list;
	view->known = view->has_calls = view->stacks.known = false;
	table_home(&view->lines);
}

/* If it has calls, or may turn out to have some. */
static void functions_show_file(struct view *view, unsigned int file)
{
	struct trace *trace = view->shared->trace;
	unsigned int buffer;

	if (file == view->file ||
	    (trace_status(trace).complete && !graph_has_calls(trace, file, &buffer)))
		return;
	functions_retrace(view);
	view->file = file;
	host_work(view->host);
}

static void functions_header(struct view *view, struct text *out)
{
	if (functions_is_stacks(view))
		text_printf(out, "stacks of %s, level %u",
			    functions_is_events(view) ? "events" : "waits", view->flame.nr_way);
	else if (!view->table || !view->table->nr)
		return;
	else if (view->list == 'f')
		text_printf(out, "flame graph, level %u", view->flame.nr_way);
	else if (view->list == 'i')
		text_printf(out, "call %u of %u", view->calls.window.at + 1, view->calls.nr);
	else if (functions_line(view, view->lines.window.at).kind == LINE_FUNCTION)
		text_printf(out, "%s %u of %u", functions_has_groups(view) ? "row" : "function",
			    functions_line(view, view->lines.window.at).index + 1, view->lines.nr);
	else
		text_printf(out, "below function %u",
			    table_place(&view->lines, view->lines.window.at) + 1);
}

static char functions_list(struct view *view)
{
	return functions_letter(view);
}

/* To the table of the next file that has calls; false: there is none. */
static bool next_file(struct view *view)
{
	unsigned int nr = trace_nr_files(view->shared->trace), former = view->file;

	for (unsigned int i = 1; i < nr && view->file == former; i++)
		functions_show_file(view, (former + i) % nr);
	if (view->file != former)
		view->list = 't';
	return view->file != former;
}

/* All lists keep the function under the cursor. */
static bool functions_choose_list(struct view *view, char letter)
{
	const struct function_row *row;

	if (letter == 'n')
		return next_file(view);
	if (letter == 't' || functions_grouping(letter)) {
		functions_group_by(view, functions_grouping(letter));
		letter = 't';
	}
	if (letter == view->list)
		return true;
	if (strchr("owbe", letter)) {
		if (!functions_has_list(view, letter))
			return false;
		view->list = letter;
		functions_flame_drop(view);
		view->flame.grew = false;
		host_work(view->host);
		return true;
	}
	if (!functions_has_list(view, letter)) {
		host_message(view->host, "no calls were recorded: %s",
			     view->stacks.of_waits ? "o o is the flame graph of waits" :
						     "o e is the flame graph of events' stacks");
		return true;
	}
	if (functions_is_stacks(view))
		functions_flame_drop(view);
	if (view->list == 'f' && view->flame.nr_way) {
		view->lines.here = view->flame.way[view->flame.nr_way - 1];
		view->lines.has_here = true;
		functions_sort(view);
	}
	row = functions_here(view);
	if (letter == 'i' && !row)
		return false;
	view->list = letter;
	view->flame.grew = false;
	if (letter == 'f' && view->lines.has_here)
		functions_flame_function(view, row ? row->total->address : 0);
	if (letter == 'i')
		functions_instances_want(view, row->total->address);
	return true;
}

static void functions_command(struct view *view, struct text *out)
{
	text_add(out, view->list == 'f' ? "functions --folded" :
		      view->list == 'o' ? "stacks --off-cpu --folded" :
		      view->list == 'w' ? "stacks --waker --folded" :
		      view->list == 'b' ? "stacks --both --folded" :
		      view->list == 'e' ? "stacks --events --folded" :
					  "functions");
	if (view->list == 't' && view->groups.by)
		text_printf(out, " --by=%s", groupings[view->groups.by].option);
}

/* Tables are saved by themselves. */
static bool functions_save_row(struct view *view, uint64_t i, struct text *out)
{
	return (view->list == 'f' || functions_is_stacks(view)) &&
	       functions_flame_save_row(view, i, out);
}

static int functions_detail_rows(struct view *view, int normal, int most)
{
	(void)most;
	return normal && (functions_here(view) || functions_is_stacks(view)) ?
		       1 + (normal > 2 ? 2 : normal) :
		       0;
}

static void functions_mouse(struct view *view, const struct ui_mouse *mouse)
{
	if (view->list != 'f' && !functions_is_stacks(view))
		table_mouse(view->list == 'i' ? &view->calls : &view->lines, mouse);
	else if (mouse->kind == UI_MOUSE_WHEEL_UP || mouse->kind == UI_MOUSE_WHEEL_DOWN)
		functions_flame_request(view, mouse->kind == UI_MOUSE_WHEEL_UP ? REQ_UP : REQ_DOWN,
					0);
	else if (mouse->kind == UI_MOUSE_PRESS || mouse->kind == UI_MOUSE_DOUBLE)
		functions_flame_click(view, mouse->row - view->body_top, mouse->col - 1,
				      mouse->kind == UI_MOUSE_DOUBLE);
}

static bool functions_can(struct view *view, enum request request)
{
	return functions_here(view) || functions_is_stacks(view) ||
	       (request == REQ_FILTER && filters_active(&view->shared->chosen.filters));
}

static const char *functions_record(struct view *view)
{
	return view->known && !view->has_calls && !view->stacks.any ? NO_CALLS_RECORD : NULL;
}

/* The flame graph has its own keys. */
static const char *functions_pending_hint(struct view *view)
{
	return view->list == 'f' || functions_is_stacks(view) ?
		       "Enter Zoom  - Out  h Caller  l Callee  ] Wide  > By  / Search  ? Help" :
		       NULL;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_PARENT, REQ_HEAVIEST, REQ_HOT_PATH, REQ_SLOW_NEXT, REQ_SLOW_PREV,
	REQ_MORE, REQ_LESS, REQ_SORT, REQ_SIDE_RIGHT, REQ_SIDE_LEFT, REQ_SORT_INVERT,
	REQ_ONLY, REQ_WITHOUT, REQ_FOLD_OPEN, REQ_OPEN_ALL, REQ_COPY, REQ_NONE
};

static const enum request bar[] = { REQ_ENTER,     REQ_SORT,      REQ_MORE,   REQ_FILTER,
				    REQ_PICK_TASK, REQ_NEXT_LIST, REQ_BACK,   REQ_RECORD,
				    REQ_HELP,      REQ_SEARCH,    REQ_PARENT, REQ_HEAVIEST,
				    REQ_RANGE,     REQ_HOT_PATH,  REQ_ONLY,   REQ_DETAIL,
				    REQ_OPTIONS,   REQ_NONE };

static const struct view_word words[] = {
	{ REQ_ENTER, "Worst", "show in Graph the call that the sorted column means: the one with "
		"the most net or self time, or the longest (without times, the first); q returns. Flame graph: give this frame the whole width" },
	{ REQ_SIDE_RIGHT, NULL, "sort by the next column. Flame graph: change the widths: total, "
		"self or net time, or calls" },
	{ REQ_SIDE_LEFT, NULL, "sort by the previous column" },
	{ REQ_SORT, "Sort", "choose the column to sort by; a click on a heading also sorts. Flame "
		"graph: change the widths: total, self or net time, or calls" },
	{ REQ_RIGHT, NULL, "scroll the columns right. Flame graph: go to the widest callee" },
	{ REQ_LEFT, NULL, "scroll the columns left. Flame graph: go to the caller" },
	{ REQ_RESET, NULL, "scroll to the first column. Flame graph: show the whole graph" },
	{ REQ_MORE, "Callers", "open the row: callers, callees, longest calls. Flame graph: zoom in "
		"towards the frame" },
	{ REQ_LESS, NULL, "close the row. Flame graph: zoom out to the caller" },
	{ REQ_FOLD_OPEN, NULL, "open the function, its calls by the groups that o chose; or close it" },
	{ REQ_OPEN_ALL, NULL, "open all functions; again closes them" },
	{ REQ_SLOW_NEXT, NULL, "go to the row with the next larger figure. Flame graph: go to the "
		"next frame that takes 1/50 of it by itself" },
	{ REQ_SLOW_PREV, NULL, "go to the row with the next smaller figure. Flame graph: go to the "
		"previous such frame" },
	{ REQ_NEXT_LIST, "List", "switch between table, flame graph and instances (calls of "
		"the function, the most net time or the longest first); with several files, then "
		"to the next file" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: t table, f flame graph, i instances; each function by "
		"r process, g cgroup, u user, m name; flame graphs "
		"of waits, if stacks were recorded: o stacks with which tasks left the CPU, w those "
		"of their wakers, b both; e all stacks, by how often; n the next file" },
	{ REQ_PARENT, "Caller", "go to the caller for which it took longest" },
	{ REQ_HEAVIEST, "Callee", "go to the callee that took longest" },
	{ REQ_HOT_PATH, NULL, "follow the heaviest callees down to where the time went" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_SEARCH, NULL, "find text or /regex/ in the names of functions; the flame graph shows "
		"the share of those found" },
	{ REQ_COMPARE, NULL, "compare the range with the rest of the trace, or a file with "
		"the next one, or stop comparing. Rows that only the next file has are left "
		"out: ftop-trace diff lists them. In the flame graph, red frames take more of "
		"each second than there, blue ones less" },
	{ REQ_NONE, NULL, NULL },
};

/* What Enter does on the line under the cursor. */
static const char *functions_word(struct view *view, enum request request)
{
	if (request != REQ_ENTER || !view->table || !view->lines.nr)
		return NULL;
	if (view->list == 'i')
		return "Show";
	switch (functions_line(view, view->lines.window.at).kind) {
	case LINE_CALLER:
	case LINE_CALLEE:
		return "Its row";
	case LINE_INSTANCE:
		return "Show";
	case LINE_FUNCTION:
		return functions_shows_net(view) ? "Worst net" : NULL;
	case LINE_LOOKING:
		break;
	}
	return NULL;
}

static struct table *functions_shown_table(struct view *view)
{
	if (view->list == 'i')
		return view->calls.nr ? &view->calls : NULL;
	return view->list == 't' && view->lines.nr ? &view->lines : NULL;
}

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = functions_can,
	.word = functions_word,
	.pending_hint = functions_pending_hint,
};

static void functions_save(struct view *view, struct text *out)
{
	if (view->open)
		kept_add_numbers(out, "open", (uint64_t[]){ view->file, view->open }, 2);
	folds_save(&view->groups.folds, "groups", out);
	table_save(&view->lines, out);
}

static void functions_restore(struct view *view, const char *key, const char *value)
{
	uint64_t open[KEPT_MAX_NUMBERS];

	if (!strcmp(key, "open") && kept_numbers(value, open) == 2 &&
	    open[0] < trace_nr_files(view->shared->trace)) {
		view->file = (unsigned int)open[0];
		view->open = open[1];
	}
	if (!strcmp(key, "groups"))
		folds_restore(&view->groups.folds, value);
	table_restore(&view->lines, key, value);
}

/* Calls, or stacks. */
static bool has(const struct shared *shared)
{
	unsigned int buffer, nr = trace_nr_files(shared->trace);

	for (unsigned int f = 0; f < nr; f++)
		if (graph_has_calls(shared->trace, f, &buffer) ||
		    trace_has_event(shared->trace, f, "kernel_stack") ||
		    trace_has_event(shared->trace, f, "user_stack"))
			return true;
	return false;
}

const struct view_ops view_functions_ops = {
	.open = functions_open,
	.close = functions_close,
	.has = has,
	.left = functions_left,
	.draw = functions_draw,
	.header = functions_header,
	.request = functions_request,
	.is_open = functions_is_open,
	.mouse = functions_mouse,
	.show_file = functions_show_file,
	.retrace = functions_retrace,
	.changed = functions_changed,
	.keys = &view_keys,
	.detail = &(const struct view_detail){
		.rows = functions_detail_rows, .draw = functions_draw_detail,
	},
	.table = functions_shown_table,
	.kept = &(const struct view_kept){ .save = functions_save, .restore = functions_restore },
	.lists = &(const struct view_lists){
		.all = functions_all_lists, .now = functions_lists, .tabs = true,
		.shown = functions_list, .choose = functions_choose_list,
	},
	.search = &(const struct view_search){ .find = functions_find },
	.commands = &(const struct view_commands){
		.command = functions_command,
		.save_row = functions_save_row,
		.record = functions_record,
	},
	.work = &(const struct view_work){
		.slice = functions_work, .progressed = functions_progressed,
		.waits = functions_waits,
	},
};
