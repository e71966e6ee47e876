/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_timeline - CPUs and tasks over time, at any zoom, and a description of what is under the
 * cursor.
 */
#include "ui/timeline/view_timeline.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/timeline/series.h"
#include "src/timeline/timeline_plot.h"
#include "src/timeline/timeline_text.h"
#include "src/why/why.h"
#include "ui/rows/kept.h"
#include "ui/view/nothing_left.h"

#define LABEL_CELLS		19
#define WIDE_LABEL_CELLS	28
#define WIDE_COLS		100
#define MOST_CPUS		65536u	/* with numbers above, what was kept is ignored */
#define LAG_NS			1000000000	/* of the model, while the trace grows */
#define LEAST_COLUMNS		4	/* screen columns of an interval that is worth looking at */

/* --- its life ------------------------------------------------------------------------- */

/* The models of the file's guests that are open, too. */
static void take_guests(struct view *v)
{
	struct trace *trace = v->shared->trace;
	const struct source_guest *guest;

	for (unsigned int i = 0; trace && i < trace_nr_files(trace); i++) {
		guest = trace_guest_of(trace_file_of(trace, v->file), trace_file_of(trace, i));
		if (!guest)
			continue;
		mem_grow(&v->guests.list, v->guests.nr, &v->guests.cap);
		v->guests.list[v->guests.nr++] = (struct timeline_guest){
			.guest = guest, .file = i, .sched = shared_take_sched(v->shared, i),
		};
	}
	v->timeline.guests = &v->guests;
}

static void use_trace(struct view *v, unsigned int file)
{
	v->file = file;
	v->sched = v->shared->trace ? shared_take_sched(v->shared, file) : NULL;
	take_guests(v);
	if (v->shared->growth.has_more)	/* the window and the rows stay */
		return;
	v->whole = true;
	v->entered_step = 0;
	v->has_window = v->has_here = v->has_end = v->wanted.set = false;
	v->arrived = v->has_arrived_pin = false;
	v->nr_noted = 0;
	v->nr_rows = v->nr_pinned = v->at = v->top = v->fixed_top = 0;
	v->shows_idle = false;
	v->nr_turned = v->nr_tasks = v->nr_idles = 0;
	v->drag_from = -1;
	free(v->tasks);
	v->tasks = NULL;
	free(v->group_of);
	v->group_of = NULL;
	timeline_groups_fini(&v->groups);
	cpu_groups_fini(&v->cpu_groups);
}

/* Drop what was requested for the former trace. */
static void end_trace(struct view *v)
{
	timeline_why_end(v);
	timeline_end_plots(v);
	timeline_fini(&v->timeline);
	matching_fini(&v->matching);
	shared_give_sched(v->shared, v->sched);
	shared_give_sched(v->shared, v->next);
	v->sched = v->next = NULL;
	for (unsigned int i = 0; i < v->guests.nr; i++)
		shared_give_sched(v->shared, v->guests.list[i].sched);
	v->guests.nr = 0;
}

/* A window at the end of the trace stays there, as does a cursor. */
static void move_to_end(struct view *v, int64_t former, int64_t end)
{
	int64_t more = time_between(former, end);

	if (v->whole || !v->has_window || time_after(v->from, timeline_width(v)) < former)
		return;
	v->from = time_after(v->from, more);
	if (v->cursor >= time_after(former, -v->step))
		v->cursor = time_after(v->cursor, more);
}

/*
 * The trace has grown, and its model with it, or a model of all there is now replaces the former
 * one when it is complete.
 */
static void timeline_take(struct view *v)
{
	int64_t end;

	if (shared_follow_sched(v->shared, v->file, SCHED_IN_TRACE, v->sched, &v->next)) {
		timeline_why_end(v);
		timeline_follow_model(v, v->next);
		shared_give_sched(v->shared, v->sched);
		v->sched = v->next;
		v->next = NULL;
		v->timeline.sched = v->sched;
	}
	if (!v->shared->growth.as_of || !v->sched || !sched_progress(v->sched).done)
		return;
	end = sched_end(v->sched);
	if (v->has_end && end <= v->end)
		return;
	timeline_why_end(v);
	if (v->has_end)
		move_to_end(v, v->end, end);
	v->has_end = true;
	v->end = end;
}

/*
 * The window is another one, maybe of what the model does not have yet: it moves with the end only
 * if it reaches that.
 */
static void see_end(struct view *v)
{
	int64_t last = shared_end(v->shared), known = sched_end(v->sched),
		to = time_after(v->from, timeline_width(v) + 1);

	v->has_end = v->shared->growth.as_of;
	v->end = known > to ? known : to;
	v->end = v->end < last ? v->end : last;
}

void timeline_use_file(struct view *v, const struct place *place)
{
	if (!place->set || place->file == v->file ||
	    place->file >= trace_nr_files(v->shared->trace))
		return;
	end_trace(v);
	use_trace(v, place->file);
}

static struct view *timeline_open(const struct view_ops *ops, const struct view_host *host,
				  struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	(void)ops;
	v->host = host;
	v->shared = shared;
	v->list = 'm';
	use_trace(v, 0);
	return v;
}

static void timeline_close(struct view *v)
{
	end_trace(v);
	free(v->rows);
	free(v->pinned);
	free(v->noted);
	free(v->noted_cpus);
	free(v->plots);
	free(v->guests.list);
	free(v->turned);
	cpu_groups_fini(&v->cpu_groups);
	free(v->folds);
	free(v->idles);
	free(v->tasks);
	free(v->group_of);
	timeline_groups_fini(&v->groups);
	text_fini(&v->story);
	text_fini(&v->saved);
	text_fini(&v->column_help);
	free(v->types);
	free(v);
}

static void timeline_retrace(struct view *v)
{
	if (v->shared->growth.has_more && v->sched)
		timeline_note_rows(v);
	end_trace(v);
	use_trace(v, 0);
}

static void set_columns(struct view *v, int cols)
{
	v->label = cols >= WIDE_COLS ? WIDE_LABEL_CELLS : LABEL_CELLS;
	v->columns = cols > v->label ? (unsigned int)(cols - v->label) : 1;
	v->has_window = true;
}

static void choose_wanted(struct view *v);

/* --- drawing ---------------------------------------------------------------------------- */

static void draw_nothing(struct view *v, const struct view_area *area)
{
	nothing_draw(
		area->canvas, area->top + 1,
		!sched_progress(v->sched).done ?
			"Reading who ran when …" :
			"There are no events here that show who ran when.\n"
			"To record them, press R or run\n"
			"ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup CMD");
}

/* The filters keep only the cursor's row: show them, and the reason if it is certain. */
static void draw_nothing_left(struct view *v, const struct view_area *area)
{
	const struct filters *filters = &v->shared->chosen.filters;
	int line = area->top + TIMELINE_HEADINGS + (int)v->nr_rows * timeline_lines(v) + v->ruled +
		   1;
	int end = area->top + area->rows - TIMELINE_TRAILERS;
	struct text t = { 0 };

	if (!filters_hiding(filters) || !matching_is_done(&v->matching) ||
	    matching_any(&v->matching))
		return;
	text_add(&t, "No task or CPU has an event that matches the filter:  ");
	filters_text(filters, &t);
	nothing_left_draw(v->shared, area->canvas, line, end, text_str(&t),
			  "F all filters off   f edit it   z dim instead of hide");
	text_fini(&t);
}

/* The rows of the window, once the width is known; false: there is nothing to show. */
static bool prepare(struct view *v)
{
	if (!sched_nr_cpus(v->sched) || !v->shared->look.cols)
		return false;
	timeline_find_noted(v, v->sched);
	matching_update(&v->matching, v->shared, v->file,
			sched_pass_buffer(sched_pass_of(v->sched)));
	v->timeline.matches = filters_active(&v->shared->chosen.filters) ?
				      v->shared->chosen.filters.matches :
				      NULL;
	set_columns(v, v->shared->look.cols);
	timeline_set_window(v);
	if (!v->timeline.sched)
		return false;
	choose_wanted(v);
	timeline_make_rows(v);
	return true;
}

static void timeline_draw_view(struct view *v, const struct view_area *area)
{
	if (!timeline_is_known(v)) {
		draw_nothing(v, area);
		return;
	}
	sched_lock(v->sched);
	v->timeline.ascii = area->canvas->ascii;
	if (prepare(v)) {
		timeline_draw_rows(v, area);
		draw_nothing_left(v, area);
	} else {
		draw_nothing(v, area);
	}
	sched_unlock(v->sched);
}

static int timeline_needed_rows(struct view *v)
{
	int rows = 0;

	if (timeline_is_known(v)) {
		sched_lock(v->sched);
		rows = prepare(v) ? (int)v->nr_rows : 0;
		sched_unlock(v->sched);
	}
	return rows ? TIMELINE_HEADINGS + rows + TIMELINE_TRAILERS : 0;
}

static int timeline_detail_rows(struct view *v, int normal, int most)
{
	int lines = 0, limit = most / 2, unused;	/* the picture needs the rest */

	limit = normal > limit ? normal : limit;
	if (!normal)
		return 0;
	if (timeline_is_known(v)) {
		sched_lock(v->sched);
		lines = prepare(v) ? timeline_detail_lines(v, v->shared->look.cols - 1) : 0;
		sched_unlock(v->sched);
	}
	unused = 2 * most - TIMELINE_FRAME - TIMELINE_HEADINGS - TIMELINE_TRAILERS -
		 (int)v->nr_rows;
	if (unused > limit)
		limit = unused < most - 1 ? unused : most - 1;
	return 1 + (lines < 1 ? 1 : lines > limit ? limit : lines);
}

static void timeline_header(struct view *v, struct text *out)
{
	if (!v->has_window || !v->timeline.sched)	/* not drawn yet */
		return;
	text_printf(out, "row %" PRIu32 " of %" PRIu32 "  ", v->at + 1, v->nr_rows);
	timeline_span(&v->timeline, timeline_width(v), out);
	text_add(out, " window");
}

/* --- places -------------------------------------------------------------------------------- */

static void timeline_publish(struct view *v)
{
	struct place *here = &v->shared->at.here;

	*here = v->wanted;
	if (!timeline_is_known(v) || !v->has_window)
		return;
	sched_lock(v->sched);
	*here = timeline_place(v, v->cursor);
	if (v->wanted.set && v->wanted.pid > 0) {	/* the row of its CPU is chosen meanwhile */
		here->file = v->wanted.file;
		here->pid = here->subject = v->wanted.pid;
		here->cpu = v->wanted.cpu;
	}
	v->shared->at.has_window = true;
	v->shared->at.window_from = v->from;
	v->shared->at.window_to = time_after(v->shared->at.window_from, timeline_width(v) - 1);
	sched_unlock(v->sched);
}

/* Choose the row of the requested task, else of its CPU. The model may not know the task yet. */
/* The model has this time, or nearly all there is. */
static bool has_time(const struct view *v, int64_t ts)
{
	int64_t end = sched_end(v->sched);

	return sched_progress(v->sched).done && (!v->shared->growth.as_of || end > ts ||
						 time_after(end, LAG_NS) > v->shared->growth.as_of);
}

static void choose_wanted(struct view *v)
{
	const struct place *place = &v->wanted;
	uint32_t task = SCHED_NO_TASK;

	if (!place->set)
		return;
	if (place->pid > 0)
		task = sched_rules_find(sched_pass_rules(sched_pass_of(v->sched)),
					(uint32_t)place->pid, place->ts);
	v->arrived = task < sched_nr_tasks(v->sched);
	if (v->arrived)
		timeline_choose_row(v, TIMELINE_OF_TASK, task);
	else if (place->cpu >= 0 && sched_cpu_index(v->sched, place->cpu) >= 0)
		timeline_choose_row(v, TIMELINE_CPU,
				    (uint32_t)sched_cpu_index(v->sched, place->cpu));
	if (task < sched_nr_tasks(v->sched) || has_time(v, place->ts))
		v->wanted.set = false;
}

/* Does the window show all of an interval, in more than a few columns? */
static bool is_shown(const struct view *v, const struct place *place)
{
	return !v->whole && place->ts >= v->from &&
	       time_between(v->from, place->to) <= timeline_width(v) &&
	       time_between(place->ts, place->to) / LEAST_COLUMNS >= v->step;
}

static bool timeline_go(struct view *v, const struct place *place)
{
	timeline_use_file(v, place);
	if (!place->set)
		return false;
	sched_lock(v->sched);
	if (v->shared->look.cols)
		set_columns(v, v->shared->look.cols);
	timeline_show_moment(v, place->ts);
	/* A row, such as a call, leaves the window as it is if that shows the whole of it. */
	if (place->to > place->ts && (place->ref == TRACE_REF_NONE || !is_shown(v, place)))
		timeline_show_interval(v, place->ts, place->to);
	timeline_set_window(v);
	see_end(v);
	v->wanted = *place;
	choose_wanted(v);
	sched_unlock(v->sched);
	return true;
}

static bool timeline_window(struct view *v, int64_t from, int64_t to)
{
	if (!v->columns || to <= from)
		return v->columns;
	sched_lock(v->sched);
	v->from = from;
	v->step = time_between(from, to) / (int64_t)v->columns + 1;
	v->whole = false;
	timeline_set_window(v);
	see_end(v);
	sched_unlock(v->sched);
	return true;
}

static bool timeline_span_of(struct view *v, bool end, struct place *place)
{
	struct pyramid_state state;
	bool found;

	if (!timeline_is_known(v))
		return false;
	sched_lock(v->sched);
	found = timeline_state(v, &state);
	if (found)
		*place = timeline_place(v, end ? state.to : state.from);
	sched_unlock(v->sched);
	return found;
}

/* --- requests ------------------------------------------------------------------------------- */

/* The last event of a plot at or before the cursor. */
static bool event_here(struct view *v, struct place *place)
{
	const struct timeline_row *row = timeline_here(v);
	struct series *series = row && row->kind == TIMELINE_PLOT ?
					timeline_plot_series(&v->timeline, row) :
					NULL;
	struct series_event event;

	if (!series || !series_before(series, v->cursor, &event))
		return false;
	*place = timeline_place(v, event.ts);
	place->cpu = event.cpu;
	return true;
}

/* Did Enter show this interval, and does the window still do so? */
static bool is_entered(const struct view *v, const struct timeline_row *row,
		       const struct pyramid_state *state)
{
	return v->entered_step == v->step && v->entered_from == state->from &&
	       v->entered.kind == row->kind && v->entered.index == row->index;
}

static void show(struct view *v, enum view_id id, const struct place *place)
{
	sched_unlock(v->sched);
	host_enter(v->host, id, *place);
	sched_lock(v->sched);
}

/*
 * Show the whole of the interval under the cursor; if that is shown, or there is none, go to the
 * event that began it.
 */
static void enter(struct view *v)
{
	const struct timeline_row *row = timeline_here(v);
	struct place place = timeline_place(v, v->cursor);
	struct pyramid_state state = { 0 };
	bool is_event = event_here(v, &place), is_known = !is_event && timeline_state(v, &state);
	bool is_interval = is_known && state.kind && state.kind <= PYRAMID_TIMED;

	if (is_interval && row->kind == TIMELINE_PARTS)
		place.pid = timeline_pid(v, timeline_why_part(v)->task);
	if (is_interval && !is_entered(v, row, &state)) {
		place.ts = state.from;
		place.to = state.to;
		v->entered = *row;
		v->entered_from = state.from;
		show(v, VIEW_TIMELINE, &place);
		v->entered_step = v->step;
		return;
	}
	if (is_known)
		place.ts = state.from;
	place.pid = -1;			/* the record of a switch belongs to the previous task */
	show(v, VIEW_EVENTS, &place);
}

static bool take_request(struct view *v, enum request request, char letter)
{
	if (timeline_move(v, request))
		return true;
	switch ((int)request) {
	case REQ_ONLY:
	case REQ_WITHOUT:
		return timeline_filter_from_here(v, letter, request == REQ_WITHOUT), true;
	case REQ_ENTER:
		return enter(v), true;
	}
	return false;
}

/* Calls the screen without the lock, because the screen may call the view. */
static bool timeline_request(struct view *v, enum request request, char letter)
{
	bool taken;

	/* without columns it was never drawn: the terminal is too small */
	if (!timeline_is_known(v) || !v->has_window || !v->columns)
		return false;
	sched_lock(v->sched);
	taken = take_request(v, request, letter);
	sched_unlock(v->sched);
	return taken;
}

static int64_t moment_of(const struct view *v, int col)
{
	int64_t column = col < v->label ? 0 : col - v->label;

	return time_after(v->from,
			  column < (int64_t)v->columns ? column * v->step : timeline_width(v));
}

/* Set A and B to the columns from the button press to here, both included. */
static void mark_dragged(struct view *v, int col)
{
	int left = col < v->drag_from ? col : v->drag_from,
	    right = col < v->drag_from ? v->drag_from : col;
	struct place *marks = v->shared->at.places.marks;

	sched_lock(v->sched);
	marks[0] = timeline_place(v, moment_of(v, left));
	marks[1] = timeline_place(v, moment_of(v, right + 1));
	sched_unlock(v->sched);
}

static bool is_on_ruler(const struct view *v, const struct ui_mouse *mouse)
{
	return mouse->row == v->body_top - 1;
}

static void press(struct view *v, const struct ui_mouse *mouse)
{
	int64_t row = timeline_row_at(v, mouse->row);
	bool label = mouse->col < v->label;

	v->drag_from = -1;
	if (row >= 0)
		timeline_move_row(v, (int)(row - (int64_t)v->at));
	else if (!is_on_ruler(v, mouse))
		return;
	if (label && row >= 0) {
		timeline_move(v, timeline_here_is_open(v) ? REQ_FOLD_CLOSE : REQ_FOLD_OPEN);
	} else if (!label) {
		v->cursor = moment_of(v, mouse->col);
		v->drag_from = mouse->col;
	}
}

/* With Ctrl, or over the ruler, the wheel zooms at the pointer; else it scrolls. */
static void turn_wheel(struct view *v, const struct ui_mouse *mouse)
{
	bool up = mouse->kind == UI_MOUSE_WHEEL_UP;

	if (!mouse->ctrl && !is_on_ruler(v, mouse)) {
		timeline_move_row(v, up ? -3 : 3);
		return;
	}
	if (mouse->col >= v->label)
		v->cursor = moment_of(v, mouse->col);
	timeline_request(v, up ? REQ_MORE : REQ_LESS, 0);
}

static void timeline_mouse(struct view *v, const struct ui_mouse *mouse)
{
	if (!timeline_is_known(v) || !v->has_window)
		return;
	switch (mouse->kind) {
	case UI_MOUSE_WHEEL_UP:
	case UI_MOUSE_WHEEL_DOWN:
		turn_wheel(v, mouse);
		break;
	case UI_MOUSE_PRESS:
		press(v, mouse);
		break;
	case UI_MOUSE_DOUBLE:
		if (mouse->col >= v->label && timeline_row_at(v, mouse->row) >= 0)
			timeline_request(v, REQ_ENTER, 0);
		else
			press(v, mouse);
		break;
	case UI_MOUSE_DRAG:
	case UI_MOUSE_RELEASE:
		if (v->drag_from >= 0 && mouse->col >= v->label && mouse->col != v->drag_from) {
			v->cursor = moment_of(v, mouse->col);
			mark_dragged(v, mouse->col);
		}
		if (mouse->kind == UI_MOUSE_RELEASE)
			v->drag_from = -1;
		break;
	}
}

/* --- the rest ------------------------------------------------------------------------------ */

static const struct list_tab all_lists[] = {
	{ 'm', "CPUs and their tasks" }, { 'c', "CPUs" }, { 'i', "CPUs and their interrupts" },
	{ 't', "tasks, by time" },
	{ 'p', "tasks of this process" },
	{ 'r', "tasks by process" }, { 'g', "tasks by cgroup" }, { 'b', "tasks by name" },
	{ 'u', "tasks by user" }, { 'y', "tasks by scheduling class" }, { 0, NULL },
};

static char timeline_list_shown(struct view *v)
{
	return v->list;
}

static bool timeline_choose_list(struct view *v, char letter)
{
	uint32_t task = SCHED_NO_TASK;
	int tgid;

	if (letter == 'p' && timeline_is_known(v) && v->has_window) {
		sched_lock(v->sched);
		task = timeline_task_here(v);
		if (task < sched_nr_tasks(v->sched)) {
			v->process = timeline_pid(v, task);
			/* the cursor moves from the CPU to the task */
			v->here = (struct timeline_row){ TIMELINE_OF_TASK, task };
		}
		sched_unlock(v->sched);
	}
	if (letter == 'p' && task >= SCHED_IDLE_TASK)
		return false;
	if (letter == 'p' && !trace_tgid(v->shared->trace, v->file, v->process, v->cursor, &tgid))
		host_message(v->host,
			     "the process of this task is not recorded: these have its name");
	v->list = letter;
	return true;
}

/* Waits for guests, for the window, or for a task to be shown that the model may not know yet. */
static bool timeline_waits(struct view *v)
{
	for (unsigned int i = 0; i < v->guests.nr; i++)
		if (!sched_progress(v->guests.list[i].sched).done)
			return true;
	return v->sched && (!v->timeline.sched || v->wanted.set) &&
	       (timeline_is_known(v) || !sched_progress(v->sched).done);
}

static bool timeline_pick_task(struct view *v, unsigned int file, int pid)
{
	uint32_t task = SCHED_NO_TASK;

	if (!timeline_is_known(v) || !v->has_window || file != v->file || pid <= 0)
		return false;
	sched_lock(v->sched);
	task = sched_rules_find(sched_pass_rules(sched_pass_of(v->sched)), (uint32_t)pid,
				v->shared->at.here.ts);
	if (task < sched_nr_tasks(v->sched))
		timeline_choose_row(v, TIMELINE_OF_TASK, task);
	else
		task = SCHED_NO_TASK;
	sched_unlock(v->sched);
	return task != SCHED_NO_TASK;
}

static void timeline_command(struct view *v, struct text *out)
{
	const struct timeline_row *row = timeline_here(v);

	text_add(out, "timeline");
	if (!timeline_is_known(v) || !v->has_window)
		return;
	if (v->shows_events)
		text_add(out, " --plot '*'");
	for (unsigned int i = 0; i < v->nr_plots; i++)
		text_printf(out, " --plot %s", series_name(v->plots[i]));
	sched_lock(v->sched);
	if (row && row->kind == TIMELINE_OF_TASK)
		text_printf(out, " --task %d", timeline_pid(v, row->index));
	sched_unlock(v->sched);
}

/*
 * S t saves the picture with all rows and the description at the cursor. Made for the first line.
 */
static bool timeline_save_row(struct view *v, uint64_t i, struct text *out)
{
	struct timeline_text picture = { .rows = v->rows, .nr_rows = v->nr_rows, .label = v->label,
					 .has_at = true, .at_ts = v->cursor, .at = v->at };
	bool tall = v->timeline.tall;
	const char *s;

	if (!timeline_is_known(v) || !v->has_window || !v->timeline.columns)
		return false;
	if (!i) {
		text_clear(&v->saved);
		sched_lock(v->sched);
		v->timeline.tall = false;
		timeline_text_picture(&v->timeline, &picture, &v->saved);
		v->timeline.tall = tall;
		sched_unlock(v->sched);
		v->saved_at = 0;
	}
	s = text_str(&v->saved) + v->saved_at;
	if (!*s)
		return false;
	text_bytes(out, s, strcspn(s, "\n"));
	v->saved_at += strcspn(s, "\n") + 1;
	return true;
}

static bool timeline_can(struct view *v, enum request request)
{
	(void)request;
	return v->has_window;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_MORE, REQ_LESS, REQ_RESET, REQ_SLOW_NEXT, REQ_SLOW_PREV, REQ_WAKER,
	REQ_WAKEE, REQ_PIN, REQ_FOLD_OPEN, REQ_ONLY, REQ_MARK_A, REQ_MARK_B,
	REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_ENTER, REQ_WHY, REQ_MORE, REQ_LESS, REQ_SLOW_NEXT, REQ_PICK_TASK, REQ_BACK, REQ_RECORD,
	REQ_HELP, REQ_FILTER, REQ_WAKER, REQ_WAKEE, REQ_PIN, REQ_ONLY, REQ_THRESHOLD,
	REQ_RESET, REQ_NEXT_LIST, REQ_MARK_A, REQ_MARK_B, REQ_GO, REQ_COLUMNS,
	REQ_DETAIL, REQ_SPLIT, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_RIGHT, NULL, "move the cursor right by a column; on the row of idle CPUs, show them" },
	{ REQ_LEFT, NULL, "move the cursor left by a column; on the row of idle CPUs, hide them" },
	{ REQ_SIDE_RIGHT, NULL, "move right by half the window" },
	{ REQ_SIDE_LEFT, NULL, "move left by half the window" },
	{ REQ_FIRST, NULL, "go to the beginning of the trace, in this row" },
	{ REQ_LAST, NULL, "go to its end, in this row" },
	{ REQ_NEXT_LIST, NULL, "show the next list of rows" },
	{ REQ_PREV_LIST, NULL, "show the previous list of rows" },
	{ REQ_CHOOSE_LIST, NULL, "choose the rows by a letter" },
	{ REQ_MORE, NULL, "zoom in at the cursor; the wheel over the times, or with Ctrl, zooms at the "
		"pointer" },
	{ REQ_LESS, "Zoom", "zoom out at the cursor" },
	{ REQ_RESET, "All", "show the whole trace; from there, zoom to A–B" },
	{ REQ_TRACK_NEXT, "Change", NULL },
	{ REQ_SAME_NEXT, "Run", NULL },
	{ REQ_SLOW_NEXT, NULL, "go to the next run, wait or interrupt of this row that takes at "
		"least the threshold" },
	{ REQ_SLOW_PREV, NULL, "go to the previous run, wait or interrupt of this row that takes "
		"at least the threshold" },
	{ REQ_WAKER, "Waker", "go to where this task was woken; again goes to where its waker was "
		"woken" },
	{ REQ_WAKEE, "Woken", "go to where the task that is woken next from here runs" },
	{ REQ_PIN, "Pin", "pin this row at the top, below other pinned rows; again unpins it" },
	{ REQ_FOLD_OPEN, NULL, "open the group of CPUs or tasks, or close it; on a CPU, show rows for its interrupts, or hide them; on idle CPUs, show them" },
	{ REQ_OPEN_ALL, NULL, "open all groups of CPUs; show rows for the interrupts of all CPUs and for idle CPUs; again hides them" },
	{ REQ_COLUMNS, "Rows", "choose the events that have rows" },
	{ REQ_ENTER, "Fit", "show the whole of the run, wait or sleep under the cursor, with a "
		"tenth of it on each side; again goes to the event that began it" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.bar = bar,
	.row = row_requests,
	.words = words,
	.can = timeline_can,
};

/* Rows that the user added or unfolded; those of CPUs by their numbers in the model. */
static void timeline_save(struct view *v, struct text *out)
{
	uint64_t *turned = mem_array(v->nr_turned + 1, sizeof(*turned));
	unsigned int nr = 0;

	for (uint32_t i = 0; i < v->nr_turned; i++)
		if (v->turned[i])
			turned[nr++] = i;
	if (v->file)
		kept_add_numbers(out, "file", &(uint64_t){ v->file }, 1);
	if (nr)
		kept_add_numbers(out, "turned", turned, nr);
	if (v->shows_idle)
		text_add(out, "idle shown\n");
	timeline_plots_save(v, out);
	free(turned);
}

static void timeline_restore(struct view *v, const char *key, const char *value)
{
	uint64_t numbers[KEPT_MAX_NUMBERS];
	unsigned int nr = kept_numbers(value, numbers);

	if (!strcmp(key, "file") && nr && numbers[0] &&
	    numbers[0] < trace_nr_files(v->shared->trace)) {
		end_trace(v);
		use_trace(v, (unsigned int)numbers[0]);
	}
	for (unsigned int i = 0; !strcmp(key, "turned") && !v->shared->growth.has_more && i < nr;
	     i++)
		if (numbers[i] < MOST_CPUS)
			timeline_unfold(v, (uint32_t)numbers[i], v->list != 'i');
	if (!strcmp(key, "idle"))
		v->shows_idle = !strcmp(value, "shown");
	if (!strcmp(key, "plot"))
		timeline_plots_restore(v, value);
}

const struct view_ops view_timeline_ops = {
	.open = timeline_open,
	.close = timeline_close,
	.draw = timeline_draw_view,
	.rows = timeline_needed_rows,
	.header = timeline_header,
	.publish = timeline_publish,
	.request = timeline_request,
	.is_open = timeline_is_open,
	.mouse = timeline_mouse,
	.go = timeline_go,
	.retrace = timeline_retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){
		.rows = timeline_detail_rows, .draw = timeline_draw_detail,
	},
	.lists = &(const struct view_lists){
		.all = all_lists, .shown = timeline_list_shown, .choose = timeline_choose_list,
	},
	.columns = &(const struct view_columns){
		.count = timeline_nr_columns,
		.name = timeline_column,
		.toggle = timeline_toggle_column,
	},
	.moments = &(const struct view_moments){
		.window = timeline_window, .span = timeline_span_of, .plot = timeline_plot,
		.why = timeline_why,
	},
	.kept = &(const struct view_kept){ .save = timeline_save, .restore = timeline_restore },
	.search = &(const struct view_search){ .find = timeline_find,
					       .pick_task = timeline_pick_task },
	.commands = &(const struct view_commands){
		.command = timeline_command, .save_row = timeline_save_row,
	},
	.work = &(const struct view_work){ .waits = timeline_waits, .take = timeline_take },
};
