/* SPDX-License-Identifier: GPL-2.0-or-later */
/* timeline_draw - draws the Timeline view: labels, ruler, rows, marks. */
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "ui/screen/list_window.h"
#include "ui/rows/row.h"
#include "ui/timeline/view_timeline.h"

#define WIDE_COLS	100
#define WIDE_LEGEND	110
#define SCALE_CELLS	19	/* "500 µs a column" */
#define LIST_CELLS	10	/* "tasks, by…", at least */

/* --- cells ------------------------------------------------------------------------------ */

void timeline_label(struct view *v, const struct timeline_row *row, struct text *out)
{
	struct text raw = { 0 };

	/* a pinned row away from its CPU names the CPU */
	if (timeline_row_cpu(row) && row->kind != TIMELINE_CPU && timeline_is_pinned(v, row)) {
		timeline_name(&v->timeline, &(struct timeline_row){ TIMELINE_CPU, row->index },
			      v->cursor, &raw);
		text_add(&raw, row->kind == TIMELINE_IRQS ? " irqs" : " softirqs");
	} else {
		timeline_name(&v->timeline, row, v->cursor, &raw);
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
	const struct sched_task *task;

	if (cell->role != TIMELINE_TASK || cell->task >= SCHED_IDLE_TASK)
		return roles[cell->role];
	if (!timeline_is_kept(v, &(struct timeline_row){ TIMELINE_OF_TASK, cell->task }))
		return ROLE_FILTERED;
	task = sched_rules_task(sched_pass_rules(sched_pass_of(v->sched)), cell->task);
	return row_hash_role(trace_comm(v->shared->trace, v->file, (int)task->pid, ts));
}

static int column_of(const struct view *v, int64_t ts)
{
	int64_t column = time_between(v->from, ts) / v->step;

	return ts < v->from || column >= (int64_t)v->columns ? -1 : (int)column;
}

/* The column of mark A (@i is 0) or B; -1 if it is not in the window. */
static int mark_column(const struct view *v, unsigned int i)
{
	const struct place *mark = &v->shared->places.marks[i];

	return mark->set ? column_of(v, mark->ts) : -1;
}

/* Draw A and B across a row, in cells that show nothing else. */
static void draw_marks(struct view *v, struct canvas *c, int line,
		       const struct timeline_cell *cells)
{
	for (unsigned int i = 0; i < 2; i++) {
		int column = mark_column(v, i);

		if (column >= 0 &&
		    (cells[column].role == TIMELINE_IDLE || cells[column].role == TIMELINE_SLEEP ||
		     !strcmp(cells[column].glyph, " ")))
			canvas_text(c, line, v->label + column, 1, ROLE_MARK, "┊");
	}
}

static void draw_row(struct view *v, struct canvas *c, int line, const struct timeline_row *row,
		     struct timeline_cell *cells)
{
	struct text name = { 0 }, fitted = { 0 }, load = { 0 };
	bool is_task = row->kind == TIMELINE_OF_TASK, is_idle = row->kind == TIMELINE_IDLE_CPUS,
	     indent = !is_task && !is_idle && row->kind != TIMELINE_CPU;
	int room = v->label - 6 - indent;

	timeline_label(v, row, &name);
	timeline_fit_name(text_str(&name), is_task, room, &fitted);
	canvas_text(c, line, 1 + indent, room, timeline_is_pinned(v, row) ? ROLE_MARK : ROLE_TEXT,
		    text_str(&fitted));
	if (is_idle) {
		canvas_text(c, line, 1, c->cols - 1, ROLE_DIM, text_str(&name));
		canvas_text(c, line, 1 + text_cells(text_str(&name), name.len), c->cols, ROLE_DIM,
			    v->shows_idle ? ", ← hides them" : ", → shows them");
		goto out;
	}
	timeline_load(&v->timeline, row, &load);
	canvas_right(c, line, v->label - 5, 4, ROLE_DIM, text_str(&load));
	timeline_draw(&v->timeline, row, cells);
	for (unsigned int i = 0; i < v->columns; i++)
		canvas_text(c, line, v->label + (int)i, 1,
			    role_of(v, &cells[i], v->timeline.edges[i]), cells[i].glyph);
	if (c->cols >= WIDE_COLS)
		draw_marks(v, c, line, cells);
out:
	text_fini(&name);
	text_fini(&fitted);
	text_fini(&load);
}

/* Remove a time label that a mark overlaps; the rest of it would be a wrong time. */
static void leave_out_time(struct text *ruler, int column)
{
	size_t at = text_prefix(text_str(ruler), ruler->len, column, NULL);

	if (at >= ruler->len || !strchr("-.0123456789", ruler->data[at]))
		return;
	for (size_t i = at; i < ruler->len && strchr("-.0123456789", ruler->data[i]); i++)
		ruler->data[i] = ' ';
	for (size_t i = at; i && strchr("-.0123456789", ruler->data[i - 1]); i--)
		ruler->data[i - 1] = ' ';
}

static void draw_ruler(struct view *v, const struct view_area *area)
{
	struct text t = { 0 };

	timeline_ruler(&v->timeline, area->canvas->cols >= WIDE_COLS, &t);
	for (unsigned int i = 0; i < 2; i++)
		if (mark_column(v, i) >= 0)
			leave_out_time(&t, mark_column(v, i));
	canvas_text(area->canvas, area->top + 1, v->label, (int)v->columns, ROLE_DIM, text_str(&t));
	for (unsigned int i = 0; i < 2; i++)
		if (mark_column(v, i) >= 0)
			canvas_text(area->canvas, area->top + 1, v->label + mark_column(v, i), 1,
				    ROLE_MARK, i ? "B" : "A");
	text_fini(&t);
}

static void draw_headings(struct view *v, const struct view_area *area)
{
	const char *list = v->list == 'm' ? "CPUs and their tasks" :
			   v->list == 'c' ? "CPUs" :
			   v->list == 'i' ? "CPUs, interrupts" :
			   v->list == 'p' ? "tasks of a process" :
					    "tasks, by time";
	struct text t = { 0 };
	int wider;

	timeline_scale(&v->timeline, &t);
	text_add(&t, " a column");
	canvas_text(area->canvas, area->top, 1, v->label + 4, ROLE_HEADING, "busy in the window");
	/* Longer labels, such as large counts, begin further left. */
	wider = text_cells(text_str(&t), t.len) - SCALE_CELLS;
	wider = wider < 0 ? 0 : wider;
	canvas_text(area->canvas, area->top, v->label + 21 - wider, SCALE_CELLS + wider,
		    ROLE_HEADING, text_str(&t));
	text_clear(&t);
	if (!matching_is_active(&v->matching))
		text_add(&t, list);
	else
		text_add(&t, !filters_hiding(&v->shared->filters) ? "others are dim" :
			     !matching_is_done(&v->matching)      ? "rows with a match ~" :
								    "rows with a match");
	/* a few letters of it would be useless */
	if (area->canvas->cols - v->label - 39 >= LIST_CELLS)
		canvas_right(area->canvas, area->top, v->label + 38,
			     area->canvas->cols - v->label - 39, ROLE_HEADING, text_str(&t));
	text_fini(&t);
	draw_ruler(v, area);
}

/* Draw below the rows: the cursor's time under its column, and the legend. */
static void draw_trailers(struct view *v, const struct view_area *area)
{
	int line = area->top + area->rows - TIMELINE_TRAILERS, column = column_of(v, v->cursor),
	    width;
	struct text t = { 0 };

	timeline_time(&v->timeline, v->cursor,
		      v->shared->decimals            ? v->shared->decimals :
		      area->canvas->cols < WIDE_COLS ? 6 :
						       9,
		      &t);
	width = text_cells(text_str(&t), t.len) + 2;
	if (column >= 0) {
		bool left = column + width > (int)v->columns;

		canvas_text(area->canvas, line, v->label + column, 1, ROLE_TEXT, "▲");
		canvas_text(area->canvas, line, v->label + column + (left ? 1 - width : 2), width,
			    ROLE_TEXT, text_str(&t));
	}
	canvas_text(area->canvas, line + 1, 1, area->canvas->cols - 1, ROLE_DIM,
		    timeline_legend(area->canvas->ascii, area->canvas->cols >= WIDE_LEGEND));
	text_fini(&t);
}

void timeline_draw_rows(struct view *v, const struct view_area *area)
{
	struct timeline_cell *cells = mem_array(v->columns + 1, sizeof(*cells));
	int cursor = column_of(v, v->cursor);
	uint32_t shown;

	v->body_top = area->top + TIMELINE_HEADINGS;
	v->body_rows = area->rows - TIMELINE_HEADINGS - TIMELINE_TRAILERS;
	v->body_rows = v->body_rows < 1 ? 1 : v->body_rows;
	shown = (uint32_t)v->body_rows;
	v->top = list_window_top(v->top, v->at, shown, v->nr_rows);
	draw_headings(v, area);
	for (uint32_t i = 0; i < shown && v->top + i < v->nr_rows; i++) {
		int line = v->body_top + (int)i;

		draw_row(v, area->canvas, line, &v->rows[v->top + i], cells);
		if (!timeline_is_kept(v, &v->rows[v->top + i]))
			canvas_over(area->canvas, line, 0, area->canvas->cols, ROLE_FILTERED);
		for (unsigned int mark = 0; mark < 2; mark++)
			if (mark_column(v, mark) >= 0)
				canvas_over(area->canvas, line, v->label + mark_column(v, mark), 1,
					    ROLE_MARK_COLUMN);
		if (v->top + i == v->at) {
			canvas_text(area->canvas, line, 0, 1, ROLE_TEXT, ">");
			canvas_over(area->canvas, line, 0, v->label, ROLE_SELECTED);
		}
		/* on wide screens the cursor is a whole column */
		if (cursor >= 0 && (v->top + i == v->at || area->canvas->cols >= WIDE_COLS))
			canvas_over(area->canvas, line, v->label + cursor, 1, ROLE_CURSOR_COLUMN);
	}
	draw_trailers(v, area);
	free(cells);
}
