/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_tasks - what each task and each CPU did in the range, as tables that are sorted by
 * any column.  A worker adds up; what it has so far is shown.
 */
#include "ui/tasks/view_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"

/* --- its life ------------------------------------------------------------------------ */

static struct view *tasks_open(struct app *app, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->app = app;
	v->shared = shared;
	for (unsigned int comparing = 0; comparing < 2; comparing++)
		v->sort[TASKS_OF_TASKS][comparing] = v->sort[TASKS_OF_TYPES][comparing] = 1;
	return v;
}

static void tasks_close(struct view *v)
{
	if (!v)
		return;
	tasks_forget(v);
	text_fini(&v->scope_key);
	free(v->order);
	free(v);
}

/* What filters and range leave is begun anew when it is shown; rows that they hide, at once. */
static void tasks_changed(struct view *v)
{
	if (v->begun)
		tasks_sort(v);
}

static bool tasks_progressed(struct view *v)
{
	tasks_count(v);
	return true;
}

static void tasks_draw_view(struct view *v, const struct view_area *area)
{
	tasks_count(v);
	tasks_draw(v, area);
}

/* Rows are no moments: the shared cursor stays. */
static void tasks_publish(struct view *v)
{
	(void)v;
}

static bool tasks_go(struct view *v, const struct place *place)
{
	(void)v, (void)place;
	return false;
}

/* --- requests -------------------------------------------------------------------------- */

static void select_row(struct view *v, int64_t row)
{
	if (!v->nr)
		return;
	v->at = (uint32_t)(row < 0 ? 0 : row >= v->nr ? v->nr - 1 : row);
	v->here = tasks_key(v, v->order[v->at]);
	v->has_here = true;
}

static void sort_by(struct view *v, int step)
{
	unsigned int nr, *sort = &v->sort[v->list][v->comparing];

	tasks_columns(v, &nr);
	*sort = tasks_sorted_by(v);
	do
		*sort = (*sort + nr + (unsigned int)step) % nr;
	while (!tasks_has_column(v, *sort));
	*tasks_inverted(v) = false;
	tasks_sort(v);
}

static void scroll(struct view *v, int step)
{
	unsigned int nr;

	tasks_columns(v, &nr);
	do
		if (step > 0 && v->side + 2 < nr)
			v->side++;
		else if (step < 0 && v->side)
			v->side--;
		else
			break;
	while (!tasks_has_column(v, v->side));
}

/* The range beside the rest of the trace. */
static void compare(struct view *v)
{
	if (!v->comparing && !v->shared->places.range.set) {
		app_message(v->app, "there is no range to compare with the rest: a, b and r make one");
		return;
	}
	v->comparing = !v->comparing;
	v->side = 0;
	tasks_count(v);
	tasks_sort(v);
}

/* What Enter shows of the task under the cursor: the worst of the column that is sorted by; false: there is none. */
static bool worst(struct view *v, struct place *place, int64_t *length)
{
	static const enum task_stay stays[] = {
		[TASKS_LONGEST_WAIT] = TASK_WAITED, [TASKS_LONGEST_WAKE] = TASK_WAITED, [TASKS_LONGEST_RUN] = TASK_RAN,
		[TASKS_LONGEST_SLEEP] = TASK_SLEPT, [TASKS_LONGEST_BLOCK] = TASK_WAS_BLOCKED,
	};
	const struct tasks_column *columns;
	struct task_longest longest;
	const struct sched_task *t;
	enum tasks_worst kind;
	unsigned int nr;

	if (v->list != TASKS_OF_TASKS || v->at >= v->nr)
		return false;
	columns = tasks_columns(v, &nr);
	kind = columns[tasks_sorted_by(v)].worst;
	t = &v->now.figures.tasks[v->order[v->at]];
	longest = v->now.figures.sums[v->order[v->at]].longest[stays[kind]];
	if (kind == TASKS_LONGEST_WAKE || (kind == TASKS_LONGEST_WAIT && longest.length <= t->max_wakeup))
		longest = (struct task_longest){ t->max_wakeup, t->max_wake_ts };
	if (!longest.length)
		return false;
	*place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .pid = (int)t->pid, .cpu = -1 };
	place->ts = task_table_moment(v->now.table, longest.ts);
	*length = longest.length;
	return true;
}

static bool tasks_span_of(struct view *v, bool end, struct place *place)
{
	int64_t length;

	if (!worst(v, place, &length))
		return false;
	if (end)
		place->ts = time_after(place->ts, length);
	return true;
}

/* To the next event of this type, in Events. */
static void enter_type(struct view *v)
{
	struct find find = { .kind = FIND_NAME, .forward = true, .what = "event of this type" };
	struct place place = v->shared->here;

	find.type_id = (int)tasks_key(v, v->order[v->at]);
	if (v->range.set) {
		place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .pid = -1, .cpu = -1 };
		place.ts = v->range.from;
	}
	app_entering(v->app);
	app_show(v->app, VIEW_EVENTS, &place);
	app_find(v->app, &find);
}

/* To the worst in the Timeline, else to the row of the task or CPU there. */
static void enter(struct view *v)
{
	struct place place;
	int64_t length;

	if (v->list == TASKS_OF_TYPES) {
		enter_type(v);
		return;
	}
	if (!worst(v, &place, &length)) {
		uint32_t key = tasks_key(v, v->order[v->at]);

		place = v->shared->here;
		place.ref = TRACE_REF_NONE;
		place.file = 0;
		place.pid = v->list == TASKS_OF_CPUS ? -1 : (int)key;
		place.cpu = v->list == TASKS_OF_CPUS ? (int)key : -1;
	}
	app_entering(v->app);
	app_show(v->app, VIEW_TIMELINE, &place);
}

static void filter_from_here(struct view *v, char letter, bool without)
{
	static const char *const here[TASKS_LISTS] = { "here: t the task, p tasks of its name", "here: c the CPU", "here: e the event" };
	uint32_t row = v->order[v->at];
	struct text value = { 0 };

	if (v->list == TASKS_OF_CPUS && strchr("ixc", letter)) {
		text_printf(&value, "%d", v->now.figures.cpus[row].cpu);
		app_filter_by(v->app, "cpu", text_str(&value), without);
	} else if (v->list == TASKS_OF_TASKS && strchr("ixt", letter)) {
		text_printf(&value, "%" PRIu32, v->now.figures.tasks[row].pid);
		app_filter_by(v->app, "pid", text_str(&value), without);
	} else if (v->list == TASKS_OF_TASKS && letter == 'p') {
		app_filter_by_process(v->app, 0, (int)v->now.figures.tasks[row].pid, v->shared->last, without);
	} else if (v->list == TASKS_OF_TYPES && strchr("ixe", letter)) {
		tasks_name(v, row, &value);
		app_filter_by(v->app, NULL, text_str(&value), without);
	} else {
		app_message(v->app, "%s", here[v->list]);
	}
	text_fini(&value);
}

static bool copy(struct view *v, char letter)
{
	struct text t = { 0 };

	if (letter != 'y' && letter != 'v')
		return false;
	if (letter == 'y')
		tasks_row_text(v, v->order[v->at], &t);
	else
		tasks_name(v, v->order[v->at], &t);
	app_copy(v->app, letter == 'y' ? "row" : "name", text_str(&t), t.len);
	text_fini(&t);
	return true;
}

static bool move_request(struct view *v, enum request request)
{
	int rows = request_rows(request, (int)v->height, NULL);

	if (rows)
		return select_row(v, (int64_t)v->at + rows), true;
	switch ((int)request) {
	case REQ_FIRST:
	case REQ_LAST:
		return select_row(v, request == REQ_FIRST ? 0 : (int64_t)v->nr - 1), true;
	case REQ_RIGHT:
	case REQ_LEFT:
		return scroll(v, request == REQ_RIGHT ? 1 : -1), true;
	case REQ_RESET:
		v->side = 0;
		return true;
	}
	return false;
}

static void show_words(struct view *v, bool all)
{
	if (!v->nr)
		app_message(v->app, "there is no row here");
	else if (v->all_words == all)
		app_message(v->app, all ? "all that is told of the row is shown: - ends that" : "+ shows all that is told of the row");
	v->all_words = all && v->nr;
}

static bool tasks_request(struct view *v, enum request request, char letter)
{
	if (!v->nr)
		return request == REQ_COMPARE && v->comparing ? compare(v), true : false;
	if (move_request(v, request))
		return true;
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
	case REQ_SIDE_LEFT:
		return sort_by(v, request == REQ_SIDE_RIGHT ? 1 : -1), true;
	case REQ_SORT:
		return sort_by(v, 1), true;
	case REQ_SORT_INVERT:
		*tasks_inverted(v) = !*tasks_inverted(v);
		return tasks_sort(v), true;
	case REQ_SLOW_NEXT:
	case REQ_SLOW_PREV:
		return select_row(v, (request == REQ_SLOW_NEXT) == *tasks_inverted(v) ? (int64_t)v->at + 1 : (int64_t)v->at - 1), true;
	case REQ_MORE:
	case REQ_LESS:
		return show_words(v, request == REQ_MORE), true;
	case REQ_COMPARE:
		return compare(v), true;
	case REQ_ENTER:
		return enter(v), true;
	case REQ_ONLY:
	case REQ_WITHOUT:
		return filter_from_here(v, letter, request == REQ_WITHOUT), true;
	case REQ_COPY:
		return copy(v, letter);
	}
	return false;
}

/* A pattern is looked for in the names, and round the end. */
static bool tasks_find(struct view *v, const struct find *find)
{
	struct text name = { 0 };
	bool found = false;

	if (find->kind != FIND_PATTERN || !v->shared->pattern || !v->nr)
		return false;
	for (uint32_t i = 1; i <= v->nr && !found; i++) {
		uint32_t row = find->forward ? (v->at + i) % v->nr : (v->at + v->nr - i) % v->nr;
		size_t start, end;

		text_clear(&name);
		tasks_name(v, v->order[row], &name);
		found = search_pattern_find(v->shared->pattern, text_str(&name), name.len, 0, &start, &end);
		if (found)
			select_row(v, row);
	}
	text_fini(&name);
	if (!found)
		app_message(v->app, "no name here has that; 1 looks through all events");
	return true;
}

static bool tasks_pick(struct view *v, unsigned int file, int pid)
{
	if (file || v->list != TASKS_OF_TASKS)
		return false;
	for (uint32_t i = 0; i < v->nr; i++)
		if (tasks_key(v, v->order[i]) == (uint32_t)pid) {
			select_row(v, i);
			return true;
		}
	return false;
}

static void tasks_mouse(struct view *v, const struct ui_mouse *mouse)
{
	int line = mouse->row - v->body_top;

	if (mouse->kind == UI_MOUSE_WHEEL_UP || mouse->kind == UI_MOUSE_WHEEL_DOWN) {
		select_row(v, (int64_t)v->at + (mouse->kind == UI_MOUSE_WHEEL_UP ? -1 : 1));
		return;
	}
	if (line < 0 || line >= (int)v->height || v->top + (uint32_t)line >= v->nr)
		return;
	if (mouse->kind == UI_MOUSE_PRESS || mouse->kind == UI_MOUSE_DOUBLE)
		select_row(v, (int64_t)v->top + line);
	if (mouse->kind == UI_MOUSE_DOUBLE)
		enter(v);
}

/* --- lists, text ------------------------------------------------------------------------ */

static const struct view_list lists[] = { { 't', "tasks" }, { 'c', "CPUs" }, { 'e', "event types" }, { 0, NULL } };

static char tasks_list(struct view *v)
{
	return lists[v->list].letter;
}

static bool tasks_choose_list(struct view *v, char letter)
{
	enum tasks_list list = letter == 't' ? TASKS_OF_TASKS : letter == 'c' ? TASKS_OF_CPUS : TASKS_OF_TYPES;

	if (v->list == list)
		return true;
	v->list = list;
	v->has_here = false;
	v->at = v->top = v->side = 0;
	tasks_count(v);
	tasks_sort(v);
	return true;
}

static void tasks_header(struct view *v, struct text *out)
{
	static const char *const rows[TASKS_LISTS] = { "task", "CPU", "type" };

	if (!tasks_has_nothing(v))
		text_printf(out, "%s %" PRIu32 " of %" PRIu32, rows[v->list], v->at + 1, v->nr);
}

static void tasks_command(struct view *v, struct text *out)
{
	text_add(out, v->list == TASKS_OF_TYPES ? "info" : "tasks");
}

static bool tasks_save_row(struct view *v, uint64_t i, struct text *out)
{
	if (i >= v->nr)
		return false;
	tasks_row_text(v, v->order[i], out);
	return true;
}

static int tasks_detail_rows(struct view *v, int normal, int most)
{
	int words = v->all_words && v->nr ? tasks_words_rows(v, v->shared->cols) : 0;
	int rows = words > normal ? words < most ? words : most : normal;

	return rows && v->nr ? rows + 1 : 0;
}

static bool tasks_can(struct view *v, enum request request)
{
	return !tasks_has_nothing(v) || request == REQ_HELP || request == REQ_OPTIONS || request == REQ_NEXT_LIST;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_SIDE_RIGHT, REQ_SORT_INVERT, REQ_MARK_A, REQ_MARK_B, REQ_ONLY, REQ_WITHOUT, REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_ENTER, REQ_SORT, REQ_SORT_INVERT, REQ_NEXT_LIST, REQ_SEARCH, REQ_ONLY, REQ_WITHOUT, REQ_HELP, REQ_PICK_TASK,
	REQ_GO, REQ_DETAIL, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "Worst", "the longest wait of this task in the Timeline; sorted by max wake, sleep, blocked, max run the longest "
			      "of these; of a CPU its row there; of an event type the next such event" },
	{ REQ_SIDE_RIGHT, NULL, "sort by the next column" },
	{ REQ_SIDE_LEFT, NULL, "sort by the column before" },
	{ REQ_SORT, "Sort", "sort by the next column" },
	{ REQ_SORT_INVERT, "Invert", "the other end first" },
	{ REQ_RIGHT, NULL, "columns that have no room, a column further" },
	{ REQ_LEFT, NULL, "a column back" },
	{ REQ_RESET, NULL, "columns from the first one on" },
	{ REQ_SEARCH, NULL, "text, or /regex/, in the names" },
	{ REQ_MARK_A, NULL, "A where begins what Enter shows" },
	{ REQ_MARK_B, NULL, "B where it ends" },
	{ REQ_SLOW_NEXT, NULL, "the row with more of what is sorted by" },
	{ REQ_SLOW_PREV, NULL, "the row with less" },
	{ REQ_MORE, NULL, "all that is told of the row" },
	{ REQ_LESS, NULL, "as much of it as stands beside the table" },
	{ REQ_NEXT_LIST, "List", "tasks, CPUs, event types" },
	{ REQ_CHOOSE_LIST, NULL, "a list directly: t tasks, c CPUs, e event types" },
	{ REQ_PICK_TASK, NULL, "the row of one of all tasks" },
	{ REQ_COMPARE, NULL, "the range beside the rest of the trace, and back" },
	{ REQ_NONE, NULL, NULL },
};

extern const struct view_ops view_tasks_ops;
const struct view_ops view_tasks_ops = {
	.hint = "New here: > < sort by the next column, Enter shows the longest wait",
	.row_requests = row_requests,
	.bar = bar,
	.words = words,
	.lists = lists,
	.open = tasks_open,
	.close = tasks_close,
	.draw = tasks_draw_view,
	.publish = tasks_publish,
	.detail_rows = tasks_detail_rows,
	.draw_detail = tasks_draw_detail,
	.header = tasks_header,
	.request = tasks_request,
	.mouse = tasks_mouse,
	.go = tasks_go,
	.span = tasks_span_of,
	.retrace = tasks_forget,
	.changed = tasks_changed,
	.progressed = tasks_progressed,
	.find = tasks_find,
	.pick_task = tasks_pick,
	.list = tasks_list,
	.choose_list = tasks_choose_list,
	.save_row = tasks_save_row,
	.command = tasks_command,
	.is_table = true,
	.can = tasks_can,
};
