/* SPDX-License-Identifier: GPL-2.0-or-later */
/* graph_draw - the rows of the tree on the canvas. */
#include <inttypes.h>
#include <string.h>

#include "src/shorten.h"
#include "ui/view_graph.h"

#define WIDE		100		/* columns from which on all are shown */
#define GLYPH_CELLS	2		/* the sign of a fold */

struct layout {				/* cells; width 0: not shown */
	int		start_left, start, cpu_left, cpu, mark, duration_left, duration, self_left, self, net_left, net, name;
	uint32_t	hidden;		/* levels left of the edge */
};

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

/* Of a group: the sum of its members. */
static uint64_t sum_of(const struct view *view, const struct graph_row *row, bool self)
{
	const struct call_tree *tree = call_window_tree(view->window);
	uint64_t sum = 0;

	for (uint32_t i = 0; i < row->nr; i++) {
		const struct call *call = call_tree_call(tree, view->rows.members[row->members + i]);

		sum += self ? call->self : call_duration(call);
	}
	return sum;
}

static bool is_timed_row(const struct view *view, const struct graph_row *row)
{
	const struct call *call = graph_call(view, row);

	return row->kind == GRAPH_ROW_GROUP || row->kind == GRAPH_ROW_AWAY || (row->kind == GRAPH_ROW_CALL && call_is_timed(call));
}

static uint64_t duration_of(const struct view *view, const struct graph_row *row)
{
	return row->kind == GRAPH_ROW_GROUP ? sum_of(view, row, false) : call_duration(graph_call(view, row));
}

static uint64_t self_of(const struct view *view, const struct graph_row *row)
{
	return row->kind == GRAPH_ROW_GROUP ? sum_of(view, row, true) : graph_call(view, row)->self;
}

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

static void add_call(struct view *view, const struct graph_row *row, const struct call *call, struct text *out)
{
	const char *name = call_text_function(view->text, call_tree_function(call_window_tree(view->window), call->func));
	bool orphan = call->kind == CALL_ORPHAN && !graph_began_before(view, call);

	if (orphan && !row->full) {
		text_add(out, "◂} /* ");
		text_printable(out, name, strlen(name));
		text_add(out, " */");
		return;
	}
	text_add(out, !row->full ? "" : row->open ? "▾ " : "▸ ");
	if (orphan)
		text_add(out, "◂");
	text_printable(out, name, strlen(name));
	text_char(out, '(');
	call_text_arguments(view->text, call, call_tree_function(call_window_tree(view->window), call->func), out);
	if (!row->full)
		text_add(out, call_is_timed(call) ? ");" : ") {");
	else if (row->open)
		text_add(out, ") {");
	else
		text_char(out, ')'), add_contents(view, call, out);
	if (!view->shared->cols || view->shared->cols < WIDE)
		return;
	text_add(out, "  ");
	if (!call_text_return(view->text, call, out))
		out->len -= 2, out->data[out->len] = '\0';
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
		text_printf(out, "() ×%u  max ", row->nr);
		graph_add_us(out, call_duration(call_tree_call(tree, view->rows.members[row->members])));
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

static int cells_of(uint64_t ns)
{
	struct text t = { 0 };
	int cells;

	graph_add_us(&t, ns);
	cells = (int)t.len;
	text_fini(&t);
	return cells;
}

static void lay_out(const struct view *view, int cols, struct layout *l)
{
	int duration = 9, self = 9, col = 1;

	for (unsigned int i = view->top; i < view->top + view->height && i < view->rows.nr; i++) {
		const struct graph_row *row = &view->rows.rows[i];

		if (!is_timed_row(view, row))
			continue;
		if (cells_of(duration_of(view, row)) > duration)
			duration = cells_of(duration_of(view, row));
		if (row->kind != GRAPH_ROW_AWAY && cells_of(self_of(view, row)) > self)
			self = cells_of(self_of(view, row));
	}
	*l = (struct layout){ 0 };
	if (cols >= WIDE) {
		l->start_left = col;
		l->start = 15;
		l->cpu_left = l->start_left + l->start + 1;
		l->cpu = 3;
		col = l->cpu_left + l->cpu + 2;
	}
	l->mark = col;
	l->duration_left = col + 2;
	l->duration = duration;
	col = l->duration_left + duration;
	if (cols >= 70) {
		l->self_left = col + 1;
		l->self = self;
		col = l->self_left + self;
	}
	if (cols >= WIDE) {
		l->net_left = col + 1;
		l->net = duration;
		col = l->net_left + l->net;
	}
	l->name = col + 2;
	if (view->at < view->rows.nr && 4 * (int)view->rows.rows[view->at].level > cols - l->name)
		l->hidden = view->rows.rows[view->at].level - (uint32_t)(cols - l->name) / 4;
}

static enum role slow_role(uint64_t ns)
{
	static const struct { uint64_t above; enum role role; } roles[] = {
		{ 1000000000, ROLE_SLOW_1S }, { 100000000, ROLE_SLOW_100MS }, { 10000000, ROLE_SLOW_10MS }, { 1000000, ROLE_SLOW_1MS },
		{ 100000, ROLE_SLOW_100US }, { 10000, ROLE_SLOW_10US },
	};

	for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
		if (ns > roles[i].above)
			return roles[i].role;
	return ROLE_TEXT;
}

static void draw_us(struct canvas *canvas, int y, int left, int cells, enum role role, uint64_t ns)
{
	struct text t = { 0 };

	graph_add_us(&t, ns);
	canvas_right(canvas, y, left, cells, role, text_str(&t));
	text_fini(&t);
}

static void draw_figures(struct view *view, struct canvas *canvas, int y, const struct graph_row *row, const struct layout *l)
{
	const struct call *call = graph_call(view, row);
	char mark[2] = { ' ', '\0' };
	struct text t = { 0 };

	if (l->start && row->kind != GRAPH_ROW_END) {
		shared_time(view->shared, call_text_start(view->text, call), 6, &t);
		canvas_right(canvas, y, l->start_left, l->start, ROLE_DIM, text_str(&t));
		text_clear(&t);
		text_printf(&t, "%d", call_text_cpu(view->text, call, false));
		canvas_right(canvas, y, l->cpu_left, l->cpu, ROLE_DIM, text_str(&t));
	}
	text_fini(&t);
	if (call->clipped && call_is_call(call) && row->kind == GRAPH_ROW_CALL)
		canvas_text(canvas, y, l->mark + 1, 1, ROLE_CLIPPED, "~");
	if (row->kind == GRAPH_ROW_CALL && !call_is_timed(call)) {
		canvas_right(canvas, y, l->duration_left, l->duration, ROLE_CLIPPED, "~>");
		return;
	}
	if (!is_timed_row(view, row))
		return;
	mark[0] = text_duration_mark(duration_of(view, row));
	canvas_text(canvas, y, l->mark, 1, slow_role(duration_of(view, row)), mark);
	draw_us(canvas, y, l->duration_left, l->duration, slow_role(duration_of(view, row)), duration_of(view, row));
	if (row->kind == GRAPH_ROW_AWAY) {
		if (l->self)
			canvas_right(canvas, y, l->self_left, l->self, ROLE_DIM, "–");
		return;
	}
	if (l->self)
		draw_us(canvas, y, l->self_left, l->self, ROLE_TEXT, self_of(view, row));
	if (l->net && row->kind == GRAPH_ROW_CALL)
		draw_us(canvas, y, l->net_left, l->net, ROLE_TEXT, call->net);
}

static enum role row_role(const struct view *view, const struct graph_row *row)
{
	const struct call *call = graph_call(view, row);

	if (row->kind == GRAPH_ROW_AWAY)
		return ROLE_OFFCPU;
	if (row->kind == GRAPH_ROW_EVENT || row->kind == GRAPH_ROW_END)
		return ROLE_DIM;
	if (call->kind == CALL_ORPHAN)
		return ROLE_ORPHAN;
	return call->level == GRAPH_HARDIRQ || call->level == GRAPH_NMI ? ROLE_EVENT_IRQ :
	       call->level == GRAPH_SOFTIRQ ? ROLE_EVENT_SOFTIRQ : ROLE_EVENT_FUNCTION;
}

static void draw_name(struct view *view, struct canvas *canvas, int y, const struct graph_row *row, const struct layout *l)
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
	shorten_end(text_str(&t), canvas->cols - col, &cut);
	canvas_text(canvas, y, col, canvas->cols - col, row_role(view, row), text_str(&cut));
	text_fini(&t);
	text_fini(&cut);
}

static void draw_row(struct view *view, struct canvas *canvas, int y, unsigned int i, const struct layout *l)
{
	const struct graph_row *row = &view->rows.rows[i];
	bool current = i == view->at;
	char letter[2] = { places_letter(&view->shared->places, graph_place(view, row, row->kind == GRAPH_ROW_END).ref), '\0' };

	draw_figures(view, canvas, y, row, l);
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

static void draw_headings(struct view *view, struct canvas *canvas, int y, const struct layout *l)
{
	struct text t = { 0 };

	if (l->start) {
		canvas_right(canvas, y, l->start_left, l->start, ROLE_HEADING, "start");
		canvas_right(canvas, y, l->cpu_left, l->cpu, ROLE_HEADING, "CPU");
	}
	canvas_right(canvas, y, l->duration_left, l->duration, ROLE_HEADING, "duration");
	if (l->self)
		canvas_right(canvas, y, l->self_left, l->self, ROLE_HEADING, "self");
	if (l->net)
		canvas_right(canvas, y, l->net_left, l->net, ROLE_HEADING, "net");
	if (l->hidden)
		text_printf(&t, "‹%u  ", l->hidden);
	if (view->by_cpu) {
		text_printf(&t, "CPU %d, by CPU", view->cpu);
		if (view->at < view->rows.nr) {
			const struct call_task *task = call_tree_task(call_window_tree(view->window), view->rows.rows[view->at].task);

			text_add(&t, ": ");
			graph_task_name(view, task->pid, view->cpu, &t);
		}
	} else {
		graph_task_name(view, view->pid, view->cpu, &t);
		text_add(&t, ", by task");
	}
	canvas_fit(canvas, y, l->name, canvas->cols - l->name, ROLE_HEADING, text_str(&t));
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
		canvas_text(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, "No function_graph records here.");
		canvas_text(canvas, top + 3, 2, canvas->cols - 3, ROLE_DIM, "To record calls: R, or");
		canvas_text(canvas, top + 4, 2, canvas->cols - 3, ROLE_DIM, "ftop-trace record -p function_graph -g FUNC CMD");
		canvas_text(canvas, top + 5, 2, canvas->cols - 3, ROLE_DIM, "1 Events shows what there is.");
		return;
	}
	if (view->scope.nr_filters && !view->shared->filters.dim) {
		text_add(&t, "The filter keeps no call here:  ");
		filters_text(&view->shared->filters, &t);
		canvas_fit(canvas, top + 1, 2, canvas->cols - 3, ROLE_TEXT, text_str(&t));
		canvas_text(canvas, top + 3, 2, canvas->cols - 3, ROLE_DIM, "F all filters off   f edit it   z dim instead of hide");
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
	struct layout l;

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
	if (view->at < view->top)
		view->top = view->at;
	if (view->at >= view->top + view->height)
		view->top = view->at - view->height + 1;
	if (view->top && view->top + view->height > view->rows.nr)
		view->top = view->rows.nr > view->height ? view->rows.nr - view->height : 0;
	lay_out(view, canvas->cols, &l);
	draw_headings(view, canvas, area->top, &l);
	for (unsigned int i = 0; i < view->height && view->top + i < view->rows.nr; i++)
		draw_row(view, canvas, view->body_top + (int)i, view->top + i, &l);
}
