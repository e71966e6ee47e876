/* SPDX-License-Identifier: GPL-2.0-or-later */
/* tasks_draw - the tables of the Tasks view on the canvas, and the row under the cursor in words. */
#include <inttypes.h>
#include <string.h>

#include "src/timeline/timeline.h"
#include "ui/screen/list_window.h"
#include "ui/view/nothing_left.h"
#include "ui/rows/row.h"
#include "ui/tasks/view_tasks.h"

#define LEAST_NAME_CELLS	14
#define MOST_NAME_CELLS		28
#define MOST_TYPE_CELLS		48

/* --- cells -------------------------------------------------------------------------- */

void tasks_row_text(const struct view *v, uint32_t row, struct text *out)
{
	const struct tasks_column *columns;
	unsigned int nr;

	columns = tasks_columns(v, &nr);
	for (unsigned int i = 0; i < nr; i++) {
		struct text cell = { 0 };
		int cells;

		if (!tasks_has_column(v, i))
			continue;
		tasks_value_text(v, row, &columns[i], &cell);
		cells = text_cells(text_str(&cell), cell.len);
		if (!i) {
			text_add(out, text_str(&cell));
			text_pad(out, cells < MOST_NAME_CELLS ? (size_t)(MOST_NAME_CELLS - cells) : 0);
		} else {
			text_printf(out, "  %s ", columns[i].name);
			text_add(out, text_str(&cell) + strspn(text_str(&cell), " "));
		}
		text_fini(&cell);
	}
}

/* --- columns that have room ------------------------------------------------------------ */

struct layout {
	int		name;		/* cells of it */
	unsigned int	columns[TASKS_MOST_COLUMNS];
	int		cells[TASKS_MOST_COLUMNS];
	unsigned int	nr;
};

/* As the column has it, or as much as its largest number needs. */
static int column_cells(const struct view *v, const struct tasks_column *column, uint32_t largest)
{
	struct text t = { 0 };
	int cells;

	tasks_value_text(v, largest, column, &t);
	cells = text_cells(text_str(&t), t.len) + 1;
	text_fini(&t);
	return cells > column->cells ? cells : column->cells;
}

/* The last column is the range's, and that of the rest beside it has no room. */
static bool is_alone(const struct layout *l, const struct tasks_column *columns, unsigned int all, unsigned int sort)
{
	unsigned int last = l->nr ? l->columns[l->nr - 1] : all;

	return last + 1 < all && last != sort && columns[last + 1].rest;
}

/* From the right, columns that have no room are left out, but for the one that is sorted by. */
static void lay_out(struct view *v, int cols, struct layout *l)
{
	const struct tasks_column *columns;
	unsigned int all, sort = tasks_sorted_by(v);
	int used = 2 + LEAST_NAME_CELLS, most;

	columns = tasks_columns(v, &all);
	l->nr = 0;
	for (unsigned int i = 1; i < all && l->nr < TASKS_MOST_COLUMNS; i++) {
		if ((i <= v->side && i != sort) || !tasks_has_column(v, i))
			continue;
		l->cells[l->nr] = column_cells(v, &columns[i], v->largest[i]);
		used += l->cells[l->nr];
		l->columns[l->nr++] = i;
	}
	while (l->nr && (used > cols || is_alone(l, columns, all, sort))) {
		unsigned int last = l->nr - 1;

		if (l->columns[last] == sort && last)
			last--;
		used -= l->cells[last];
		memmove(l->columns + last, l->columns + last + 1, (l->nr - last - 1) * sizeof(l->columns[0]));
		memmove(l->cells + last, l->cells + last + 1, (l->nr - last - 1) * sizeof(l->cells[0]));
		l->nr--;
	}
	l->name = LEAST_NAME_CELLS + cols - used;
	most = v->list == TASKS_OF_TYPES ? MOST_TYPE_CELLS : MOST_NAME_CELLS;
	if (l->name > most)
		l->name = most;
}

/* --- headings ----------------------------------------------------------------------------- */

/* "5 of 24 tasks" */
static void add_rows(const struct view *v, struct text *out)
{
	static const char *const rows[TASKS_LISTS][2] = { { "tasks", "task" }, { "CPUs", "CPU" }, { "event types", "event type" } };

	text_count(out, v->nr);
	if (v->nr < v->all) {
		text_add(out, " of ");
		text_count(out, v->all);
	}
	text_printf(out, " %s", rows[v->list][v->all == 1]);
}

static void add_scope(const struct view *v, struct text *out)
{
	text_add(out, "range ");
	if (v->range.set)
		shared_span(v->shared, time_between(v->range.from, v->range.to), out);
	else
		text_add(out, "whole");
	if (v->comparing)
		text_add(out, " and the rest");
	text_add(out, "   filter ");
	if (!v->scope.nr_filters)
		text_add(out, "none");
	else if (v->list == TASKS_OF_TYPES)
		text_add(out, "on");
	else
		text_printf(out, "on: what a match ends counts%s", filters_hiding(&v->shared->filters) ? "" : ", others are dim");
}

static void draw_scope(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	unsigned int permille;
	int used;

	add_rows(v, &t);
	if (!tasks_is_done(v, &permille))
		text_printf(&t, "   ~ %u %% counted so far", permille / 10);
	else if (v->now.figures.failed)
		text_add(&t, "   ~ more tasks than a kernel can have: not all is counted");
	if (trace_nr_files(v->shared->trace) > 1) {
		text_add(&t, "   of ");
		shared_file_name(v->shared, 0, &t);
	}
	used = canvas_text(c, area->top, 1, c->cols - 2, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	add_scope(v, &t);
	canvas_right(c, area->top, used + 3, c->cols - used - 4, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

static void draw_column_names(struct view *v, const struct view_area *area, const struct layout *l)
{
	const struct tasks_column *columns;
	unsigned int nr, sort = tasks_sorted_by(v);
	bool down = (columns = tasks_columns(v, &nr), sort != 0) != *tasks_inverted(v);
	const char *mark = area->canvas->ascii ? down ? "v" : "^" : down ? "▾" : "▴";
	int col = 1 + l->name;
	struct text t = { 0 };

	text_printf(&t, "%s%s%s", columns[0].name, sort ? "" : " ", sort ? "" : mark);
	canvas_text(area->canvas, area->top + 1, 1, l->name, ROLE_HEADING, text_str(&t));
	for (unsigned int i = 0; i < l->nr; i++) {
		const char *name = columns[l->columns[i]].name;

		text_clear(&t);
		text_add(&t, name);
		if (l->columns[i] == sort)
			text_printf(&t, "%s%s", (int)strlen(name) + 3 <= l->cells[i] ? " " : "", mark);
		canvas_right(area->canvas, area->top + 1, col, l->cells[i], ROLE_HEADING, text_str(&t));
		col += l->cells[i];
	}
	text_fini(&t);
}

/* --- rows ----------------------------------------------------------------------------------- */

static void draw_name(const struct view *v, struct canvas *c, int line, uint32_t row, int cells)
{
	struct text name = { 0 }, fitted = { 0 };
	bool is_task = v->list == TASKS_OF_TASKS;
	enum role role = is_task ? row_hash_role(task_figures_name(&v->now.figures, row)) : ROLE_TEXT;
	size_t start, end;

	tasks_name(v, row, &name);
	timeline_fit_name(text_str(&name), is_task, cells, &fitted);
	canvas_text(c, line, 1, cells, role, text_str(&fitted));
	if (v->shared->pattern && search_pattern_find(v->shared->pattern, text_str(&name), name.len, 0, &start, &end))
		canvas_over(c, line, 1, cells, ROLE_MATCH);
	text_fini(&name);
	text_fini(&fitted);
}

static void draw_row(const struct view *v, struct canvas *c, int line, uint32_t at, const struct layout *l)
{
	const struct tasks_column *columns;
	uint32_t row = v->order[at];
	struct text t = { 0 };
	int col = 1 + l->name;
	unsigned int nr;

	columns = tasks_columns(v, &nr);
	draw_name(v, c, line, row, l->name);
	for (unsigned int i = 0; i < l->nr; i++) {
		text_clear(&t);
		tasks_value_text(v, row, &columns[l->columns[i]], &t);
		canvas_right(c, line, col, l->cells[i], ROLE_NUMBER, text_str(&t));
		col += l->cells[i];
	}
	if (!tasks_is_kept(v, row))
		canvas_over(c, line, 0, c->cols, ROLE_FILTERED);
	if (at == v->at) {
		canvas_text(c, line, 0, 1, ROLE_TEXT, ">");
		canvas_over(c, line, 0, c->cols, ROLE_SELECTED);
	}
	text_fini(&t);
}

/* Without sched events, too: system calls, and interrupts, whomever they hit. */
static bool can_tell(const struct view *v)
{
	const struct task_figures *f = &v->now.figures;

	return f->sched_records || f->has_calls || (v->list == TASKS_OF_CPUS ? f->has_irqs : f->nr_tasks > 0);
}

/* What is missing, and what does answer. */
static void draw_nothing(const struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	int line = area->top + 1;
	unsigned int permille;

	if (trace_is_text(v->shared->trace)) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "Latency text tells no switches of tasks: 1 Events shows its lines.");
	} else if (!tasks_is_done(v, &permille)) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT,
			    v->list == TASKS_OF_TYPES ? "Counting events …" : "Adding up what tasks did …");
	} else if (v->list == TASKS_OF_TYPES && !v->scope.nr_filters && !v->range.set) {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, "There are no events here.");
	} else if ((v->list == TASKS_OF_TYPES || can_tell(v)) && (v->scope.nr_filters || v->range.set)) {
		nothing_left_draw(v->shared, c, line, c->rows, v->scope.nr_filters ?
				  "No event here that the filters keep." : "No events in this range.", v->scope.nr_filters ?
				  "F all filters off   f edit   r the whole trace" : "r the whole trace");
	} else {
		canvas_text(c, line, 2, c->cols - 3, ROLE_TEXT, v->now.figures.sched_records ?
			    "The sched events here do not tell who ran, waited and slept." :
			    "No sched events here: who ran, waited and slept cannot be told.");
		canvas_text(c, line + 2, 2, c->cols - 3, ROLE_DIM, "To record them: R, or");
		canvas_text(c, line + 3, 2, c->cols - 3, ROLE_DIM,
			    "ftop-trace record -e sched_switch -e sched_waking -e sched_wakeup CMD");
		canvas_text(c, line + 4, 2, c->cols - 3, ROLE_DIM,
			    "o e counts the events of each type, p those of each task.");
	}
}

bool tasks_has_nothing(const struct view *v)
{
	return !v->nr || (v->list != TASKS_OF_TYPES && v->now.figures.done && !can_tell(v));
}

void tasks_draw(struct view *v, const struct view_area *area)
{
	struct layout l;

	v->body_top = area->top + TASKS_HEADINGS;
	v->height = area->rows > TASKS_HEADINGS ? (uint32_t)(area->rows - TASKS_HEADINGS) : 1;
	if (tasks_has_nothing(v)) {
		draw_nothing(v, area);
		return;
	}
	v->top = list_window_show(v->top, v->at, v->height, v->nr);
	lay_out(v, area->canvas->cols, &l);
	draw_scope(v, area);
	draw_column_names(v, area, &l);
	for (uint32_t i = 0; i < v->height && v->top + i < v->nr; i++)
		draw_row(v, area->canvas, v->body_top + (int)i, v->top + i, &l);
}

/* --- the selected row ------------------------------------------------------------------------- */

static void say_time(const struct view *v, const char *before, int64_t time, const char *behind, struct text *out)
{
	if (!time)
		return;
	text_add(out, before);
	shared_span(v->shared, time, out);
	text_add(out, behind);
}

/* "1 415 times" */
static void say_count(uint64_t nr, const char *what, struct text *out)
{
	text_count(out, nr);
	text_printf(out, " %s%s", what, nr == 1 ? "" : "s");
}

/* "longest 9.739 ms, at 7.546782" */
static void say_longest(const struct view *v, int64_t length, int64_t ts, struct text *out)
{
	say_time(v, "longest ", length, ", at ", out);
	shared_time(v->shared, task_table_moment(v->now.table, ts), 6, out);
}

static void say_run(const struct view *v, const struct sched_task *t, const struct task_sums *s, struct text *out)
{
	int64_t ran = (int64_t)((uint64_t)t->run + (uint64_t)t->run_cut);

	if (!v->now.figures.switches) {
		text_add(out, "No sched_switch was recorded: how long it ran and waited cannot be told. ");
		return;
	}
	if (!ran) {
		text_add(out, v->scope.nr_filters ? "None of its runs match. " : "It did not run. ");
		return;
	}
	say_time(v, "Ran ", ran, ", ", out);
	tasks_share_text(ran, v->now.span, out);
	text_add(out, v->scope.nr_filters ? " % of the time, in runs that a match ends" : " % of the time");
	if (s->longest[TASK_RAN].length) {
		text_add(out, "; ");
		say_longest(v, s->longest[TASK_RAN].length, s->longest[TASK_RAN].ts, out);
	}
	say_time(v, "; of it ", t->run_cut, " in runs whose beginning or end is not recorded", out);
	text_add(out, ". ");
}

static void say_wait(const struct view *v, const struct sched_task *t, const struct task_sums *s, struct text *out)
{
	if (!v->now.figures.switches)
		return;
	if (s->waits) {
		say_time(v, "Could have run but did not for ", t->wait, "", out);
		text_add(out, ", ");
		say_count(s->waits, "time", out);
		text_add(out, "; ");
		say_longest(v, s->longest[TASK_WAITED].length, s->longest[TASK_WAITED].ts, out);
		text_add(out, ". ");
	} else {
		say_time(v, "Could have run but did not for ", t->wait, ", to the end. ", out);
	}
	if (t->max_wakeup && t->max_wakeup != s->longest[TASK_WAITED].length) {
		text_add(out, "From wake-up to run: ");
		say_longest(v, t->max_wakeup, t->max_wake_ts, out);
		text_add(out, ". ");
	}
}

/* "Slept S 313.8 ms, D 1.2 ms" */
static void say_sleep(const struct view *v, const struct task_sums *s, struct text *out)
{
	bool any = false;

	for (unsigned int i = 0; i < TASK_NR_LETTERS; i++) {
		if (!s->asleep[i])
			continue;
		text_printf(out, "%s%c ", any ? ", " : "Slept ", TASK_LETTERS[i]);
		shared_span(v->shared, s->asleep[i], out);
		any = true;
	}
	text_add(out, any ? ". " : "");
}

/* "Made 12 system calls, 3.2 ms in those that returned. Interrupted 4 times, for 12 µs. " */
static void say_calls(const struct view *v, const struct task_sums *s, struct text *out)
{
	if (s->calls) {
		text_add(out, "Made ");
		say_count(s->calls, "system call", out);
		say_time(v, ", ", s->call_time, " in those that returned", out);
		text_add(out, ". ");
	}
	if (s->irqs) {
		text_add(out, "Was interrupted ");
		say_count(s->irqs, "time", out);
		say_time(v, ", for ", s->irq_time, "", out);
		text_add(out, ". ");
	}
}

static void say_task(const struct view *v, uint32_t row, struct text *out)
{
	const struct sched_task *t = &v->now.figures.tasks[row];
	const struct task_sums *s = &v->now.figures.sums[row];

	say_run(v, t, s, out);
	say_wait(v, t, s, out);
	if (t->switches) {
		text_add(out, "Left the CPU ");
		say_count(t->switches, "time", out);
		text_add(out, ", ");
		text_count(out, t->preemptions);
		text_add(out, " of them preempted. ");
	}
	say_sleep(v, s, out);
	if (t->wakeups || t->woke) {
		text_add(out, "Was woken ");
		say_count(t->wakeups, "time", out);
		text_add(out, ", woke others ");
		say_count(t->woke, "time", out);
		text_add(out, ". ");
	}
	say_calls(v, s, out);
	if (t->last_switch_cpu >= 0)
		text_printf(out, "Last on CPU %d, priority %d.", v->now.figures.cpus[t->last_switch_cpu].cpu, t->prio);
}

static void say_cpu(const struct view *v, const struct cpu_sums *c, struct text *out)
{
	int64_t rest = v->now.span - c->busy - c->idle;

	if (v->now.figures.switches) {
		text_add(out, "Tasks ran for ");
		shared_span(v->shared, c->busy, out);
		text_add(out, ", none did for ");
		shared_span(v->shared, c->idle, out);
		text_add(out, ". ");
		if (rest > 0 && v->scope.nr_filters)
			say_time(v, "The other ", rest, " do not count: no match ends what was then. ", out);
		else if (rest > 0)
			say_time(v, "Of ", rest, " it is not known: before its first event, behind the last, where events are "
				 "lost or disagree. ", out);
	} else {
		text_add(out, "No sched_switch was recorded: how long tasks ran here cannot be told. ");
	}
	if (!v->now.figures.has_irqs)
		text_add(out, "No interrupts were recorded. ");
	text_add(out, "Enter shows its row in the Timeline.");
}

static void say_type(const struct view *v, uint32_t row, struct text *out)
{
	uint64_t events = v->now.types[row].events;

	text_count(out, events);
	text_add(out, events == 1 ? " event, " : " events, ");
	tasks_share_text((int64_t)events, (int64_t)v->now.all, out);
	text_add(out, " % of ");
	text_count(out, v->now.all);
	text_add(out, v->scope.nr_filters ? " that the filters keep" : "");
	text_add(out, v->range.set ? " in the range. " : ". ");
	text_add(out, "Enter goes to the next one in Events; i e shows only these.");
}

static void say_row(const struct view *v, uint32_t row, struct text *out)
{
	if (v->list == TASKS_OF_TYPES)
		say_type(v, row, out);
	else if (v->list == TASKS_OF_CPUS)
		say_cpu(v, &v->now.figures.cpus[row], out);
	else
		say_task(v, row, out);
}

int tasks_words_rows(const struct view *v, int cols)
{
	struct text t = { 0 };
	int rows = 0;

	if (v->at >= v->nr || tasks_has_nothing(v))
		return 0;
	say_row(v, v->order[v->at], &t);
	for (const char *s = text_str(&t); *s; rows++) {
		s += canvas_line(s, cols - 1);
		s += strspn(s, " ");
	}
	text_fini(&t);
	return rows;
}

void tasks_draw_detail(struct view *v, const struct view_area *area, int max_rows)
{
	struct canvas *c = area->canvas;
	struct text t = { 0 };
	uint32_t row;

	(void)max_rows;
	if (v->at >= v->nr || area->rows < 1 || tasks_has_nothing(v))
		return;
	row = v->order[v->at];
	canvas_fill(c, area->top, 0, c->cols, ROLE_DIVIDER, "─");
	tasks_name(v, row, &t);
	canvas_fit(c, area->top, 2, c->cols - 4, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	say_row(v, row, &t);
	canvas_words(c, area->top + 1, area->top + area->rows, text_str(&t));
	text_fini(&t);
}
