/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_draw - draws the Timeline view: labels, ruler, rows, marks. */
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/sched/sched_cause.h"
#include "src/timeline/timeline_labels.h"
#include "ui/screen/list_window.h"
#include "ui/rows/row.h"
#include "ui/timeline/view_timeline.h"

#define WIDE_COLS	100
#define WAKE_UPS	8		/* drawn, back from the cursor */

/* --- cells ------------------------------------------------------------------------------ */

void timeline_label(struct view *v, const struct timeline_row *row, struct text *out)
{
	struct text raw = { 0 };

	/* a pinned row away from its CPU names the CPU */
	if (timeline_row_cpu(row) && row->kind != TIMELINE_CPU && timeline_is_pinned(v, row)) {
		timeline_name(&v->timeline, &(struct timeline_row){ TIMELINE_CPU, row->index },
			      0, &raw);
		text_add(&raw, row->kind == TIMELINE_IRQS ? " irqs" : " softirqs");
	} else {
		timeline_name(&v->timeline, row, TIMELINE_LAST_NAME, &raw);
	}
	text_printable(out, text_str(&raw), raw.len);
	text_fini(&raw);
}

/* Runs of tasks without a match are dim on CPUs that have one. */
static enum role role_of(struct view *v, const struct timeline_cell *cell, int64_t ts)
{
	static const enum role roles[] = {
		[TIMELINE_TEXT] = ROLE_TEXT, [TIMELINE_RUN] = ROLE_RUN, [TIMELINE_WAIT] = ROLE_WAIT,
		[TIMELINE_PREEMPT] = ROLE_PREEMPT, [TIMELINE_SLEEP] = ROLE_SLEEP,
		[TIMELINE_BLOCKED] = ROLE_BLOCKED,
		[TIMELINE_IDLE] = ROLE_IDLE, [TIMELINE_IRQ] = ROLE_IRQ,
		[TIMELINE_SOFTIRQ] = ROLE_IRQ, [TIMELINE_LOST] = ROLE_LOST,
		[TIMELINE_WAKE] = ROLE_WAKE, [TIMELINE_MIGRATE] = ROLE_MIGRATE,
		[TIMELINE_TASK] = ROLE_RUN,
		[TIMELINE_VALUE] = ROLE_NUMBER, [TIMELINE_HELD] = ROLE_DIM,
	};
	int pid;

	if (cell->role != TIMELINE_TASK || cell->task >= SCHED_IDLE_TASK)
		return roles[cell->role];
	if (!timeline_is_kept(v, &(struct timeline_row){ TIMELINE_OF_TASK, cell->task }))
		return ROLE_FILTERED;
	pid = timeline_pid(v, cell->task);
	return row_pid_role(sched_comm(v->sched, cell->task, ts), pid);
}

static int column_of(const struct view *v, int64_t ts)
{
	int64_t column = time_between(v->from, ts) / v->step;

	return ts < v->from || column >= (int64_t)v->columns ? -1 : (int)column;
}

/* The column of mark A (@i is 0) or B; -1 if it is not in the window. */
static int mark_column(const struct view *v, unsigned int i)
{
	const struct place *mark = &v->shared->at.places.marks[i];

	return mark->set ? column_of(v, mark->ts) : -1;
}

static bool is_run(const struct timeline_cell *cell)
{
	return cell->role == TIMELINE_TASK || cell->role == TIMELINE_RUN;
}

/* A part of a run's picture, not of its name?  (In ASCII they have the same characters.) */
static bool is_block(const struct timeline_cell *cell)
{
	return is_run(cell) && cell->glyph[0] & 0x80;
}

static void draw_cell(struct view *v, struct canvas *c, int line, unsigned int column,
		      const struct timeline_cell *cell)
{
	enum role role = role_of(v, cell, v->timeline.edges[column + 1] - 1);
	bool is_name = is_run(cell) && !is_block(cell) &&
		       (!c->ascii || isalnum((unsigned char)cell->glyph[0]));
	bool marked = !is_name &&
		      (mark_column(v, 0) == (int)column || mark_column(v, 1) == (int)column);
	const char *glyph = !marked ? cell->glyph : c->ascii ? "!" : "┊";

	if (is_block(cell) && cell->filled && !marked && column_of(v, v->cursor) == (int)column)
		glyph = "┃";
	if (cell->filled)
		canvas_fill_cell(c, line, v->label + (int)column, role, glyph);
	else
		canvas_text(c, line, v->label + (int)column, 1, marked ? ROLE_MARK : role, glyph);
	if (cell->held != TIMELINE_TEXT && !cell->filled && !cell->above) {
		v->held |= 1u << cell->held;
		canvas_over(c, line, v->label + (int)column, 1,
			    cell->held == TIMELINE_WAIT ? ROLE_WAIT_BEHIND : ROLE_BLOCKED_BEHIND);
	}
}

/* The mark of a group of tasks or CPUs, and how many are in it; false: the row is none. */
static bool add_fold(const struct view *v, const struct timeline_row *row, struct text *mark,
		     struct text *number)
{
	bool is_cpus = row->kind == TIMELINE_CPUS, open;

	if (!is_cpus && row->kind != TIMELINE_GROUP)
		return false;
	open = is_cpus ? timeline_cpus_are_open(v, row->index) : v->groups.list[row->index].open;
	text_add(mark, open ? "▾ " : "▸ ");
	/* the name of neighbours tells how many they are */
	if (!is_cpus || v->cpu_groups.list[row->index].level != CPU_LEVELS)
		text_printf(number, " ×%" PRIu32,
			    is_cpus ? v->cpu_groups.list[row->index].nr :
				      v->groups.list[row->index].nr);
	return true;
}

static void draw_row(struct view *v, struct canvas *c, int line, const struct timeline_row *row,
		     struct timeline_cell *cells)
{
	struct text name = { 0 }, fitted = { 0 }, load = { 0 }, number = { 0 };
	bool is_task = row->kind == TIMELINE_OF_TASK, is_idle = row->kind == TIMELINE_IDLE_CPUS,
	     is_group = row->kind == TIMELINE_GROUP,
	     indent = !is_task && !is_idle && row->kind != TIMELINE_CPU && !is_group &&
		      row->kind != TIMELINE_CPUS;
	int room = v->label - 7 - indent, rest = room;

	timeline_label(v, row, &name);
	if (add_fold(v, row, &fitted, &number)) {
		int used = text_cells(text_str(&number), number.len);

		rest = room - 2;
		if (is_group || text_cells(text_str(&name), name.len) + used <= rest)
			rest -= used;
		else
			text_clear(&number);
	}
	timeline_fit_name(text_str(&name), is_task, rest, &fitted);
	text_add(&fitted, text_str(&number));
	canvas_text(c, line, 1 + indent, room, timeline_is_pinned(v, row) ? ROLE_MARK : ROLE_TEXT,
		    text_str(&fitted));
	if (is_idle) {
		canvas_text(c, line, 1, c->cols - 1, ROLE_DIM, text_str(&name));
		canvas_text(c, line, 1 + text_cells(text_str(&name), name.len), c->cols, ROLE_DIM,
			    v->shows_idle ? ", Left hides them" : ", Right shows them");
		goto out;
	}
	timeline_load(&v->timeline, row, &load);
	canvas_right(c, line, v->label - 5, 4, ROLE_DIM, text_str(&load));
	timeline_draw(&v->timeline, row, cells);
	for (unsigned int i = 0; i < v->columns; i++)
		draw_cell(v, c, line, i, &cells[i]);
out:
	text_fini(&number);
	text_fini(&name);
	text_fini(&fitted);
	text_fini(&load);
}

/* Remove a time label that something overlaps; the rest of it would be a wrong time. */
static void leave_out_time(struct text *ruler, int column, int cells)
{
	size_t from = text_prefix(text_str(ruler), ruler->len, column, NULL),
	       to = text_prefix(text_str(ruler), ruler->len, column + cells, NULL);

	while (from && strchr("-.0123456789", ruler->data[from - 1]))
		from--;
	while (to < ruler->len && strchr("-.0123456789", ruler->data[to]))
		to++;
	for (size_t i = from; i < to; i++)
		if (strchr("-.0123456789", ruler->data[i]))
			ruler->data[i] = ' ';
}

/* Are these columns of the ruler there, and free of A and B? */
static bool is_free(const struct view *v, int from, int cells)
{
	for (unsigned int i = 0; i < 2; i++)
		if (mark_column(v, i) >= from && mark_column(v, i) < from + cells)
			return false;
	return from >= 0 && from + cells <= (int)v->columns;
}

/* The cursor's time, on the side of its column that has room. */
static void draw_cursor_time(struct view *v, const struct view_area *area, struct text *ruler)
{
	int column = column_of(v, v->cursor), at, cells, decimals = v->shared->look.decimals;
	struct text t = { 0 };

	if (column < 0)
		return;
	if (!decimals)
		decimals = area->canvas->cols < WIDE_COLS ? 6 : 9;
	timeline_time(&v->timeline, v->cursor, decimals, &t);
	cells = text_cells(text_str(&t), t.len);
	at = column + 2;
	if (!is_free(v, at, cells) &&
	    (is_free(v, column - 1 - cells, cells) || at + cells > (int)v->columns))
		at = column - 1 - cells;
	if (at >= 0) {
		int from = at < column ? at - 1 : column - 1;

		leave_out_time(ruler, from, cells + 4);
		canvas_text(area->canvas, area->top, v->label, (int)v->columns, ROLE_DIM,
			    text_str(ruler));
		canvas_fill(area->canvas, area->top, v->label + from, cells + 4, ROLE_TEXT, " ");
		canvas_text(area->canvas, area->top, v->label + at, cells, ROLE_TEXT, text_str(&t));
	}
	canvas_text(area->canvas, area->top, v->label + column, 1, ROLE_TEXT, "▼");
	text_fini(&t);
}

/* Times, the cursor's time, A and B; before it the width of a column. */
static void draw_ruler(struct view *v, const struct view_area *area)
{
	struct text t = { 0 };

	timeline_scale(&v->timeline, &t);
	if (text_cells(text_str(&t), t.len) + (int)strlen(" a column") < v->label)
		text_add(&t, " a column");
	canvas_text(area->canvas, area->top, 1, v->label - 2, ROLE_HEADING, text_str(&t));
	text_clear(&t);
	timeline_ruler(&v->timeline, area->canvas->cols >= WIDE_COLS, &t);
	for (unsigned int i = 0; i < 2; i++)
		if (mark_column(v, i) >= 0)
			leave_out_time(&t, mark_column(v, i), 1);
	canvas_text(area->canvas, area->top, v->label, (int)v->columns, ROLE_DIM, text_str(&t));
	draw_cursor_time(v, area, &t);
	for (unsigned int i = 0; i < 2; i++)
		if (mark_column(v, i) >= 0)
			canvas_text(area->canvas, area->top, v->label + mark_column(v, i), 1,
				    ROLE_MARK, i ? "B" : "A");
	text_fini(&t);
}

/* What glyphs mean, and, where there is room, colours behind bars. */
static void draw_legend(struct view *v, const struct view_area *area)
{
	static const struct {
		enum timeline_role held;
		enum role behind;
		const char *word;
	} held[] = { { TIMELINE_WAIT, ROLE_WAIT_BEHIND, "also waits" },
		     { TIMELINE_BLOCKED, ROLE_BLOCKED_BEHIND, "also blocked" } };
	struct canvas *c = area->canvas;
	int row = area->top + area->rows - 1, col;
	struct text t = { 0 };

	timeline_legend(&v->timeline, c->cols - 2, &t);
	col = 1 + canvas_text(c, row, 1, c->cols - 1, ROLE_DIM, text_str(&t));
	for (size_t i = 0; i < sizeof(held) / sizeof(held[0]); i++) {
		if (!(v->held >> held[i].held & 1) ||
		    col + 4 + (int)strlen(held[i].word) >= c->cols)
			continue;
		canvas_text(c, row, col + 2, 1, ROLE_RUN, "▂");
		canvas_over(c, row, col + 2, 1, held[i].behind);
		col += 4 + canvas_text(c, row, col + 4, c->cols, ROLE_DIM, held[i].word);
	}
	text_fini(&t);
}

/* Instead of scrolling to a task that a jump led to, pin it; the one pinned so before goes back. */
static void pin_arrived(struct view *v)
{
	if (v->has_arrived_pin && timeline_is_pinned(v, &v->arrived_pin))
		timeline_pin(v, &v->arrived_pin);
	v->arrived_pin = v->here;
	v->has_arrived_pin = true;
	timeline_pin(v, &v->here);
	timeline_make_rows(v);
}

/* Is it the last row before those of tasks?  Slices and parts of its time follow a pinned task. */
static bool ends_cpus(const struct view *v, uint32_t i)
{
	return i + 1 < v->nr_rows && !timeline_row_task(&v->rows[i]) &&
	       v->rows[i + 1].kind == TIMELINE_OF_TASK;
}

/*
 * Does a line divide the tasks from the rows above?  On a small screen only if all rows are shown
 * with it; else the last row above them is underlined.
 */
static bool is_ruled(const struct view *v, int screen_rows)
{
	return v->nr_fixed && ends_cpus(v, v->nr_fixed - 1) &&
	       ((int64_t)v->nr_rows * timeline_lines(v) < v->body_rows ||
		(!v->timeline.tall && screen_rows >= TIMELINE_LARGE));
}

/* Which rows the lines show. Fixed rows leave a third to tasks; rows are tall if all fit twice. */
static void place_rows(struct view *v, const struct view_area *area)
{
	uint32_t rest = v->nr_rows - v->nr_fixed, lines, least;

	v->body_top = area->top + TIMELINE_HEADINGS;
	v->body_rows = area->rows - TIMELINE_HEADINGS - TIMELINE_TRAILERS;
	v->body_rows = v->body_rows < 1 ? 1 : v->body_rows;
	v->timeline.tall = v->nr_rows <= (uint32_t)v->body_rows / 2;
	v->ruled = is_ruled(v, area->canvas->rows);
	lines = (uint32_t)((v->body_rows - v->ruled) / timeline_lines(v));
	least = (lines + 2) / 3 < rest ? (lines + 2) / 3 : rest;
	v->fixed_rows = (int)(v->nr_fixed < lines - least ? v->nr_fixed : lines - least);
	lines -= (uint32_t)v->fixed_rows;
	v->fixed_top = list_window_top(v->fixed_top, v->at < v->nr_fixed ? v->at : v->fixed_top,
				       (uint32_t)v->fixed_rows, v->nr_fixed);
	v->top = v->top < v->nr_fixed ? 0 : v->top - v->nr_fixed;
	if (v->arrived && v->at >= v->nr_fixed &&
	    (v->at - v->nr_fixed < v->top || v->at - v->nr_fixed >= v->top + lines)) {
		v->arrived = false;
		pin_arrived(v);
		place_rows(v, area);
		return;
	}
	v->arrived = false;
	v->top = v->nr_fixed + list_window_top(v->top,
					       v->at < v->nr_fixed ? v->top : v->at - v->nr_fixed,
					       lines, rest);
}

int64_t timeline_row_at(const struct view *v, int line)
{
	int64_t i = line - v->body_top, rule = v->fixed_rows * timeline_lines(v), row;

	if (i < 0 || i >= v->body_rows || (v->ruled && i == rule))
		return -1;
	i = (i - (v->ruled && i > rule)) / timeline_lines(v);
	row = i < v->fixed_rows ? v->fixed_top + i : v->top + i - v->fixed_rows;
	return row < v->nr_rows ? row : -1;
}

/* The row whose only or lower line this is; -1: none. */
static int64_t row_that_ends(const struct view *v, int line)
{
	int64_t row = timeline_row_at(v, line);

	return row >= 0 && row != timeline_row_at(v, line + 1) ? row : -1;
}

/* What lies over a line of a row: filters, A and B, the cursor. */
static void lay_over(struct view *v, struct canvas *c, int line, uint32_t i,
		     const struct timeline_cell *cells)
{
	int cursor = column_of(v, v->cursor);

	if (!timeline_is_kept(v, &v->rows[i]))
		canvas_over(c, line, 0, c->cols, ROLE_FILTERED);
	for (unsigned int mark = 0; mark < 2; mark++)
		if (mark_column(v, mark) >= 0)
			canvas_over(c, line, v->label + mark_column(v, mark), 1, ROLE_MARK_COLUMN);
	if (i == v->at) {
		canvas_over(c, line, 0, v->label, ROLE_SELECTED);
		for (unsigned int column = 0; column < v->columns; column++)
			if (!cells[column].filled && cells[column].held == TIMELINE_TEXT)
				canvas_over(c, line, v->label + (int)column, 1,
					    ROLE_SELECTED_INACTIVE);
	}
	/* Reversed, a run would look like a gap, and a height like its opposite. */
	if (cursor >= 0 && !is_block(&cells[cursor]))
		canvas_over(c, line, v->label + cursor, 1, ROLE_CURSOR_COLUMN);
}

/* The upper line of a tall row. */
static void draw_upper(struct view *v, struct canvas *c, int line, uint32_t i,
		       struct timeline_cell *cells)
{
	for (unsigned int column = 0; column < v->columns; column++) {
		struct timeline_cell *cell = &cells[column];

		if (cell->above)
			snprintf(cell->glyph, sizeof(cell->glyph), "%s", cell->above);
		else
			timeline_put(cell, " ", TIMELINE_TEXT, SCHED_NO_TASK);
		cell->above = NULL;
		draw_cell(v, c, line, column, cell);
	}
	lay_over(v, c, line, i, cells);
}

/* @line: the lower one of a tall row, which has its name. */
static void draw_line(struct view *v, struct canvas *c, int line, uint32_t i,
		      struct timeline_cell *cells)
{
	draw_row(v, c, line, &v->rows[i], cells);
	if (i == v->at)
		canvas_text(c, line, 0, 1, ROLE_TEXT, ">");
	if (!v->ruled && ends_cpus(v, i))
		canvas_over(c, line, 0, c->cols, ROLE_RULE);
	lay_over(v, c, line, i, cells);
	if (v->timeline.tall && v->rows[i].kind != TIMELINE_IDLE_CPUS)
		draw_upper(v, c, line - 1, i, cells);
}

/* --- the wake-ups that led to the cursor --------------------------------------------------- */

/* The line of a row, the lower one of a tall one; -1: it is not on the screen. */
static int line_of(const struct view *v, enum timeline_row_kind kind, uint32_t index)
{
	for (int line = v->body_top; line < v->body_top + v->body_rows; line++) {
		int64_t i = row_that_ends(v, line);

		if (i >= 0 && v->rows[i].kind == kind && v->rows[i].index == index)
			return line;
	}
	return -1;
}

/* The line of the task that woke; of the CPU, if it was an interrupt or the task has no line. */
static int waker_line(struct view *v, const struct sched_link *link)
{
	struct sched_wake_record record;
	int line = -1, cpu = -1;

	if (!link->source)
		line = line_of(v, TIMELINE_OF_TASK, link->waker);
	if (line < 0 && sched_cause_wake(v->sched, link->task, link->wake_ts, &record))
		cpu = sched_cpu_index(v->sched, record.cpu);
	return cpu < 0 ? line : line_of(v, TIMELINE_CPU, (uint32_t)cpu);
}

/* Does nothing run or wait there? */
static bool is_free_cell(const struct canvas_cell *cell)
{
	return !cell->filled &&
	       (cell->role == ROLE_SLEEP || cell->role == ROLE_IDLE || !strcmp(cell->glyph, " "));
}

/* Draws a character of a wake-up; what lies over the cell, such as the cursor, stays there. */
static void draw_wake_cell(struct canvas *c, int line, int col, const char *glyph)
{
	const struct canvas_cell *cell = canvas_at(c, line, col);
	enum role over = cell->over;

	if (cell->filled)
		canvas_fill_cell(c, line, col, cell->role, glyph);
	else
		canvas_text(c, line, col, 1, ROLE_WAKE, glyph);
	if (over != ROLE_TEXT)
		canvas_over(c, line, col, 1, over);
}

/* From the line of the waker to that of the task; a line passes behind what runs or waits. */
static void draw_wake(const struct view *v, struct canvas *c, int column, int waker, int woken,
		      const struct timeline_cell *sign)
{
	int step = waker < woken ? 1 : -1, col = v->label + column;

	for (int line = waker + step; line != woken && waker != woken; line += step)
		if (is_free_cell(canvas_at(c, line, col)))
			draw_wake_cell(c, line, col, "│");
	draw_wake_cell(c, waker, col, sign->glyph);
}

/* What woke the task under the cursor, and what woke that, as `w` goes. */
static void draw_wakes(struct view *v, struct canvas *c)
{
	struct sched_link links[WAKE_UPS];
	struct timeline_cell sign;
	uint32_t task = timeline_task_here(v);
	unsigned int nr = task < SCHED_IDLE_TASK ?
				  sched_cause_chain(v->sched, task, v->cursor, links, WAKE_UPS) :
				  0;
	const struct timeline_row *here = timeline_here(v);
	int woken = here ? line_of(v, here->kind, here->index) : -1;

	for (unsigned int i = 0; i < nr && woken >= 0; i++) {
		int column = column_of(v, links[i].wake_ts),
		    waker = column < 0 ? -1 : waker_line(v, &links[i]);

		if (waker >= 0) {
			timeline_put_waker(&v->timeline, &sign);
			draw_wake(v, c, column, waker, woken, &sign);
		}
		woken = waker;
	}
}

/* Who holds the lock for which the task under the cursor waits, where that wait begins. */
static void draw_holder(struct view *v, struct canvas *c)
{
	const struct timeline_row *here = timeline_here(v);
	uint32_t task = timeline_task_here(v);
	struct pyramid_state state;
	struct timeline_cell sign;
	struct sched_lock lock;
	int column, line;

	if (task >= SCHED_IDLE_TASK || here->kind != TIMELINE_OF_TASK ||
	    !timeline_state(v, &state) || state.doubtful ||
	    (state.kind != SCHED_SLEEPS && state.kind != SCHED_BLOCKED) ||
	    !sched_cause_lock(v->sched, task, &state, &lock, NULL) ||
	    lock.holder >= SCHED_IDLE_TASK)
		return;
	line = line_of(v, TIMELINE_OF_TASK, lock.holder);
	column = column_of(v, state.from > v->timeline.from ? state.from : v->timeline.from);
	if (line < 0 || column < 0)
		return;
	timeline_put_holder(&v->timeline, &sign);
	draw_wake(v, c, column, line, line_of(v, here->kind, here->index), &sign);
}

/* Across the names: wake-ups pass it. */
static void draw_rule(struct view *v, struct canvas *c)
{
	int line = v->body_top + v->fixed_rows * timeline_lines(v);

	canvas_fill(c, line, 0, v->label - 1, ROLE_DIVIDER, "─");
	canvas_text(c, line, 2, v->label - 4, ROLE_HEADING, "tasks");
}

void timeline_draw_rows(struct view *v, const struct view_area *area)
{
	struct timeline_cell *cells = mem_array(v->columns + 1, sizeof(*cells));

	place_rows(v, area);
	draw_ruler(v, area);
	if (v->ruled)
		draw_rule(v, area->canvas);
	v->held = 0;
	for (int line = v->body_top; line < v->body_top + v->body_rows; line++) {
		int64_t row = row_that_ends(v, line);

		if (row >= 0)
			draw_line(v, area->canvas, line, (uint32_t)row, cells);
	}
	draw_wakes(v, area->canvas);
	draw_holder(v, area->canvas);
	draw_legend(v, area);
	free(cells);
}
