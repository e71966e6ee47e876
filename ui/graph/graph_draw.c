/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_draw - the rows of the tree on the canvas. */
#include <inttypes.h>
#include <string.h>

#include "src/base/shorten.h"
#include "ui/screen/list_window.h"
#include "ui/view/no_calls.h"
#include "ui/view/nothing_left.h"
#include "ui/graph/view_graph.h"
#include "ui/rows/words.h"

#define GLYPH_CELLS	2		/* the sign of a fold */

void graph_add_us(struct text *out, uint64_t ns)
{
	text_printf(out, "%" PRIu64 ".%03u", ns / 1000, (unsigned int)(ns % 1000));
}

void graph_task_name(const struct view *view, int32_t pid, int cpu, struct text *out)
{
	const char *comm;

	if (!pid) {
		text_printf(out, "<idle>, CPU %d", cpu);
		return;
	}
	comm = trace_comm(view->shared->trace, view->file, pid, view->shared->here.set ? view->shared->here.ts : view->shared->last);
	text_printable(out, comm, strlen(comm));
	text_printf(out, "-%d", pid);
}

/* --- what a row says --------------------------------------------------------------------- */

/* What a closed call holds: "{ 5 calls }", "{ 1 event }". */
static void add_contents(const struct view *view, const struct call *call, struct text *out)
{
	const struct call_tree *tree = call_window_tree(view->window);
	unsigned int calls = 0, others = 0;

	for (uint32_t n = call->last; n; n = call_tree_call(tree, n)->before) {
		calls += call_is_call(call_tree_call(tree, n));
		others += call_tree_call(tree, n)->kind == CALL_EVENT;
	}
	if (calls)
		text_printf(out, calls == 1 ? " { %u call }" : " { %u calls }", calls);
	else if (others)
		text_printf(out, others == 1 ? " { %u event }" : " { %u events }", others);
	else
		text_add(out, " { }");
}

static void add_away(struct view *view, const struct call *away, struct text *out)
{
	struct text state = { 0 };
	char letter;

	text_add(out, "⟫ off the CPU");
	if (!call_text_state(view->text, away, &state))
		state.len = 0;
	letter = state.len ? state.data[0] : '\0';
	if (letter == 'R') {
		text_add(out, ": preempted");
	} else if (letter) {
		text_printf(out, letter == 'D' ? ": blocked (%s)" : ": asleep (%s)", text_str(&state));
		if (away->away_woken > away->start && away->away_woken < away->end) {
			text_char(out, ' ');
			graph_add_us(out, away->away_woken - away->start);
			text_add(out, ", waited ");
			graph_add_us(out, away->end - away->away_woken);
		}
	}
	text_fini(&state);
}

/* Began before what was read, so that its entry is not lost for that. */
bool graph_began_before(const struct view *view, const struct call *call)
{
	int64_t first, last;

	return !call_window_at_start(view->window) && call_window_span(view->window, &first, &last) &&
	       call_text_start(view->text, call) < first;
}

bool graph_before_trace(const struct view *view, const struct call *call)
{
	return call_text_start(view->text, call) < view->shared->first;
}

/* What was recorded with a call, behind its name. */
static void add_behind(const struct view *view, const struct call *call,
		       bool (*tell)(struct call_text *text, const struct call *call, struct text *out), struct text *out)
{
	struct text told = { 0 };

	if (tell(view->text, call, &told)) {
		text_add(out, "  ");
		text_printable(out, text_str(&told), told.len);
	}
	text_fini(&told);
}

static void add_return(const struct view *view, const struct call *call, struct text *out)
{
	int64_t value;

	add_behind(view, call, call_text_return, out);
	if (call_text_return_value(view->text, call, &value) && words_error(value))
		text_printf(out, " %s", words_error(value));
}

void graph_add_told(const struct view *view, const struct call *call, struct text *out)
{
	add_return(view, call, out);
	add_behind(view, call, call_text_caller, out);
}

/* What an inferred call stands for, and who called it, where that is not what it stands in. */
static void add_caller(const struct view *view, const struct call *call, struct text *out)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint32_t above = call->parent ? call_tree_call(tree, call->parent)->func : CALL_FUNCTION_OTHERS;
	struct text caller = { 0 };

	if (call->calls != 1)
		text_printf(out, " ×%" PRIu64, call->calls);
	if (call_text_caller(view->text, call, &caller) &&
	    (!call->parent || strcmp(caller.data + strlen("<-"), call_text_function(view->text, call_tree_function(tree, above))))) {
		text_add(out, "  ");
		text_printable(out, text_str(&caller), caller.len);
	}
	text_fini(&caller);
}

static void add_call(struct view *view, const struct graph_row *row, const struct call *call, struct text *out)
{
	const char *name = call_text_function(view->text, call_tree_function(call_window_tree(view->window), call->func));
	bool orphan = call->kind == CALL_ORPHAN && !graph_began_before(view, call);

	if (orphan && !row->full) {
		text_add(out, "◂} /* ");
		text_printable(out, name, strlen(name));
		text_add(out, " */");
		if (view->shared->cols >= GRAPH_WIDE)
			text_add(out, graph_before_trace(view, call) ? "  began before the trace: time is exact" :
								       "  entry lost: time is exact");
		return;
	}
	text_add(out, !row->full ? "" : row->open ? "▾ " : "▸ ");
	if (orphan)
		text_add(out, "◂");
	text_printable(out, name, strlen(name));
	text_char(out, '(');
	if (graph_column_shown(view, GRAPH_COLUMN_ARGS))
		call_text_arguments(view->text, call, call_tree_function(call_window_tree(view->window), call->func), out);
	if (!row->full && view->rows.bare && call->last)
		text_char(out, ')'), add_contents(view, call, out);
	else if (!row->full)
		text_add(out, call_is_timed(call) || call->inferred ? ");" : ") {");
	else if (row->open)
		text_add(out, ") {");
	else
		text_char(out, ')'), add_contents(view, call, out);
	if (call->inferred)
		add_caller(view, call, out);
	if (graph_column_shown(view, GRAPH_COLUMN_RETURN))
		add_return(view, call, out);
	if (graph_column_shown(view, GRAPH_COLUMN_CALLER) && !call->inferred)
		add_behind(view, call, call_text_caller, out);
}

void graph_row_text(struct view *view, const struct graph_row *row, struct text *out)
{
	const struct call *call = graph_call(view, row);
	const struct call_tree *tree = call_window_tree(view->window);
	const char *name;

	switch ((enum graph_row_kind)row->kind) {
	case GRAPH_ROW_CALL:
		add_call(view, row, call, out);
		break;
	case GRAPH_ROW_GROUP:
		name = call_text_function(view->text, call_tree_function(tree, call->func));
		text_add(out, row->open ? "▾ " : "▸ ");
		text_printable(out, name, strlen(name));
		text_printf(out, "() ×%u", row->nr);
		if (call->inferred)
			break;
		text_add(out, "  max ");
		graph_add_us(out, call_duration(call_tree_call(tree, view->rows.members[row->members])));
		text_add(out, row->by_time ? ", as they came" : "");
		break;
	case GRAPH_ROW_END:
		text_char(out, '}');
		break;
	case GRAPH_ROW_AWAY:
		add_away(view, call, out);
		break;
	case GRAPH_ROW_EVENT:
		text_add(out, "/* ");
		{
			struct text t = { 0 };

			call_text_event(view->text, call, &t);
			text_printable(out, text_str(&t), t.len);
			text_fini(&t);
		}
		text_add(out, " */");
		break;
	}
}

/* --- rows on the canvas -------------------------------------------------------------------- */

static enum role role_of_row(const struct view *view, const struct graph_row *row)
{
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_AWAY)
		return ROLE_OFFCPU;
	if (row->kind == GRAPH_ROW_EVENT || row->kind == GRAPH_ROW_END)
		return ROLE_DIM;
	if (call->kind == CALL_ORPHAN)
		return ROLE_ORPHAN;
	if (call->inferred)
		return ROLE_INFERRED;
	return call->level == GRAPH_HARDIRQ || call->level == GRAPH_NMI ? ROLE_EVENT_IRQ :
	       call->level == GRAPH_SOFTIRQ ? ROLE_EVENT_SOFTIRQ : ROLE_EVENT_FUNCTION;
}

static void draw_name(struct view *view, struct canvas *canvas, int y, const struct graph_row *row, const struct graph_layout *l)
{
	uint32_t level = row->level > l->hidden ? row->level - l->hidden : 0;
	struct text t = { 0 }, cut = { 0 };
	int col = l->name + 2 * (int)level;

	if (row->level < l->hidden)
		text_printf(&t, "‹%u ", l->hidden - row->level);
	else if (row->kind == GRAPH_ROW_END || row->kind == GRAPH_ROW_EVENT || row->kind == GRAPH_ROW_AWAY ||
		 (row->kind == GRAPH_ROW_CALL && !row->full && graph_call(view, row)->kind != CALL_ORPHAN))
		col += GLYPH_CELLS;
	graph_row_text(view, row, &t);
	shorten_end(text_str(&t) + canvas_prefix(text_str(&t), t.len, view->side, NULL), canvas->cols - col, &cut);
	canvas_text(canvas, y, col, canvas->cols - col, role_of_row(view, row), text_str(&cut));
	text_fini(&t);
	text_fini(&cut);
}

static void draw_row(struct view *view, struct canvas *canvas, int y, unsigned int i, const struct graph_layout *l)
{
	const struct graph_row *row = &view->rows.rows[i];
	bool current = i == view->at;
	char letter[2] = { places_letter(&view->shared->places, graph_place(view, row, row->kind == GRAPH_ROW_END).ref), '\0' };

	graph_draw_figures(view, canvas, y, row, l);
	draw_name(view, canvas, y, row, l);
	if (row->dimmed)
		canvas_over(canvas, y, 0, canvas->cols, ROLE_FILTERED);
	if (current)
		canvas_over(canvas, y, 0, canvas->cols, ROLE_SELECTED);
	if (current)
		canvas_text(canvas, y, 0, 1, ROLE_TEXT, ">");
	else if (letter[0])
		canvas_text(canvas, y, 0, 1, ROLE_MARK, letter);
	if (current)
		canvas_over(canvas, y, 0, 1, ROLE_SELECTED);
}

/* What the filters keep of others, or which term removes most. */
static void draw_filtered(struct view *view, struct canvas *canvas, int top)
{
	static const char keys[] = "F all filters off   f edit it   z dim instead of hide";
	struct filters *filters = &view->shared->filters;
	struct text t = { 0 };

	text_add(&t, "The filter keeps no call here:  ");
	filters_text(filters, &t);
	if (filters_active(filters) && matches_status(filters->matches).events) {
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		text_clear(&t);
		filters_count(filters, &t);
		text_add(&t, " events are kept: n goes to the next, p to another task.");
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

	if (!view->known || (view->has_calls && (!view->window || !call_window_is_ready(view->window)))) {
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_DIM, "Nothing read so far …");
		return;
	}
	if (!view->has_calls) {
		no_calls_draw(view->shared, canvas, top + 1);
		return;
	}
	if (view->scope.nr_filters && !view->shared->filters.dim) {
		draw_filtered(view, canvas, top);
	} else {
		text_add(&t, "No calls of ");
		if (view->by_cpu)
			text_printf(&t, "CPU %d", view->cpu);
		else
			graph_task_name(view, view->pid, view->cpu, &t);
		text_add(&t, ".");
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		canvas_text(canvas, top + 3, 2, canvas->cols - 3, ROLE_DIM, "p another task   Tab by CPU   ] a slow call of any task");
	}
	text_fini(&t);
}

void graph_draw(struct view *view, const struct view_area *area)
{
	struct canvas *canvas = area->canvas;
	struct graph_layout l;

	view->body_top = area->top + 1;
	view->height = area->rows > 1 ? (unsigned int)area->rows - 1 : 1;
	graph_refresh(view);
	if (view->compare) {
		graph_compare_draw(view, area);
		return;
	}
	if (!view->rows.nr) {
		draw_empty(view, canvas, area->top);
		return;
	}
	view->top = list_window_show(view->top, view->at, view->height, view->rows.nr);
	graph_lay_out(view, canvas->cols, &l);
	view->side_step = canvas->cols - l.name > 2 ? (canvas->cols - l.name) / 2 : 1;
	graph_draw_headings(view, canvas, area->top, &l);
	for (unsigned int i = 0; i < view->height && view->top + i < view->rows.nr; i++)
		draw_row(view, canvas, view->body_top + (int)i, view->top + i, &l);
}
