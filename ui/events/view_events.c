/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_events - every record of the trace as a row, in time order, and details of the selected one.
 */
#include "ui/events/view_events.h"

#include <stdlib.h>

#include "src/base/memory.h"
#include "src/match/other_end.h"
#include "src/sched/sched_cause.h"
#include "ui/rows/kept.h"

#define SIDE_STEP	8		/* cells that → moves the text */
#define SPAN_NS		100000000	/* ns that a key may search for the other end of a call */

static struct view *events_open(const struct view_ops *ops, const struct view_host *host,
				struct shared *shared)
{
	struct view *view = mem_alloc(sizeof(*view));

	(void)ops;
	view->host = host;
	view->shared = shared;
	view->drag_from = -1;
	view->kept_line = -1;
	rows_init(&view->rows, shared);
	detail_init(&view->detail);
	return view;
}

static void events_close(struct view *view)
{
	rows_fini(&view->rows);
	detail_fini(&view->detail);
	text_fini(&view->line);
	row_fini(&view->scratch);
	free(view);
}

static void events_publish(struct view *view)
{
	const struct row *row = rows_here(&view->rows);
	struct shared *shared = view->shared;

	shared->at.here = (struct place){ 0 };
	if (!row)
		return;
	shared->at.here = row_place(row);
	shared->at.here_line = view->rows.at;
	filters_focus(&shared->chosen.filters, row->ts);
	shared->at.has_window = true;
	shared->at.window_from = view->rows.lines[0].row->key;
	shared->at.window_to = view->rows.lines[view->rows.nr_lines - 1].row->key;
	detail_load(&view->detail, shared, row);
}

/*
 * The exit of a function is where the call ends; the line of a leaf, in text, where it begins.
 * Where a system call ends, and a function that is entered here, its record says.
 */
static bool events_span(struct view *view, bool end, struct place *place)
{
	const struct row *row = rows_here(&view->rows);
	struct trace_event event, other;
	int64_t duration;
	bool is_begin;

	if (!row || !trace_event_at(view->shared->trace, row->ref, &event))
		return false;
	*place = row_place(row);
	duration = trace_event_duration(&event);
	if (duration < 0) {
		if (!other_end_find(view->shared->trace, &event, SPAN_NS, &other, &is_begin))
			return false;
		if (end != is_begin)
			*place = place_of_event(&other);
		return true;
	}
	if (!end) {
		place->ref = TRACE_REF_NONE;
		place->ts = time_after(place->ts, -duration);
	}
	return true;
}

static int events_detail_rows(struct view *view, int normal, int most)
{
	const struct row *row = rows_here(&view->rows);
	int words = 0;

	if (!normal && !view->detail.focused)
		return 0;
	if (row) {
		detail_load(&view->detail, view->shared, row);
		words = detail_word_rows(&view->detail, view->shared, row);
	}
	normal = words <= normal ? normal : words < most ? words : most;
	if (view->detail.focused) {
		int wanted = (int)view->detail.nr < most - 1 ? (int)view->detail.nr : most - 1;

		if (wanted > normal)
			normal = wanted;
	}
	return 1 + normal;
}

static void events_draw_detail(struct view *view, const struct view_area *area, int max_rows)
{
	const struct row *row = rows_here(&view->rows);

	(void)max_rows;
	if (row)
		detail_draw(&view->detail, view->shared, row, area);
}

/* --- requests ------------------------------------------------------------ */

static bool has_stacks(const struct shared *shared)
{
	for (unsigned int i = 0; i < trace_nr_files(shared->trace); i++)
		if (trace_has_event(shared->trace, i, "kernel_stack") ||
		    trace_has_event(shared->trace, i, "user_stack"))
			return true;
	return false;
}

static bool stack_is_open(struct view *view)
{
	const struct row *row = rows_here(&view->rows);
	trace_ref stack = row ? rows_stack_of(&view->rows, row) : TRACE_REF_NONE;

	return stack != TRACE_REF_NONE && rows_is_open(&view->rows, stack);
}

static void open_stack(struct view *view, bool all_the_same)
{
	const struct row *row = rows_here(&view->rows);
	trace_ref stack = row ? rows_stack_of(&view->rows, row) : TRACE_REF_NONE;

	if (stack != TRACE_REF_NONE && !rows_is_open(&view->rows, stack)) {
		rows_open(&view->rows, stack, true);
		return;
	}
	if (all_the_same)
		host_message(view->host, stack == TRACE_REF_NONE ?
						 "no stack was recorded with this row" :
						 "the stack is already open");
	else
		view->side += SIDE_STEP;
}

static void close_stack(struct view *view, bool all_the_same)
{
	const struct row *row = rows_here(&view->rows);
	trace_ref stack = row ? rows_stack_of(&view->rows, row) : TRACE_REF_NONE;

	if (!all_the_same && view->side) {
		view->side = view->side > SIDE_STEP ? view->side - SIDE_STEP : 0;
		return;
	}
	if (stack != TRACE_REF_NONE && rows_is_open(&view->rows, stack)) {
		trace_ref here = row->ref;

		rows_open(&view->rows, stack, false);
		rows_go(&view->rows, here);
	} else if (all_the_same) {
		host_message(view->host, "no stack is open here");
	}
}

static void find_from_here(struct view *view, enum find_kind kind, bool forward)
{
	const struct row *row = rows_here(&view->rows);
	struct find find = { .kind = kind, .forward = forward };

	if (!row)
		return;
	find.file = row->file;
	find.pid = row->pid;
	find.cpu = row->cpu;
	find.type_id = row->type_id;
	if (kind == FIND_SLOW) {
		find.what = "slow place";
	} else if (!row->is_event) {
		host_message(view->host, "this row is not an event: it has no task and no name");
		return;
	} else {
		find.what = kind == FIND_TASK ? "event of this task" : "event of this name";
	}
	host_find(view->host, &find);
}

/*
 * Back to the wake-up of this row's task (for a switch, the next task), or on to where the task
 * woken here runs.
 */
static void find_wake(struct view *view, bool waker)
{
	const struct row *row = rows_here(&view->rows);
	struct trace_event event;
	struct find find = { .kind = waker ? FIND_WAKER : FIND_RUN, .forward = !waker };

	if (!row || !trace_event_at(view->shared->trace, row->ref, &event) ||
	    event.kind != TRACE_ROW_EVENT) {
		host_message(view->host, "this row is not an event: it has no task");
		return;
	}
	find.file = event.file;
	find.pid = waker ? sched_cause_runs(&event) : sched_cause_woken(&event);
	if (waker && find.pid <= 0)
		find.pid = event.pid;
	find.waking = waker && trace_has_event(view->shared->trace, event.file, "sched_waking");
	find.what = waker ? "wake-up of this task before" : "switch to the task that is woken here";
	if (find.pid > 0)
		host_find(view->host, &find);
	else
		host_message(view->host,
			     waker ? "the idle task is not woken" :
				     "this row wakes no task: W is for sched_waking, sched_wakeup");
}

static bool events_request(struct view *view, enum request request, char letter)
{
	struct rows *rows = &view->rows;
	bool scrolls;
	int by = request_rows(request, (int)rows->height, &scrolls);

	if (view->detail.focused && events_fields_request(view, request))
		return true;
	if (by) {
		if (!scrolls || !rows_scroll(rows, by))
			rows_move(rows, by);
		return true;
	}
	switch ((int)request) {
	case REQ_RIGHT:
		return open_stack(view, false), true;
	case REQ_LEFT:
		return close_stack(view, false), true;
	case REQ_FOLD_OPEN:
		return open_stack(view, true), true;
	case REQ_FOLD_CLOSE:
		return close_stack(view, true), true;
	case REQ_OPEN_ALL:
	case REQ_CLOSE_ALL:
		rows_open_all(rows, request == REQ_OPEN_ALL);
		host_message(view->host, !has_stacks(view->shared) ? "the trace has no stacks" :
					 request == REQ_OPEN_ALL   ? "all stacks are open" :
								     "all stacks are closed");
		return true;
	case REQ_SIDE_RIGHT:
		view->side += view->columns.width[COLUMN_WHAT] / 2;
		return true;
	case REQ_SIDE_LEFT:
		view->side -= view->columns.width[COLUMN_WHAT] / 2;
		view->side = view->side < 0 ? 0 : view->side;
		return true;
	case REQ_RESET:
		view->side = 0;
		return rows_open_all(rows, false), true;
	case REQ_ENTER:
		return events_focus_fields(view), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return find_from_here(view, FIND_SLOW, request == REQ_SLOW_NEXT), true;
	case REQ_TRACK_NEXT:
	case REQ_TRACK_PREV:
		return find_from_here(view, FIND_TASK, request == REQ_TRACK_NEXT), true;
	case REQ_SAME_NEXT:
	case REQ_SAME_PREV:
		return find_from_here(view, FIND_NAME, request == REQ_SAME_NEXT), true;
	case REQ_WAKER:
	case REQ_WAKEE:
		return find_wake(view, request == REQ_WAKER), true;
	case REQ_MORE:
	case REQ_LESS:
		return host_rows_around(view->host, request == REQ_MORE), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return events_filter_from_here(view, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return events_copy(view, letter);
	}
	return false;
}

static void mark_dragged(struct view *view, int to)
{
	const struct row *a = view->rows.lines[view->drag_from].row, *b = view->rows.lines[to].row;

	view->shared->at.places.marks[0] = row_place(a);
	view->shared->at.places.marks[1] = row_place(b);
}

static void events_mouse(struct view *view, const struct ui_mouse *mouse)
{
	int line = mouse->row - view->body_top, last = (int)view->rows.nr_lines - 1;
	bool inside = line >= 0 && line <= last;

	switch (mouse->kind) {
	case UI_MOUSE_WHEEL_UP:
		rows_scroll(&view->rows, -3);
		return;
	case UI_MOUSE_WHEEL_DOWN:
		rows_scroll(&view->rows, 3);
		return;
	case UI_MOUSE_PRESS:
		view->drag_from = inside ? line : -1;
		if (inside) {
			view->detail.focused = false;
			rows_choose(&view->rows, line);
		}
		return;
	case UI_MOUSE_DRAG:
	case UI_MOUSE_RELEASE:
		if (view->drag_from >= 0 && view->drag_from <= last && inside &&
		    line != view->drag_from) {
			rows_choose(&view->rows, line);
			mark_dragged(view, line);
			detail_forget(&view->detail);
		}
		if (mouse->kind == UI_MOUSE_RELEASE)
			view->drag_from = -1;
		return;
	case UI_MOUSE_DOUBLE:
		if (inside) {
			rows_choose(&view->rows, line);
			events_focus_fields(view);
		}
		return;
	}
}

static bool events_go(struct view *view, const struct place *place)
{
	trace_ref ref = shared_row_of(view->shared, place);

	view->detail.focused = false;
	if (view->kept_line >= 0)
		rows_go_to_line(&view->rows, ref, (unsigned int)view->kept_line);
	else
		rows_go(&view->rows, ref);
	view->kept_line = -1;
	return true;
}

static void events_changed(struct view *view)
{
	rows_forget(&view->rows);
	detail_forget(&view->detail);
}

/* Columns and their settings stay. */
static void events_retrace(struct view *view)
{
	unsigned int height = view->rows.height;

	view->kept_line = (int)view->rows.at;
	rows_fini(&view->rows);
	rows_init(&view->rows, view->shared);
	rows_set_height(&view->rows, height);
	detail_fini(&view->detail);
	row_clear(&view->scratch);
	view->side = 0;
	view->drag_from = -1;
}

static unsigned int events_nr_columns(struct view *view)
{
	(void)view;
	return NR_COLUMNS - 1;		/* the text is always there */
}

static const char *events_column(struct view *view, unsigned int i, bool *shown, const char **help)
{
	*shown = view->columns.width[i] > 0;
	*help = column_info(i)->help;
	return column_info(i)->name;
}

static void events_toggle_column(struct view *view, unsigned int i)
{
	columns_toggle(&view->columns, i);
	columns_layout(&view->columns, view->shared, view->columns.cols);
}

static void events_save(struct view *view, struct text *out)
{
	const struct rows *rows = &view->rows;

	columns_save(&view->columns, out);
	if (rows->all_open)
		text_add(out, "stacks open\n");
	if (rows->nr_toggled)
		kept_add_numbers(out, "toggled", rows->toggled, rows->nr_toggled);
}

static void events_restore(struct view *view, const char *key, const char *value)
{
	uint64_t numbers[KEPT_MAX_NUMBERS];

	columns_restore(&view->columns, key, value);
	if (!strcmp(key, "stacks"))
		rows_open_these(&view->rows, !strcmp(value, "open"), NULL, 0);
	else if (!strcmp(key, "toggled"))
		rows_open_these(&view->rows, view->rows.all_open, numbers,
				kept_numbers(value, numbers));
}

static const char *events_pending_hint(struct view *view)
{
	return view->detail.focused ?
		       "j k Choose  Enter Go there  i v Keep  x v Hide  y v Copy value  q Leave" :
		       NULL;
}

/* Without rows, row requests cannot act. */
static bool events_can(struct view *view, enum request request)
{
	if (request == REQ_MORE)
		return filters_hiding(&view->shared->chosen.filters);
	if (view->shared->at.here.set)
		return true;
	/* a filter may have left nothing; an empty trace needs none */
	return request == REQ_FILTER && trace_first(view->shared->trace) != TRACE_REF_NONE;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_ONLY, REQ_WITHOUT, REQ_RIGHT, REQ_LEFT, REQ_SLOW_NEXT, REQ_SLOW_PREV,
	REQ_MARK_A, REQ_MARK_B, REQ_NOTE,
	REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_ENTER, REQ_WHY, REQ_FILTER, REQ_MORE, REQ_PICK_TASK, REQ_SEARCH, REQ_BACK, REQ_RECORD,
	REQ_HELP, REQ_GO, REQ_SLOW_NEXT, REQ_ONLY, REQ_WITHOUT, REQ_MARK_A, REQ_MARK_B,
	REQ_TROUBLE_NEXT, REQ_THRESHOLD, REQ_TIME_FORMAT, REQ_COLUMNS, REQ_DETAIL,
	REQ_NOTE, REQ_MARK_LIST, REQ_SAVE, REQ_SPLIT, REQ_OPTIONS, REQ_VIEW_LIST, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_MORE, "Around", NULL },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = events_can,
	.pending_hint = events_pending_hint,
};

const struct view_ops view_events_ops = {
	.open = events_open,
	.close = events_close,
	.draw = events_draw,
	.publish = events_publish,
	.request = events_request,
	.is_open = stack_is_open,
	.mouse = events_mouse,
	.go = events_go,
	.retrace = events_retrace,
	.changed = events_changed,
	.keys = &view_keys,
	.detail = &(const struct view_detail){
		.rows = events_detail_rows, .draw = events_draw_detail,
	},
	.moments = &(const struct view_moments){ .span = events_span },
	.columns = &(const struct view_columns){
		.count = events_nr_columns, .name = events_column, .toggle = events_toggle_column,
	},
	.kept = &(const struct view_kept){ .save = events_save, .restore = events_restore },
	.lines = &(const struct view_lines){
		.line = events_line, .save = events_save_line, .maker = events_line_maker,
	},
};
