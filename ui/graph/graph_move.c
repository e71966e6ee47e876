/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_move - keys of the tree: go from call to call, open and close calls. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/screen/list_window.h"
#include "ui/graph/view_graph.h"
#include "ui/rows/slow.h"

static const struct call_tree *tree_of(const struct view *view)
{
	return call_window_tree(view->window);
}

static void move(struct view *view, int rows)
{
	int at = (int)view->lines.at + rows, last = (int)view->rows.nr - 1;

	view->beyond = at < 0 ? -1 : at > last ? 1 : 0;
	view->upward = rows < 0;
	graph_select(view, list_window_row(at, view->rows.nr));
	host_work(view->host);		/* more may have to be loaded there */
}

static void scroll(struct view *view, int rows)
{
	view->lines.top = list_window_scroll(view->lines.top, rows, view->lines.height,
					     view->rows.nr);
	move(view, rows);
}

/* --- open and closed ------------------------------------------------------------------ */

static void fold(struct view *view, const struct graph_row *row, bool open)
{
	graph_rows_fold(&view->rows, tree_of(view), row, open);
	view->stale = true;
	graph_refresh(view);
}

static void fold_levels(struct view *view, uint32_t levels)
{
	graph_rows_forget(&view->rows, levels);
	view->stale = true;
	graph_refresh(view);
	graph_select(view, view->lines.at);
}

static void open_here(struct view *view, const struct graph_row *row)
{
	if (row->open || row->kind == GRAPH_ROW_END)
		host_message(view->host, "it is already open");
	else if (!row->full)
		host_message(view->host, "there is nothing in it");
	else
		fold(view, row, true);
}

bool graph_is_open(struct view *view)
{
	const struct graph_row *row = view->compare ? NULL : graph_here(view);

	return row && (row->open || row->kind == GRAPH_ROW_END);
}

/* The row of the parent; -1 for an outermost row. */
static int row_above(const struct view *view, unsigned int at)
{
	uint32_t level = view->rows.rows[at].level;

	while (at-- > 0)
		if (view->rows.rows[at].level < level && view->rows.rows[at].kind != GRAPH_ROW_END)
			return (int)at;
	return -1;
}

static void to_caller(struct view *view)
{
	int above = row_above(view, view->lines.at);

	if (above < 0)
		host_message(view->host, "this is an outermost call");
	else
		graph_select(view, (unsigned int)above);
}

/* Go to the row of the call that this brace closes. */
static void to_begin(struct view *view, uint32_t call)
{
	int row = graph_rows_find(&view->rows, tree_of(view), call);

	if (row >= 0)
		graph_select(view, (unsigned int)row);
}

static void close_here(struct view *view, const struct graph_row *row, bool or_caller)
{
	if (row->kind == GRAPH_ROW_END) {
		to_begin(view, row->call);
		row = graph_here(view);
	}
	if (row->open)
		fold(view, row, false);
	else if (or_caller)
		to_caller(view);
	else
		host_message(view->host, "it is already closed");
}

static void enter(struct view *view, const struct graph_row *row)
{
	if (row->kind == GRAPH_ROW_EVENT || row->kind == GRAPH_ROW_AWAY) {
		host_enter(view->host, VIEW_EVENTS, graph_place(view, row, false));
	} else if (row->kind == GRAPH_ROW_END || row->open) {
		close_here(view, row, false);
	} else {
		open_here(view, row);
	}
}

/* --- heaviest ---------------------------------------------------------------------------- */

/* Net time, or the whole duration: what "slow" compares. */
static uint64_t weight(const struct view *view, uint32_t number)
{
	const struct call *call = call_tree_call(tree_of(view), number);

	if (slow_by_net(view->shared, view->file))
		return call_is_timed(call) ? call->net : 0;
	return call_is_timed(call) || call->kind == CALL_AWAY ? call_duration(call) : 0;
}

static uint32_t heaviest_child(const struct view *view, uint32_t number)
{
	const struct call_tree *tree = tree_of(view);
	uint32_t best = CALL_NONE;

	for (uint32_t n = call_tree_call(tree, number)->last; n;
	     n = call_tree_call(tree, n)->before)
		if (weight(view, n) && (!best || weight(view, n) >= weight(view, best)))
			best = n;
	return best;
}

static void to_heaviest(struct view *view, const struct graph_row *row, bool whole_way)
{
	uint32_t number = row->call, child;

	for (uint32_t i = 0; row->kind == GRAPH_ROW_GROUP && i < row->nr; i++) {
		uint32_t member = view->rows.members[row->members + i];

		if (!i || weight(view, member) > weight(view, number))
			number = member;
	}
	child = heaviest_child(view, number);
	if (!child && row->kind != GRAPH_ROW_GROUP) {
		host_message(view->host,
			     slow_by_net(view->shared, view->file) ?
				     "No call below used CPU time; press T w to follow duration" :
				     "no call below took any time");
		return;
	}
	/* go down while one child has most of the time */
	while (whole_way && child && weight(view, child) * 2 >= weight(view, number)) {
		number = child;
		child = heaviest_child(view, number);
	}
	graph_show_call(view, whole_way || !child ? number : child);
}

/* --- siblings, the same function ------------------------------------------------------------- */

/* Says that the search wrapped: in a large trace, within the part that is read. */
static void say_wrapped(const struct view *view, bool forward)
{
	if (call_window_at_start(view->window) && call_window_at_end(view->window))
		host_wrapped(view->host, forward);
	else
		host_message(view->host,
			     "wrapped to the %s of the calls read so far; 1 Events has all events",
			     forward ? "beginning" : "end");
}

/* The next row of this level with the same caller; -1: none. */
static int beside(const struct view *view, unsigned int i, uint32_t level, bool forward)
{
	while (forward ? ++i < view->rows.nr : i-- > 0) {
		const struct graph_row *row = &view->rows.rows[i];

		if (row->level < level)
			break;
		if (row->level == level && row->kind != GRAPH_ROW_END)
			return (int)i;
	}
	return -1;
}

static void to_sibling(struct view *view, bool forward)
{
	uint32_t level = view->rows.rows[view->lines.at].level;

	int next = beside(view, view->lines.at, level, forward), at;

	for (at = next; next < 0;) {		/* from the other end */
		int other = beside(view, at < 0 ? view->lines.at : (unsigned int)at, level,
				   !forward);

		if (other < 0)
			break;
		at = other;
	}
	if (at < 0) {
		host_message(view->host, "this is the only one here");
		return;
	}
	graph_select(view, (unsigned int)at);
	if (next < 0)
		say_wrapped(view, forward);
}

/* All calls of the trees shown, in time order, including folded ones. */
struct order {
	uint32_t	*calls;		/* owned, [nr] */
	unsigned int	 nr, cap;
};

static void add_below(const struct view *view, uint32_t number, struct order *order)
{
	const struct call_tree *tree = tree_of(view);
	uint32_t *stack = NULL;
	unsigned int nr = 0, cap = 0;

	mem_grow(&stack, nr, &cap);
	stack[nr++] = number;
	while (nr) {
		uint32_t n = stack[--nr];

		mem_grow(&order->calls, order->nr, &order->cap);
		order->calls[order->nr++] = n;
		if (!call_is_call(call_tree_call(tree, n)))
			continue;
		for (uint32_t child = call_tree_call(tree, n)->last; child;
		     child = call_tree_call(tree, child)->before) {
			mem_grow(&stack, nr, &cap);
			stack[nr++] = child;
		}
	}
	free(stack);
}

/* Siblings are numbered in time order. */
static int ascending(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return x < y ? -1 : x > y;
}

static void add_siblings(const struct view *view, const struct graph_row *row, struct order *order)
{
	uint32_t *calls = mem_array(row->nr, sizeof(*calls));

	memcpy(calls, view->rows.members + row->members, row->nr * sizeof(*calls));
	qsort(calls, row->nr, sizeof(*calls), ascending);
	for (uint32_t i = 0; i < row->nr; i++)
		add_below(view, calls[i], order);
	free(calls);
}

static void list_calls(const struct view *view, struct order *order)
{
	for (unsigned int i = 0; i < view->rows.nr; i++) {
		const struct graph_row *row = &view->rows.rows[i];

		if (row->level || row->kind == GRAPH_ROW_END)
			continue;
		if (row->kind == GRAPH_ROW_GROUP)
			add_siblings(view, row, order);
		else
			add_below(view, row->call, order);
	}
}

static bool is_wanted(struct view *view, const struct find *find, const struct call *call,
		      const struct call *here)
{
	const struct call_tree *tree = tree_of(view);
	const char *name;
	size_t start, end;

	if (find->kind == FIND_KEPT)
		return call->wanted && call->kind != CALL_AWAY;
	if (!call_is_call(call))
		return false;
	if (find->kind == FIND_NAME)
		return call_is_call(here) && call->func == here->func;
	name = call_text_function(view->text, call_tree_function(tree, call->func));
	return search_pattern_find(view->shared->chosen.pattern, name, strlen(name), 0, &start,
				   &end);
}

bool graph_find(struct view *view, const struct find *find)
{
	const struct graph_row *row = graph_here(view);
	struct order order = { 0 };
	const struct call *here;
	unsigned int at = 0, i, seen;
	uint32_t found = CALL_NONE;
	bool round = false;

	if (!row || (find->kind != FIND_NAME && find->kind != FIND_KEPT &&
		     (find->kind != FIND_PATTERN || !view->shared->chosen.pattern)))
		return false;
	here = graph_call(view, row);
	list_calls(view, &order);
	while (at < order.nr && order.calls[at] != row->call)
		at++;
	for (i = at, seen = 1; seen < order.nr && !found; seen++) {
		i = (i + (find->forward ? 1 : order.nr - 1)) % order.nr;
		if (is_wanted(view, find, call_tree_call(tree_of(view), order.calls[i]), here))
			found = order.calls[i];
		round |= find->forward ? i < at : i > at;
	}
	free(order.calls);
	if (found)
		graph_show_call(view, found);
	if (!found)
		host_message(view->host, "no other %s in these calls; 1 Events searches all events",
			     find->what);
	else if (round)
		say_wrapped(view, find->forward);
	return true;
}

static void to_same(struct view *view, bool forward)
{
	graph_find(view, &(struct find){ .kind = FIND_NAME,
					 .forward = forward,
					 .what = "call of this function" });
}

/* --- filters, copies -------------------------------------------------------------------------- */

static void filter_from_here(struct view *view, const struct graph_row *row, char letter,
			     bool without)
{
	const struct call_tree *tree = tree_of(view);
	const struct call *call = graph_call(view, row);
	struct place place = {
		.ts = call_text_start(view->text, call), .file = view->file,
		.pid = call_tree_task(tree, row->task)->pid,
		.cpu = call_text_cpu(view->text, call, false),
	};
	const char *name;

	if (strchr("fixe", letter) && call_is_call(call) && !call->slice) {
		name = call_text_function(view->text, call_tree_function(tree, call->func));
		host_filter_by_function(view->host, name, without);
	} else if (!host_filter_from(view->host, &place, letter, without)) {
		host_message(
			view->host,
			"here: f the function, t the task, p its process, c the CPU, h interrupts");
	}
}

static bool copy(struct view *view, const struct graph_row *row, char letter)
{
	struct text t = { 0 };
	uint64_t ns;

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'v' && !graph_row_duration(view, row, &ns)) {
		host_message(view->host, "the duration of this row is not known");
		return true;
	}
	if (letter == 'y')
		graph_row_text(view, row, &t);
	else
		text_u64(&t, ns);
	host_copy(view->host, letter == 'y' ? "row" : "duration in ns", text_str(&t), t.len);
	text_fini(&t);
	return true;
}

/* --- the table -------------------------------------------------------------------------------- */

static bool move_request(struct view *view, enum request request)
{
	bool scrolls;
	int rows = request_rows(request, (int)view->lines.height, &scrolls);

	if (rows)
		return scrolls ? scroll(view, rows) : move(view, rows), true;
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
		return view->side += view->side_step, true;
	case REQ_SIDE_LEFT:
		view->side = view->side > view->side_step ? view->side - view->side_step : 0;
		return true;
	case REQ_FIRST:
		if (!call_window_at_start(view->window))
			return false;
		return graph_select(view, 0), true;
	case REQ_LAST:
		if (!call_window_at_end(view->window))
			return false;
		return graph_select(view, view->rows.nr), true;
	}
	return false;
}

static bool fold_request(struct view *view, const struct graph_row *row, enum request request)
{
	uint32_t levels = view->rows.levels;

	switch ((int)request) {
	case REQ_ENTER:
		return enter(view, row), true;
	case REQ_RIGHT:
	case REQ_FOLD_OPEN:
		return open_here(view, row), true;
	case REQ_LEFT:
	case REQ_FOLD_CLOSE:
		return close_here(view, row, request == REQ_LEFT), true;
	case REQ_OPEN_ALL:
		return fold_levels(view, GRAPH_LEVELS_ALL), true;
	case REQ_RESET:
		view->side = 0;
		return fold_levels(view, 0), true;
	case REQ_CLOSE_ALL:
		return fold_levels(view, 0), true;
	case REQ_MORE:
		return fold_levels(view, levels == GRAPH_LEVELS_ALL ? levels : levels + 1), true;
	case REQ_LESS:
		return fold_levels(view, levels == GRAPH_LEVELS_ALL ? 8 :
					 levels                     ? levels - 1 :
								      0),
		       true;
	}
	return false;
}

bool graph_request(struct view *view, enum request request, char letter)
{
	const struct graph_row *row = graph_here(view);

	if (view->compare && graph_compare_request(view, request))
		return true;
	if (view->has_calls && (request == REQ_SLOW_NEXT || request == REQ_SLOW_PREV))
		return graph_look_for_slow(view, request == REQ_SLOW_NEXT), true;
	if (!row)
		return false;
	if (move_request(view, request) || fold_request(view, row, request))
		return true;
	switch ((int)request) {
	case REQ_PARENT:
		return to_caller(view), true;
	case REQ_HEAVIEST:
	case REQ_HOT_PATH:
		return to_heaviest(view, row, request == REQ_HOT_PATH), true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return to_sibling(view, request == REQ_TRACK_NEXT), true;
	case REQ_SAME_NEXT:
	case REQ_SAME_PREV:
		return to_same(view, request == REQ_SAME_NEXT), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(view, row, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return copy(view, row, letter);
	case REQ_COMPARE:
		return graph_compare_begin(view, row), true;
	}
	return false;
}
