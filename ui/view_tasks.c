/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_tasks - what each task and each CPU did in the range, as tables that are sorted by
 * any column.  A worker adds up; what it has so far is shown.
 */
#include "ui/view_tasks.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/memory.h"

static const struct tasks_column_info task_columns[NR_TASKS_COLUMNS] = {
	[TASKS_NAME] = { "task", 0, TASKS_IS_NAME },
	[TASKS_RUN] = { "run", 10, TASKS_IS_TIME },
	[TASKS_SHARE] = { "%cpu", 7, TASKS_IS_SHARE },
	[TASKS_SWITCHES] = { "switch", 10, TASKS_IS_COUNT },
	[TASKS_PREEMPTIONS] = { "preempt", 11, TASKS_IS_COUNT },
	[TASKS_WAIT] = { "wait", 10, TASKS_IS_TIME },
	[TASKS_MAX_WAKE] = { "max wake", 11, TASKS_IS_TIME },
	[TASKS_SLEEP] = { "sleep", 10, TASKS_IS_TIME },
	[TASKS_BLOCKED] = { "blocked", 10, TASKS_IS_TIME },
	[TASKS_CUT] = { "cut", 10, TASKS_IS_TIME },
	[TASKS_MIGRATIONS] = { "migr", 8, TASKS_IS_COUNT },
	[TASKS_WAKEUPS] = { "wakeups", 10, TASKS_IS_COUNT },
	[TASKS_WOKE] = { "woke", 8, TASKS_IS_COUNT },
};

static const struct tasks_column_info cpu_columns[NR_CPUS_COLUMNS] = {
	[CPUS_NAME] = { "CPU", 0, TASKS_IS_NAME },
	[CPUS_BUSY] = { "busy", 10, TASKS_IS_TIME },
	[CPUS_SHARE] = { "%busy", 8, TASKS_IS_SHARE },
	[CPUS_IDLE] = { "idle", 10, TASKS_IS_TIME },
	[CPUS_SWITCHES] = { "switch", 10, TASKS_IS_COUNT },
};

const struct tasks_column_info *tasks_columns(const struct view *view, unsigned int *nr)
{
	*nr = view->by_cpu ? NR_CPUS_COLUMNS : NR_TASKS_COLUMNS;
	return view->by_cpu ? cpu_columns : task_columns;
}

/* --- figures ---------------------------------------------------------------------- */

static int64_t task_value(const struct sched_task *t, enum tasks_column column)
{
	switch (column) {
	case TASKS_RUN:
		return t->run;
	case TASKS_SHARE:
		return (int64_t)((uint64_t)t->run + (uint64_t)t->run_cut);
	case TASKS_SWITCHES:
		return (int64_t)t->switches;
	case TASKS_PREEMPTIONS:
		return (int64_t)t->preemptions;
	case TASKS_WAIT:
		return t->wait;
	case TASKS_MAX_WAKE:
		return t->max_wakeup;
	case TASKS_SLEEP:
		return t->sleep;
	case TASKS_BLOCKED:
		return t->blocked;
	case TASKS_CUT:
		return t->run_cut;
	case TASKS_MIGRATIONS:
		return (int64_t)t->migrations;
	case TASKS_WAKEUPS:
		return (int64_t)t->wakeups;
	case TASKS_WOKE:
		return (int64_t)t->woke;
	case TASKS_NAME:
	case NR_TASKS_COLUMNS:
		break;
	}
	return 0;
}

static int64_t cpu_value(const struct cpu_sums *c, enum cpus_column column)
{
	switch (column) {
	case CPUS_BUSY:
	case CPUS_SHARE:
		return c->busy;
	case CPUS_IDLE:
		return c->idle;
	case CPUS_SWITCHES:
		return (int64_t)c->switches;
	case CPUS_NAME:
	case NR_CPUS_COLUMNS:
		break;
	}
	return c->cpu;
}

int64_t tasks_value(const struct view *v, uint32_t row, unsigned int column)
{
	if (v->by_cpu)
		return cpu_value(&v->figures.cpus[row], (enum cpus_column)column);
	return task_value(&v->figures.tasks[row], (enum tasks_column)column);
}

void tasks_name(const struct view *v, uint32_t row, struct text *out)
{
	if (v->by_cpu)
		text_printf(out, "CPU %d", v->figures.cpus[row].cpu);
	else
		text_printf(out, "%s-%" PRIu32, task_figures_name(&v->figures, row), v->figures.tasks[row].pid);
}

int64_t tasks_span(const struct view *v)
{
	int64_t from = v->shared->first, to = v->shared->last;

	if (v->range.set) {
		from = v->range.from > from ? v->range.from : from;
		to = v->range.to < to ? v->range.to : to;
	}
	return time_between(from, to);
}

/* --- rows -------------------------------------------------------------------------- */

struct sort_row {
	int64_t		value;
	const char	*name;		/* where rows are sorted by it */
	uint32_t	index;
};

/* The most first; names from a on. */
static int by_value(const void *a, const void *b)
{
	const struct sort_row *x = a, *y = b;
	int names = x->name ? strcmp(x->name, y->name) : 0;

	if (names)
		return names;
	if (x->value != y->value)
		return x->value < y->value ? 1 : -1;
	return x->index < y->index ? -1 : 1;
}

static uint32_t key_of(const struct view *v, uint32_t row)
{
	return v->by_cpu ? (uint32_t)v->figures.cpus[row].cpu : v->figures.tasks[row].pid;
}

static void find_here(struct view *v)
{
	v->at = v->at < v->nr ? v->at : v->nr ? v->nr - 1 : 0;
	for (uint32_t i = 0; v->has_here && i < v->nr; i++)
		if (key_of(v, v->order[i]) == v->here) {
			v->at = i;
			return;
		}
}

static void sort_rows(struct view *v)
{
	unsigned int column = v->sort[v->by_cpu];
	struct sort_row *rows;

	v->nr = v->by_cpu ? v->figures.nr_cpus : v->figures.nr_tasks;
	rows = mem_array(v->nr + 1, sizeof(*rows));
	for (uint32_t i = 0; i < v->nr; i++) {
		rows[i] = (struct sort_row){ .index = i };
		if (!v->by_cpu && column == TASKS_NAME)
			rows[i].name = task_figures_name(&v->figures, i);
		else if (column != CPUS_NAME)
			rows[i].value = tasks_value(v, i, column);
	}
	qsort(rows, v->nr, sizeof(*rows), by_value);
	free(v->order);
	v->order = mem_array(v->nr + 1, sizeof(*v->order));
	for (uint32_t i = 0; i < v->nr; i++)
		v->order[i] = rows[v->inverted[v->by_cpu] ? v->nr - 1 - i : i].index;
	free(rows);
	find_here(v);
}

static void take_figures(struct view *v)
{
	if (!v->table || !task_table_take(v->table, &v->figures))
		return;
	v->has_figures = true;
	sort_rows(v);
}

/* Adds up anew where what is counted is another. */
static void begin(struct view *v)
{
	struct trace *trace = v->shared->trace;

	if (!v->stale)
		return;
	v->stale = false;
	task_table_free(v->table);
	v->table = NULL;
	v->has_figures = false;
	v->nr = 0;
	v->range = v->shared->places.range;
	if (trace && !trace_is_text(trace))
		v->table = task_table_new(trace, 0, v->range.set, v->range.from, v->range.to);
}

/* --- its life ------------------------------------------------------------------------ */

static void tasks_retrace(struct view *v)
{
	task_table_free(v->table);
	task_figures_fini(&v->figures);
	v->table = NULL;
	v->stale = true;
	v->has_figures = v->has_here = false;
	v->nr = v->at = v->top = 0;
}

static struct view *tasks_open(struct app *app, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->app = app;
	v->shared = shared;
	v->stale = true;
	v->sort[false] = TASKS_RUN;
	v->sort[true] = CPUS_NAME;
	return v;
}

static void tasks_close(struct view *v)
{
	if (!v)
		return;
	task_table_free(v->table);
	task_figures_fini(&v->figures);
	free(v->order);
	free(v);
}

static void tasks_changed(struct view *v)
{
	const struct range *now = &v->shared->places.range;

	if (now->set != v->range.set || (now->set && (now->from != v->range.from || now->to != v->range.to)))
		v->stale = true;
}

static bool tasks_progressed(struct view *v)
{
	begin(v);
	take_figures(v);
	return true;
}

static void tasks_draw_view(struct view *v, const struct view_area *area)
{
	begin(v);
	take_figures(v);
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
	v->here = key_of(v, v->order[v->at]);
	v->has_here = true;
}

static void sort_by(struct view *v, int step)
{
	unsigned int nr, *sort = &v->sort[v->by_cpu];

	tasks_columns(v, &nr);
	*sort = (*sort + nr + (unsigned int)step) % nr;
	v->inverted[v->by_cpu] = false;
	sort_rows(v);
}

static void scroll(struct view *v, int step)
{
	unsigned int nr;

	tasks_columns(v, &nr);
	if (step > 0 && v->side + 2 < nr)
		v->side++;
	if (step < 0 && v->side)
		v->side--;
}

/* The wake-up of the task under the cursor that waited longest; false: there is none. */
static bool worst_wake(const struct view *v, struct place *place)
{
	const struct sched_task *t;

	if (v->by_cpu || v->at >= v->nr)
		return false;
	t = &v->figures.tasks[v->order[v->at]];
	if (!t->max_wakeup)
		return false;
	*place = (struct place){ .set = true, .ref = TRACE_REF_NONE, .pid = (int)t->pid, .cpu = -1 };
	place->ts = task_table_moment(v->table, t->max_wake_ts);
	return true;
}

static bool tasks_span_of(struct view *v, bool end, struct place *place)
{
	if (!worst_wake(v, place))
		return false;
	if (end)
		place->ts = time_after(place->ts, v->figures.tasks[v->order[v->at]].max_wakeup);
	return true;
}

/* To the worst wake-up in the Timeline, else to the row of the task or CPU there. */
static void enter(struct view *v)
{
	struct place place;

	if (!worst_wake(v, &place)) {
		uint32_t key = key_of(v, v->order[v->at]);

		place = v->shared->here;
		place.ref = TRACE_REF_NONE;
		place.file = 0;
		place.pid = v->by_cpu ? -1 : (int)key;
		place.cpu = v->by_cpu ? (int)key : -1;
	}
	app_entering(v->app);
	app_show(v->app, VIEW_TIMELINE, &place);
}

static void filter_from_here(struct view *v, char letter, bool without)
{
	uint32_t row = v->order[v->at];
	struct text value = { 0 };

	if (v->by_cpu && strchr("ixc", letter)) {
		text_printf(&value, "%d", v->figures.cpus[row].cpu);
		app_filter_by(v->app, "cpu", text_str(&value), without);
	} else if (!v->by_cpu && strchr("ixt", letter)) {
		text_printf(&value, "%" PRIu32, v->figures.tasks[row].pid);
		app_filter_by(v->app, "pid", text_str(&value), without);
	} else if (!v->by_cpu && letter == 'p') {
		app_filter_by_process(v->app, 0, (int)v->figures.tasks[row].pid, v->shared->last, without);
	} else {
		app_message(v->app, v->by_cpu ? "here: c the CPU" : "here: t the task, p its process");
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
	int64_t at = v->at, page = v->height > 1 ? v->height - 1 : 1, half = (page + 1) / 2;

	switch ((int)request) {
	case REQ_DOWN:
	case REQ_UP:
		return select_row(v, request == REQ_DOWN ? at + 1 : at - 1), true;
	case REQ_PAGE_DOWN:
	case REQ_PAGE_UP:
		return select_row(v, request == REQ_PAGE_DOWN ? at + page : at - page), true;
	case REQ_HALF_DOWN:
	case REQ_HALF_UP:
		return select_row(v, request == REQ_HALF_DOWN ? at + half : at - half), true;
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

static bool tasks_request(struct view *v, enum request request, char letter)
{
	if (!v->nr)
		return false;
	if (move_request(v, request))
		return true;
	switch ((int)request) {
	case REQ_SIDE_RIGHT:
	case REQ_SIDE_LEFT:
		return sort_by(v, request == REQ_SIDE_RIGHT ? 1 : -1), true;
	case REQ_SORT:
		return sort_by(v, 1), true;
	case REQ_SORT_INVERT:
		v->inverted[v->by_cpu] = !v->inverted[v->by_cpu];
		return sort_rows(v), true;
	case REQ_COMPARE:
		app_message(v->app, "tables cannot be compared in this version");
		return true;
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
	if (file || v->by_cpu)
		return false;
	for (uint32_t i = 0; i < v->nr; i++)
		if (key_of(v, v->order[i]) == (uint32_t)pid) {
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

static const struct view_list lists[] = { { 't', "tasks" }, { 'c', "CPUs" }, { 0, NULL } };

static char tasks_list(struct view *v)
{
	return v->by_cpu ? 'c' : 't';
}

static bool tasks_choose_list(struct view *v, char letter)
{
	if (v->by_cpu == (letter == 'c'))
		return true;
	v->by_cpu = letter == 'c';
	v->has_here = false;
	v->at = v->top = v->side = 0;
	if (v->has_figures)
		sort_rows(v);
	return true;
}

static void tasks_header(struct view *v, struct text *out)
{
	if (v->nr)
		text_printf(out, "%s %" PRIu32 " of %" PRIu32, v->by_cpu ? "CPU" : "task", v->at + 1, v->nr);
}

static void tasks_command(struct view *v, struct text *out)
{
	text_add(out, "tasks");
	if (!v->range.set)
		return;
	text_add(out, " --from ");
	shared_time(v->shared, v->range.from, 9, out);
	text_add(out, " --to ");
	shared_time(v->shared, v->range.to, 9, out);
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
	(void)most;
	return normal && v->nr ? normal + 1 : 0;
}

static bool tasks_can(struct view *v, enum request request)
{
	return v->nr || request == REQ_HELP || request == REQ_OPTIONS;
}

static const enum request row_requests[] = {
	REQ_ENTER, REQ_SIDE_RIGHT, REQ_SORT_INVERT, REQ_MARK_A, REQ_MARK_B, REQ_ONLY, REQ_WITHOUT, REQ_COPY, REQ_NONE
};

static const enum request bar[] = {
	REQ_ENTER, REQ_SORT, REQ_SORT_INVERT, REQ_NEXT_LIST, REQ_SEARCH, REQ_ONLY, REQ_WITHOUT, REQ_HELP, REQ_PICK_TASK,
	REQ_GO, REQ_DETAIL, REQ_OPTIONS, REQ_NONE
};

static const struct view_word words[] = {
	{ REQ_ENTER, "Worst", "the wake-up of this task that waited longest, in the Timeline; of a CPU its row there" },
	{ REQ_SIDE_RIGHT, NULL, "sort by the next column" },
	{ REQ_SIDE_LEFT, NULL, "sort by the column before" },
	{ REQ_SORT, "Sort", "sort by the next column" },
	{ REQ_SORT_INVERT, "Invert", "the other end first" },
	{ REQ_RIGHT, NULL, "columns that have no room, a column further" },
	{ REQ_LEFT, NULL, "a column back" },
	{ REQ_RESET, NULL, "columns from the first one on" },
	{ REQ_SEARCH, NULL, "text, or /regex/, in the names" },
	{ REQ_MARK_A, NULL, "A where this task's worst wake-up begins" },
	{ REQ_MARK_B, NULL, "B where it ran after it" },
	{ REQ_NEXT_LIST, "List", "tasks, or CPUs" },
	{ REQ_CHOOSE_LIST, NULL, "a list directly: t tasks, c CPUs" },
	{ REQ_PICK_TASK, NULL, "the row of one of all tasks" },
	{ REQ_COMPARE, NULL, "not for tables yet" },
	{ REQ_NONE, NULL, NULL },
};

extern const struct view_ops view_tasks_ops;
const struct view_ops view_tasks_ops = {
	.hint = "New here: > < sort by the next column, Enter shows the worst wake-up",
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
	.retrace = tasks_retrace,
	.changed = tasks_changed,
	.progressed = tasks_progressed,
	.find = tasks_find,
	.pick_task = tasks_pick,
	.list = tasks_list,
	.choose_list = tasks_choose_list,
	.save_row = tasks_save_row,
	.command = tasks_command,
	.can = tasks_can,
};
