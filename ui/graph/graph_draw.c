/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_draw - the rows of the tree on the canvas. */

#include "src/base/shorten.h"
#include "ui/screen/list_window.h"
#include "ui/view/no_calls.h"
#include "ui/view/nothing_left.h"
#include "ui/graph/view_graph.h"
#include "ui/rows/words.h"

#define GLYPH_CELLS	2		/* the sign of a fold */

/* --- rows on the canvas -------------------------------------------------------------------- */

static enum role role_of_row(const struct view *view, const struct graph_row *row)
{
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_AWAY)
		return ROLE_OFFCPU;
	if (row->kind == GRAPH_ROW_EVENT || row->kind == GRAPH_ROW_END)
		return ROLE_DIM;
	if (call_lost_entry(call))
		return ROLE_ORPHAN;
	if (call->inferred)
		return ROLE_INFERRED;
	return call->level == GRAPH_HARDIRQ || call->level == GRAPH_NMI ? ROLE_EVENT_IRQ :
	       call->level == GRAPH_SOFTIRQ                             ? ROLE_EVENT_SOFTIRQ :
									  ROLE_EVENT_FUNCTION;
}

static void draw_name(struct view *view, struct canvas *canvas, int y, const struct graph_row *row,
		      const struct graph_layout *l)
{
	uint32_t level = row->level > l->hidden ? row->level - l->hidden : 0;
	struct text t = { 0 }, cut = { 0 };
	int col = l->name + 2 * (int)level;

	if (row->level < l->hidden)
		text_printf(&t, "‹%u ", l->hidden - row->level);
	else if (row->kind == GRAPH_ROW_END || row->kind == GRAPH_ROW_EVENT ||
		 row->kind == GRAPH_ROW_AWAY ||
		 (row->kind == GRAPH_ROW_CALL && !row->full &&
		  !call_lost_entry(graph_call(view, row))))
		col += GLYPH_CELLS;
	graph_row_text(view, row, &t);
	shorten_end(text_str(&t) + canvas_prefix(text_str(&t), t.len, view->side, NULL),
		    canvas->cols - col, &cut);
	canvas_text(canvas, y, col, canvas->cols - col, role_of_row(view, row), text_str(&cut));
	text_fini(&t);
	text_fini(&cut);
}

static void draw_row(struct view *view, struct canvas *canvas, int y, unsigned int i,
		     const struct graph_layout *l)
{
	const struct graph_row *row = &view->rows.rows[i];
	char letter[2] = { places_letter(&view->shared->at.places,
					 graph_place(view, row, row->kind == GRAPH_ROW_END).ref),
			   '\0' };

	graph_draw_figures(view, canvas, y, row, l);
	draw_name(view, canvas, y, row, l);
	if (row->dimmed)
		canvas_over(canvas, y, 0, canvas->cols, ROLE_FILTERED);
	if (i == view->lines.at)
		canvas_cursor(canvas, y, 0, canvas->cols, ROLE_SELECTED);
	else if (letter[0])
		canvas_text(canvas, y, 0, 1, ROLE_MARK, letter);
}

/* The filters keep no call here: shows what they keep, or which term removes most. */
static void draw_filtered(struct view *view, struct canvas *canvas, int top)
{
	static const char keys[] = "F all filters off   f edit it   z dim instead of hide";
	struct filters *filters = &view->shared->chosen.filters;
	struct text t = { 0 };

	text_add(&t, "No call here matches the filter:  ");
	filters_text(filters, &t);
	if (filters_active(filters) && matches_status(filters->matches).events) {
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		text_clear(&t);
		filters_count(filters, &t);
		text_add(&t, " events match: n goes to the next, p to another task.");
		canvas_fit(canvas, top + 2, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		canvas_text(canvas, top + 4, 2, canvas->cols - 3, ROLE_DIM, keys);
	} else {
		nothing_left_draw(view->shared, canvas, top + 1, canvas->rows, text_str(&t), keys);
	}
	text_fini(&t);
}

static void draw_empty(struct view *view, struct canvas *canvas, int top)
{
	struct text t = { 0 };

	if (graph_waits(view)) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM,
			    "Nothing has been read yet …");
		return;
	}
	if (!view->has_calls) {
		no_calls_draw(view->shared, canvas, top + 1);
		return;
	}
	if (view->scope.of.nr_filters && !view->shared->chosen.filters.dim) {
		draw_filtered(view, canvas, top);
	} else {
		text_add(&t, "No calls of ");
		if (view->by_cpu)
			text_printf(&t, "CPU %d", view->cpu);
		else
			graph_task_name(view, view->pid, view->cpu, &t);
		text_add(&t, ".\np another task   Tab by CPU   ] a slow call of any task");
		nothing_draw(canvas, top + 1, text_str(&t));
	}
	text_fini(&t);
}

void graph_draw(struct view *view, const struct view_area *area)
{
	struct list_window *w = &view->lines;
	struct canvas *canvas = area->canvas;
	struct graph_layout l;

	graph_refresh(view);
	if (view->compare) {
		graph_compare_draw(view, area);
		return;
	}
	if (!view->rows.nr) {
		draw_empty(view, canvas, area->top);
		return;
	}
	list_window_show(w, area->top + 1, area->rows - 1, view->rows.nr);
	graph_lay_out(view, canvas->cols, &l);
	view->side_step = canvas->cols - l.name > 2 ? (canvas->cols - l.name) / 2 : 1;
	graph_draw_headings(view, canvas, area->top, &l);
	for (unsigned int i = 0; i < w->height && w->top + i < view->rows.nr; i++)
		draw_row(view, canvas, w->row + (int)i, w->top + i, &l);
}
