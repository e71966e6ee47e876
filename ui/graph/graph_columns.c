/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_columns - the columns before the calls: which are shown, their widths, their cells. */
#include <limits.h>
#include <string.h>

#include "src/base/shorten.h"
#include "ui/graph/view_graph.h"
#include "ui/rows/row.h"

#define NAME_CELLS	24		/* minimum for the calls; columns are dropped first */
#define NEVER		INT_MAX

static const struct {
	const char	*name, *help;
	int		 from;		/* shown by default from this screen width on */
	int		 cells;		/* 0: in the call's text, or as wide as its figures */
} columns[NR_GRAPH_COLUMNS] = {
	[GRAPH_COLUMN_START]	= { "start", "when it began", GRAPH_WIDE, 15 },
	[GRAPH_COLUMN_CPU]	= { "CPU", "where it began", GRAPH_WIDE, 3 },
	[GRAPH_COLUMN_TASK]	= { "task", "whose call it is", NEVER, 16 },
	[GRAPH_COLUMN_CONTEXT]	= { "context", "irq, softirq or nmi, if it is not a task's", NEVER,
				    7 },
	[GRAPH_COLUMN_SELF]	= { "self", "without the calls below it and time off the CPU", 70,
				    0 },
	[GRAPH_COLUMN_NET]	= { "net", "without recorded interrupts and time off the CPU",
				    GRAPH_WIDE, 0 },
	[GRAPH_COLUMN_ARGS]	= { "arguments", "where they were recorded", 0, 0 },
	[GRAPH_COLUMN_RETURN]	= { "return", "the returned value, where it was recorded",
				    GRAPH_WIDE, 0 },
	[GRAPH_COLUMN_CALLER]	= { "caller", "the address it returned to, where that was recorded",
				    NEVER, 0 },
};

bool graph_column_shown(const struct view *view, enum graph_column column)
{
	return view->columns[column] ? view->columns[column] > 0 :
				       view->shared->look.cols >= columns[column].from;
}

const char *graph_column(struct view *view, unsigned int i, bool *shown, const char **help)
{
	*shown = graph_column_shown(view, (enum graph_column)i);
	*help = columns[i].help;
	return columns[i].name;
}

void graph_toggle_column(struct view *view, unsigned int i)
{
	view->columns[i] = graph_column_shown(view, (enum graph_column)i) ? -1 : 1;
}

void graph_save_columns(const struct view *view, struct text *out)
{
	for (unsigned int i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
		if (view->columns[i])
			text_printf(out, "%s %s\n", view->columns[i] > 0 ? "show" : "hide",
				    columns[i].name);
}

void graph_restore_columns(struct view *view, const char *key, const char *value)
{
	bool show = !strcmp(key, "show");

	for (unsigned int i = 0;
	     i < sizeof(columns) / sizeof(columns[0]) && (show || !strcmp(key, "hide")); i++)
		if (!strcmp(columns[i].name, value))
			view->columns[i] = show ? 1 : -1;
}

/* --- figures ------------------------------------------------------------------------------ */

/* The sum of a row; for a group, of its members. */
static uint64_t sum_of(const struct view *view, const struct graph_row *row,
		       enum graph_column figure)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < row->nr; i++) {
		const struct call *call = call_tree_call(tree,
							 view->rows.members[row->members + i]);

		sum += figure == GRAPH_COLUMN_SELF ? call->self :
		       figure == GRAPH_COLUMN_NET  ? call->net :
						     call_duration(call);
	}
	return sum;
}

/* Are its self and net unknown?  A group's, if those of one of its calls are. */
static bool is_doubtful(const struct view *view, const struct graph_row *row)
{
	const struct call_tree *tree = call_window_tree(view->window);

	for (uint32_t i = 0; row->kind == GRAPH_ROW_GROUP && i < row->nr; i++)
		if (call_tree_call(tree, view->rows.members[row->members + i])->doubtful)
			return true;
	return row->kind == GRAPH_ROW_CALL && graph_call(view, row)->doubtful;
}

static bool is_timed_row(const struct view *view, const struct graph_row *row)
{
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_GROUP)
		return !call->inferred;
	return row->kind == GRAPH_ROW_AWAY || (row->kind == GRAPH_ROW_CALL && call_is_timed(call));
}

static uint64_t duration_of(const struct view *view, const struct graph_row *row)
{
	return row->kind == GRAPH_ROW_GROUP ? sum_of(view, row, NR_GRAPH_COLUMNS) :
					      call_duration(graph_call(view, row));
}

bool graph_row_duration(const struct view *view, const struct graph_row *row, uint64_t *ns)
{
	*ns = duration_of(view, row);
	return is_timed_row(view, row);
}

/* The duration that decides the mark: for a row of siblings, the longest of them. */
static uint64_t longest_of(const struct view *view, const struct graph_row *row)
{
	return row->kind == GRAPH_ROW_GROUP ?
		       call_duration(call_tree_call(call_window_tree(view->window),
						    view->rows.members[row->members])) :
		       call_duration(graph_call(view, row));
}

/* Self or net time; for a group, the sum of the calls that have one. */
static uint64_t figure_of(const struct view *view, const struct graph_row *row,
			  enum graph_column figure)
{
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_GROUP)
		return sum_of(view, row, figure);
	return figure == GRAPH_COLUMN_SELF ? call->self : call->net;
}

/* --- how wide ------------------------------------------------------------------------------ */

static int cells_of(uint64_t ns)
{
	struct text t = { 0 };
	int cells;

	graph_add_us(&t, ns);
	cells = (int)t.len;
	text_fini(&t);
	return cells;
}

static void find_widths(const struct view *view, int cells[NR_GRAPH_COLUMNS], int *duration)
{
	*duration = 9;
	for (int i = 0; i < NR_GRAPH_COLUMNS; i++)
		cells[i] = graph_column_shown(view, (enum graph_column)i) ? columns[i].cells : 0;
	if (graph_column_shown(view, GRAPH_COLUMN_SELF))
		cells[GRAPH_COLUMN_SELF] = 9;
	for (unsigned int i = view->lines.top;
	     i < view->lines.top + view->lines.height && i < view->rows.nr; i++) {
		const struct graph_row *row = &view->rows.rows[i];

		if (!is_timed_row(view, row))
			continue;
		if (cells_of(duration_of(view, row)) > *duration)
			*duration = cells_of(duration_of(view, row));
		if (row->kind != GRAPH_ROW_AWAY && cells[GRAPH_COLUMN_SELF] &&
		    cells_of(figure_of(view, row, GRAPH_COLUMN_SELF)) > cells[GRAPH_COLUMN_SELF])
			cells[GRAPH_COLUMN_SELF] = cells_of(
				figure_of(view, row, GRAPH_COLUMN_SELF));
	}
	if (graph_column_shown(view, GRAPH_COLUMN_NET))
		cells[GRAPH_COLUMN_NET] = *duration;
}

/* If the chosen columns do not fit, these go first. */
static void drop_columns(int cells[NR_GRAPH_COLUMNS], int room)
{
	static const enum graph_column order[] = { GRAPH_COLUMN_START, GRAPH_COLUMN_TASK,
						   GRAPH_COLUMN_CONTEXT, GRAPH_COLUMN_NET,
						   GRAPH_COLUMN_CPU, GRAPH_COLUMN_SELF };
	int used = 0;

	for (int i = 0; i < NR_GRAPH_COLUMNS; i++)
		used += cells[i] ? cells[i] + 1 : 0;
	for (size_t i = 0; i < sizeof(order) / sizeof(order[0]) && used > room; i++) {
		used -= cells[order[i]] ? cells[order[i]] + 1 : 0;
		cells[order[i]] = 0;
	}
}

void graph_lay_out(const struct view *view, int cols, struct graph_layout *l)
{
	int cells[NR_GRAPH_COLUMNS], duration, col = 1;

	find_widths(view, cells, &duration);
	drop_columns(cells, cols - 1 - 2 - duration - 2 - NAME_CELLS);
	*l = (struct graph_layout){ .duration = duration, .has_net = graph_has_net(view) };
	for (int i = 0; i < NR_GRAPH_COLUMNS; i++) {
		if (i == GRAPH_COLUMN_SELF) {	/* the duration is in front of it */
			l->mark = col > 1 ? ++col : col;
			l->duration_left = col + 2;
			col += 2 + duration + 1;
		}
		l->left[i] = col;
		l->cells[i] = cells[i];
		col += cells[i] ? cells[i] + 1 : 0;
	}
	l->name = col + 1;
	if (view->lines.at < view->rows.nr &&
	    4 * (int)view->rows.rows[view->lines.at].level > cols - l->name)
		l->hidden = view->rows.rows[view->lines.at].level - (uint32_t)(cols - l->name) / 4;
}

/* --- on the canvas --------------------------------------------------------------------------- */

static void draw_us(struct canvas *canvas, int y, int left, int cells, enum role role, uint64_t ns)
{
	struct text t = { 0 };

	graph_add_us(&t, ns);
	canvas_right(canvas, y, left, cells, role, text_str(&t));
	text_fini(&t);
}

static void draw_cell(struct canvas *canvas, int y, const struct graph_layout *l,
		      enum graph_column column, enum role role, const char *s)
{
	if (l->cells[column])
		canvas_right(canvas, y, l->left[column], l->cells[column], role, s);
}

/* When, where, whose. */
static void draw_place(struct view *view, struct canvas *canvas, int y, const struct graph_row *row,
		       const struct graph_layout *l)
{
	const struct call *call = graph_call(view, row);
	const struct call_task *task = call_tree_task(call_window_tree(view->window), row->task);
	struct text t = { 0 };

	shared_time(view->shared, call_text_start(view->text, call), 6, &t);
	draw_cell(canvas, y, l, GRAPH_COLUMN_START, ROLE_DIM, text_str(&t));
	text_clear(&t);
	text_printf(&t, "%d", call_text_cpu(view->text, call, false));
	draw_cell(canvas, y, l, GRAPH_COLUMN_CPU, ROLE_DIM, text_str(&t));
	text_clear(&t);
	if (l->cells[GRAPH_COLUMN_TASK]) {
		shorten_task(trace_comm(view->shared->trace, view->file, task->pid,
					call_text_start(view->text, call)),
			     task->pid, l->cells[GRAPH_COLUMN_TASK], &t);
		canvas_fit(canvas, y, l->left[GRAPH_COLUMN_TASK], l->cells[GRAPH_COLUMN_TASK],
			   ROLE_DIM, text_str(&t));
	}
	if (l->cells[GRAPH_COLUMN_CONTEXT] && call_is_call(call) && call->level != GRAPH_TASK)
		canvas_fit(canvas, y, l->left[GRAPH_COLUMN_CONTEXT], l->cells[GRAPH_COLUMN_CONTEXT],
			   ROLE_EVENT_IRQ, call_level_name(call->level));
	text_fini(&t);
}

void graph_draw_figures(struct view *view, struct canvas *canvas, int y,
			const struct graph_row *row, const struct graph_layout *l)
{
	const struct call *call = graph_call(view, row);
	char mark[2] = { ' ', '\0' };

	if (row->kind != GRAPH_ROW_END)
		draw_place(view, canvas, y, row, l);
	if (is_doubtful(view, row))
		canvas_text(canvas, y, l->mark + 1, 1, ROLE_CLIPPED, "~");
	if (row->kind == GRAPH_ROW_CALL && !call_is_timed(call) && !call->inferred) {
		canvas_right(canvas, y, l->duration_left, l->duration, ROLE_CLIPPED, "~>");
		return;
	}
	if (!is_timed_row(view, row))
		return;
	mark[0] = text_duration_mark(longest_of(view, row));
	canvas_text(canvas, y, l->mark, 1, row_slow_role((int64_t)longest_of(view, row), ROLE_TEXT),
		    mark);
	draw_us(canvas, y, l->duration_left, l->duration,
		row_slow_role((int64_t)longest_of(view, row), ROLE_TEXT), duration_of(view, row));
	for (enum graph_column i = GRAPH_COLUMN_SELF; i <= GRAPH_COLUMN_NET; i++) {
		if ((row->kind != GRAPH_ROW_GROUP &&
		     (row->kind == GRAPH_ROW_AWAY || call->doubtful)) ||
		    (i == GRAPH_COLUMN_NET &&
		     (!l->has_net || (row->kind == GRAPH_ROW_CALL && !call_has_net(call)))))
			draw_cell(canvas, y, l, i, ROLE_DIM, "–");
		else if (l->cells[i])
			draw_us(canvas, y, l->left[i], l->cells[i], ROLE_TEXT,
				figure_of(view, row, i));
	}
}

/* ", of host", ", in instance foo": added if other files or buffers have calls too. */
static void add_buffer(const struct view *view, struct text *out)
{
	struct trace *trace = view->shared->trace;

	if (trace_nr_files(trace) > 1) {
		text_add(out, ", of ");
		shared_file_name(view->shared, view->file, out);
	}
	for (unsigned int i = 0; i < trace_nr_streams(trace); i++) {
		const struct trace_stream_info info = trace_stream_info(trace, i);

		if (info.file != view->file || info.buffer != view->buffer)
			continue;
		if (*info.buffer_name)
			text_add(out, ", in "),
				text_printable(out, info.buffer_name, strlen(info.buffer_name));
		return;
	}
}

void graph_draw_headings(struct view *view, struct canvas *canvas, int y,
			 const struct graph_layout *l)
{
	struct text t = { 0 };

	for (int i = 0; i < NR_GRAPH_COLUMNS; i++) {
		if (i == GRAPH_COLUMN_TASK || i == GRAPH_COLUMN_CONTEXT)
			canvas_fit(canvas, y, l->left[i], l->cells[i], ROLE_HEADING,
				   columns[i].name);
		else
			draw_cell(canvas, y, l, (enum graph_column)i, ROLE_HEADING,
				  i == GRAPH_COLUMN_SELF && !l->has_net ? GRAPH_SELF_AND_AWAY :
									  columns[i].name);
	}
	canvas_right(canvas, y, l->mark, l->duration_left - l->mark + l->duration, ROLE_HEADING,
		     "duration µs");
	if (l->hidden)
		text_printf(&t, "‹%u  ", l->hidden);
	if (view->by_cpu) {
		text_printf(&t, "CPU %d, by CPU", view->cpu);
		if (view->lines.at < view->rows.nr) {
			const struct call_task *task =
				call_tree_task(call_window_tree(view->window),
					       view->rows.rows[view->lines.at].task);

			text_add(&t, ": ");
			graph_task_name(view, task->pid, view->cpu, &t);
		}
	} else {
		graph_task_name(view, view->pid, view->cpu, &t);
		text_add(&t, ", by task");
	}
	if (view->lines.at < view->rows.nr &&
	    graph_call(view, &view->rows.rows[view->lines.at])->inferred)
		text_add(&t, ", inferred");
	add_buffer(view, &t);
	canvas_fit(canvas, y, l->name, canvas->cols - l->name, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}
