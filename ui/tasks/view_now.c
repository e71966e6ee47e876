/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_now - the Now view: the lists of Tasks over a window of time, below a bar for each CPU.  The
 * window ends where the recording does, or it moves through a finished trace.  It is the range as
 * long as Now is shown; while a recording goes on, Latency, Functions and Counts are of it, too.
 */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "src/base/workers.h"
#include "ui/tasks/view_tasks.h"
#include "ui/view/list_tabs.h"

#define SECOND		INT64_C(1000000000)
#define LEAST_NS	1000			/* of the window */
#define MOST_LENGTH	(100000 * SECOND)
#define FIRST_LENGTH	(10 * SECOND)
#define PLAY_NS		100000000		/* steps of playing */
#define BAR_CELLS	12			/* of a CPU, at least */
#define LABEL_CELLS	9			/* "CPU 123  " */
#define SHARE_CELLS	8			/* " >12.3 %" */
#define LINE_CELLS	12			/* of a task's line, of this many windows */
#define LINE_WINDOWS	6
#define WIDE_COLS	116

static const char *const heights[] = { "·", "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };

/* --- the window ------------------------------------------------------------------------------- */

/* The next of 1, 2, 5, 10 … */
static int64_t step_length(int64_t length, bool more)
{
	int64_t unit = 1, digit;

	while (length / unit >= 10)
		unit *= 10;
	digit = length / unit;
	if (more)
		return unit * (digit < 2 ? 2 : digit < 5 ? 5 : 10);
	if (digit > 1)
		return unit * (digit > 5 ? 5 : digit > 2 ? 2 : 1);
	return unit > 1 ? unit / 2 : 1;
}

static int64_t least_length(const struct shared *shared)
{
	return trace_unit(shared->trace) == TRACE_UNIT_COUNT ? 1 : LEAST_NS;
}

/*
 * While a recording goes on, 10 s.  Of a finished trace a tenth at most, up to the cursor; at its
 * beginning all of it, unless it is played.
 */
static int64_t first_length(const struct shared *shared)
{
	const struct place *here = &shared->at.here;
	int64_t all = time_between(shared->at.first, shared->at.last), length = FIRST_LENGTH;
	bool grows = trace_grows(shared->trace),
	     is_whole = !grows && !shared->growth.plays &&
			(!here->set || here->ts <= shared->at.first);

	while (!grows && !is_whole && length > all / 10 && length > least_length(shared))
		length = step_length(length, false);
	while (is_whole && length < all && length < MOST_LENGTH)
		length = step_length(length, true);
	while (is_whole && step_length(length, false) >= all && length > least_length(shared))
		length = step_length(length, false);
	return length;
}

/* Shows the window of this length that ends there, as far as the trace allows. */
static void show_window(struct view *v, int64_t length, int64_t to, bool follows)
{
	int64_t end = shared_end(v->shared), first = time_after(v->shared->at.first, length - 1);

	to = to < first ? first : to;
	to = to > end || follows ? end : to;
	v->window.moved |= v->window.has_to && !v->window.plays;
	v->window.has_to = true;
	v->window.length = length;
	v->window.to = to;
	v->window.follows = follows;
	host_window(v->host, length, to, follows);
}

/* --- the line of each task -------------------------------------------------------------------- */

static void drop_line(struct view *v)
{
	shared_give_sched(v->shared, v->window.sched);
	shared_give_sched(v->shared, v->window.next);
	v->window.sched = v->window.next = NULL;
}

/* Where a column of the line begins; LINE_CELLS: where the last one ends. */
static int64_t line_edge(const struct now_window *w, int column)
{
	int64_t length = w->length * LINE_WINDOWS;

	return time_after(w->to, 1 - length + length / LINE_CELLS * column);
}

/*
 * On a wide screen, tasks have a line, from the model of the Timeline.  What a ring has dropped
 * stays in the line.
 */
static void take_line(struct view *v)
{
	struct now_window *w = &v->window;
	struct text title = { 0 };

	if (v->list != TASKS_OF_TASKS || v->shared->look.cols < WIDE_COLS ||
	    (w->sched && sched_file(w->sched) != v->file)) {
		drop_line(v);
		return;
	}
	text_add(&title, "last ");
	shared_span(v->shared, w->length * LINE_WINDOWS, &title);
	snprintf(w->line_title, sizeof(w->line_title), "%s", text_str(&title));
	text_fini(&title);
	if (!w->sched)
		w->sched = shared_take_sched(v->shared, v->file);
	if (shared_follow_sched(v->shared, v->file, line_edge(w, 0), w->sched, &w->next)) {
		shared_give_sched(v->shared, w->sched);
		w->sched = w->next;
		w->next = NULL;
		w->is_new = true;
	}
}

const char *now_line_title(const struct view *v)
{
	return v->window.line_title;
}

bool now_has_line(const struct view *v)
{
	return v->window.sched && sched_progress(v->window.sched).done;
}

void now_add_line(const struct view *v, const struct sched_task *of, int cells, struct text *out)
{
	int64_t edges[LINE_CELLS + 1], first, last;
	struct sched *sched = v->window.sched;
	struct pyramid_sum sums[LINE_CELLS];
	uint32_t task;

	sched_lock(sched);
	for (int i = 0; i <= LINE_CELLS; i++)
		edges[i] = line_edge(&v->window, i);
	/* of a column that is partly known, that part */
	for (int i = 0; i <= LINE_CELLS && sched_span(sched, &first, &last); i++)
		edges[i] = edges[i] < first ? first : edges[i];
	task = sched_rules_same(sched_pass_rules(sched_pass_of(sched)), of);
	if (task != SCHED_NO_TASK)
		pyramid_columns(sched_task(sched, task), sched_end(sched), edges, LINE_CELLS, sums);
	sched_unlock(sched);
	for (int i = 0; task != SCHED_NO_TASK && i < LINE_CELLS && i < cells; i++) {
		bool is_known = edges[i] < edges[i + 1] &&
				sums[i].touched & ~(1u << SCHED_UNKNOWN | 1u << SCHED_GONE);
		double part = (double)sums[i].ns[SCHED_RUNS] /
			      (double)time_between(edges[i], edges[i + 1]);

		text_add(out, is_known ? heights[part < 1 ? (int)ceil(part * 8) : 8] : " ");
	}
}

/* Moves the window; at the end of a recording that goes on, it follows that. */
static void move_to(struct view *v, int64_t to)
{
	show_window(v, v->window.length, to,
		    to >= shared_end(v->shared) && trace_grows(v->shared->trace));
}

/* The next trace may be the same one, when its recording has ended. */
void now_forget(struct view *v)
{
	const struct now_window *w = &v->window;
	bool stays = v->shared->growth.has_more && w->has_to;

	drop_line(v);
	v->window = (struct now_window){ .length = w->length, .chosen = w->chosen,
					 .has_to = stays, .to = stays ? w->to : 0,
					 .follows = stays && w->follows,
					 .left_at = TRACE_REF_NONE };
}

/* One second of the trace in a second; of a window below a second, the window. */
static void play(struct view *v)
{
	struct now_window *w = &v->window;
	int64_t now = workers_now_ns(), step = w->played_at ? now - w->played_at : PLAY_NS;
	unsigned int permille;

	if (!w->plays || step < PLAY_NS || !tasks_is_done(v, &permille))
		return;
	w->played_at = now;
	if (w->length < SECOND)
		step = llround((double)step * (double)w->length / (double)SECOND);
	w->plays = w->to < shared_end(v->shared) || !trace_status(v->shared->trace).complete;
	move_to(v, time_after(w->to, step));
}

static bool has_waits(const struct task_figures *f)
{
	for (uint32_t i = 0; i < f->nr_tasks; i++)
		if (f->sums[i].waits)
			return true;
	return false;
}

/*
 * There may be no records of the scheduler, or no waits.  While figures are not complete, the list
 * stays.
 */
static void choose_list(struct view *v)
{
	const struct task_figures *f = &v->now.figures;
	struct table_order *order = &v->order[TASKS_OF_TASKS][0];
	enum tasks_list list = f->sched_records ? TASKS_OF_TASKS : TASKS_OF_TYPES;

	if (!v->window.chosen && f->done && list != v->list) {
		v->list = list;
		tasks_sort(v);		/* do not draw rows of the former list */
	}
	if (f->done && f->switches && !f->wakes && !has_waits(f) &&
	    order->column == table_column_own(&task_columns, TASK_LONGEST_ANY_WAIT)) {
		order->column = 1;
		tasks_sort(v);
	}
}

void now_take(struct view *v)
{
	struct shared *shared = v->shared;
	struct now_window *w = &v->window;

	if (shared->trace && shared->at.has_span) {
		if (!w->length)
			w->length = first_length(shared);
		if (!w->has_to) {
			w->plays = shared->growth.plays;
			shared->growth.plays = false;
			show_window(v, w->length,
				    w->plays            ? shared->at.first :
				    shared->at.here.set ? shared->at.here.ts :
							  shared->at.last,
				    trace_grows(shared->trace));
		} else if (!shared->growth.tail) { /* another range was set */
			show_window(v, w->length, w->to, w->follows);
		}
		play(v);
		w->to = shared->at.places.range.to;
	}
	choose_list(v);
	take_line(v);
	w->is_new |= now_has_line(v) != w->has_line;
	w->has_line = now_has_line(v);
	tasks_count(v);
}

/* Another view shows the moment at which the window stands. */
void now_left(struct view *v)
{
	v->window.plays = false;
	tasks_left(v);
}

bool now_moves(struct view *v)
{
	return v->window.plays;
}

/* Are there new figures or lines to draw?  While it plays, each move of the window draws it. */
bool now_progressed(struct view *v)
{
	bool is_new = v->window.is_new;

	v->window.is_new = false;
	return is_new && !v->window.plays;
}

/*
 * The window ends at the cursor of the other views.  On the last row, that follows a recording; so
 * does a way back to where it was left.
 */
bool now_go(struct view *v, const struct place *place)
{
	const struct now_window *w = &v->window;
	bool is_last = place->ref != TRACE_REF_NONE &&
		       (place->ref == trace_last(v->shared->trace) || place->ref == w->left_at);

	if (w->has_to && place->ts != w->to && !(is_last && w->follows))
		move_to(v, is_last ? shared_end(v->shared) : place->ts);
	return true;
}

void now_publish(struct view *v)
{
	struct shared *shared = v->shared;
	const struct range *range = &shared->at.places.range;

	if (!range->set)
		return;
	shared->at.here = (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file,
				       .ts = range->to, .pid = -1, .cpu = -1 };
	if (v->window.follows) {	/* rows are ahead of the window: other views follow */
		shared->at.here.ref = v->window.left_at = trace_last(shared->trace);
		shared->at.here.ts = shared->at.last;
	}
	shared->at.has_window = true;
	shared->at.window_from = range->from;
	shared->at.window_to = range->to;
}

/* --- keys --------------------------------------------------------------------------------- */

static void change_length(struct view *v, bool more)
{
	int64_t length = step_length(v->window.length, more);

	if (length == v->window.length || length < least_length(v->shared) || length > MOST_LENGTH)
		host_message(v->host, "this is the %s window", more ? "longest" : "shortest");
	else
		show_window(v, length, v->window.to, v->window.follows);
}

static void toggle_play(struct view *v)
{
	struct now_window *w = &v->window;

	if (w->follows) {
		show_window(v, w->length, w->to, false);
		host_message(v->host, "stopped; the recording goes on. G follows it again");
		return;
	}
	if (!w->plays && w->to >= shared_end(v->shared)) {
		host_message(v->host, "this is the end of the trace; h moves the window back");
		return;
	}
	w->plays = !w->plays;
	w->played_at = 0;
}

/* Marks A and B around what Enter shows. */
static void mark_worst(struct view *v)
{
	struct place place;

	for (unsigned int i = 0; i < 2; i++)
		if (view_now_ops.moments->span(v, i, &place))
			v->shared->at.places.marks[i] = place;
}

bool now_request(struct view *v, enum request request)
{
	struct now_window *w = &v->window;

	if (!w->has_to)
		return false;
	switch ((int)request) {
	case REQ_MORE:
	case REQ_LESS:
		change_length(v, request == REQ_MORE);
		return true;
	case REQ_RIGHT:
		move_to(v, time_after(w->to, w->length));
		return true;
	case REQ_LEFT:
		move_to(v, time_after(w->to, -w->length));
		return true;
	case REQ_FIRST:
		move_to(v, v->shared->at.first);
		return true;
	case REQ_LAST:
		move_to(v, shared_end(v->shared));
		return true;
	case REQ_SAME_NEXT:
		toggle_play(v);
		return true;
	case REQ_RANGE:
		host_message(v->host, "here the range is the window: + and - change its length");
		return true;
	case REQ_ENTER:
		if (v->table.nr)
			mark_worst(v);
		return false;
	}
	return false;
}

/* --- what is drawn ---------------------------------------------------------------------------- */

bool now_is_listed(const struct view *v, uint32_t row)
{
	const struct sched_task *t = &v->now.figures.tasks[row];
	const struct task_sums *s = &v->now.figures.sums[row];

	return t->run || t->run_cut || t->wait || t->blocked || t->switches || t->wakeups ||
	       s->calls || s->irqs;
}

/* "31 204 events/s" of the window; "~" if it is estimated. */
static void add_rate(const struct view *v, struct text *out)
{
	const struct range *range = &v->shared->at.places.range;
	struct trace *trace = v->shared->trace;
	trace_ref from = trace_seek_time(trace, range->from, -1),
		  to = trace_seek_time(trace, time_after(range->to, 1), -1);
	bool from_exact = true, to_exact = true;
	uint64_t before = from == TRACE_REF_NONE ? 0 : trace_rank_events(trace, from, &from_exact),
		 until = to == TRACE_REF_NONE ? trace_status(trace).events :
						trace_rank_events(trace, to, &to_exact);
	int64_t span = tasks_span(v, v->file, range);

	if (from == TRACE_REF_NONE || !span)
		return;
	text_add(out, from_exact && to_exact && trace_status(trace).complete ? "   " : "   ~");
	text_count(out, tasks_is_unitless(v) ? until - before :
					       (uint64_t)llround((double)(until - before) *
								 (double)SECOND / (double)span));
	text_add(out, tasks_is_unitless(v) ? " events" : " events/s");
}

/* Return: the column after it. */
static int draw_window(const struct view *v, struct canvas *c, int row)
{
	const struct shared *shared = v->shared;
	const struct now_window *w = &v->window;
	const struct range *range = &shared->at.places.range;
	struct text t = { 0 };
	struct trace_bin bin;
	int col;

	text_add(&t, w->follows ? "the last " : "");
	shared_span(shared, w->length, &t);
	if (v->now.span && v->now.span < w->length - w->length / 100) {
		text_add(&t, " (");
		shared_span(shared, v->now.span, &t);
		text_add(&t, !w->follows                      ? " recorded)" :
			     trace_has_dropped(shared->trace) ? " kept)" :
								" so far)");
	}
	text_add(&t, w->follows ? ", to " : " to ");
	shared_time(shared, range->to, 6, &t);
	if (w->plays)
		text_add(&t, w->length < SECOND ? ", slow motion" : ", plays");
	if (v->now.is_former)
		text_add(&t, "   counting …");
	else
		add_rate(v, &t);
	col = 1 + canvas_text(c, row, 1, c->cols - 2, ROLE_TEXT, text_str(&t));
	trace_density(shared->trace, range->from, time_after(range->to, 1), 1, &bin);
	if (bin.lost)
		col += 3 + canvas_text(c, row, col + 3, c->cols, ROLE_HEADER_WARN, "events lost!");
	if (shared->recorder.len && col + 3 + (int)shared->recorder.len < c->cols)
		col += 3 +
		       canvas_text(c, row, col + 3, c->cols, ROLE_DIM, text_str(&shared->recorder));
	text_fini(&t);
	return col;
}

/* What a CPU did, as parts of the window, in the order in which a bar has them. */
static void parts_of(const struct view *v, const struct cpu_sums *cpu, double parts[4])
{
	double span = v->now.span > 0 ? (double)v->now.span : 1;
	int64_t interrupts = cpu->irq + cpu->softirq, of_tasks = interrupts - cpu->idle_irq;

	parts[0] = (double)(cpu->busy > of_tasks ? cpu->busy - of_tasks : 0) / span;
	parts[1] = (double)cpu->softirq / span;
	parts[2] = (double)cpu->irq / span;
	parts[3] = (double)(cpu->idle > cpu->idle_irq ? cpu->idle - cpu->idle_irq : 0) / span;
}

static const struct {
	const char	*glyph;
	enum role	role;
	const char	*word;
} kinds[] = {
	{ "█", ROLE_RUN, "tasks" },
	{ "▒", ROLE_IRQ, "softirqs" },
	{ "▀", ROLE_IRQ, "interrupts" },
	{ "·", ROLE_IDLE, "idle" },
	{ "░", ROLE_LOST, "not known" },
};
#define NR_KINDS (sizeof(kinds) / sizeof(kinds[0]))

static void draw_cpu(const struct view *v, const struct cpu_sums *cpu, struct canvas *c, int row,
		     int col, int cells)
{
	struct text t = { 0 };
	double parts[4], sum = 0;
	int bar = cells - LABEL_CELLS - SHARE_CELLS, at = 0;

	parts_of(v, cpu, parts);
	text_printf(&t, "CPU %d", cpu->cpu);
	canvas_text(c, row, col, LABEL_CELLS, ROLE_TEXT, text_str(&t));
	for (unsigned int i = 0; i < NR_KINDS; i++) {
		int to = bar;

		if (i < 4) {
			sum += parts[i];
			to = (int)lround(bar * (sum < 1 ? sum : 1));
		}
		canvas_fill(c, row, col + LABEL_CELLS + at, to - at, kinds[i].role, kinds[i].glyph);
		at = to;
	}
	text_clear(&t);
	if (sum > 0) {
		/* as the column says: interrupts of an idle CPU do not make it busy */
		if (v->now.figures.switches)
			sum = (double)cpu->busy / (v->now.span > 0 ? (double)v->now.span : 1);
		else
			sum = parts[0] + parts[1] + parts[2];
		(cpu->unknown ? table_share_least : table_share)(sum, 1, &t);
		text_add(&t, " %");
	} else {
		text_add(&t, TABLE_NONE);
	}
	canvas_right(c, row, col + LABEL_CELLS + bar, SHARE_CELLS, ROLE_NUMBER, text_str(&t));
	text_fini(&t);
}

static unsigned int nr_cpus(const struct view *v)
{
	return v->now.figures.nr_cpus - v->now.figures.nr_cpu_groups;
}

/* How busy the busiest of these CPUs was, in a cell. */
static void draw_cell(const struct view *v, unsigned int first, unsigned int end, struct canvas *c,
		      int row, int col)
{
	double busiest = 0, known = 0, parts[4];

	for (unsigned int i = first; i < end && i < nr_cpus(v); i++) {
		parts_of(v, &v->now.figures.cpus[v->now.figures.nr_cpu_groups + i], parts);
		busiest = fmax(busiest, parts[0] + parts[1] + parts[2]);
		known = fmax(known, parts[0] + parts[1] + parts[2] + parts[3]);
	}
	if (known <= 0)
		canvas_text(c, row, col, 1, ROLE_LOST, "░");
	else
		canvas_text(c, row, col, 1, busiest > 0 ? ROLE_RUN : ROLE_IDLE,
			    heights[busiest < 1 ? (int)ceil(busiest * 8) : 8]);
}

/* On the right, if it has room from @col on. */
static void draw_above(struct canvas *c, int row, int col, const char *words)
{
	int width = canvas_width(words, strlen(words));

	if (col + 3 + width < c->cols)
		canvas_text(c, row, c->cols - 1 - width, width, ROLE_DIM, words);
}

/* A cell for each CPU, or for several. */
static int draw_map(const struct view *v, struct canvas *c, int top, int rows, int col)
{
	unsigned int nr = nr_cpus(v), width = (unsigned int)c->cols - 2;
	unsigned int most = width * (unsigned int)rows, per = (nr + most - 1) / most;
	unsigned int cells = (nr + per - 1) / per;
	struct text t = { 0 };

	for (unsigned int i = 0; i < cells; i++)
		draw_cell(v, i * per, (i + 1) * per, c, top + (int)(i / width),
			  1 + (int)(i % width));
	text_printf(&t,
		    per > 1 ? "a cell: the busiest of %u CPUs" : "a cell: a CPU, how busy it was",
		    per);
	draw_above(c, top - 1, col, text_str(&t));
	text_fini(&t);
	return (int)((cells + width - 1) / width);
}

/* "█ tasks  ▒ softirqs  ▀ interrupts  · idle" */
static void draw_legend(struct canvas *c, int row, int col)
{
	struct text t = { 0 };

	for (unsigned int i = 0; i < NR_KINDS; i++)
		text_printf(&t, "%s%s %s", i ? "  " : "", kinds[i].glyph, kinds[i].word);
	draw_above(c, row, col, text_str(&t));
	text_fini(&t);
}

/* Draws the CPUs on at most @most rows; the one above is free from @col on.  Return: rows drawn. */
static int draw_cpus(const struct view *v, struct canvas *c, int top, int most, int col)
{
	const struct task_figures *f = &v->now.figures;
	int nr = (int)nr_cpus(v), columns = 1, rows, cells;

	if ((!f->switches && !f->has_irqs) || most < 1)
		return 0;
	while ((nr + columns - 1) / columns > most &&
	       (c->cols - 1) / (columns + 1) > LABEL_CELLS + SHARE_CELLS + BAR_CELLS)
		columns++;
	rows = (nr + columns - 1) / columns;
	if (rows > most)
		return draw_map(v, c, top, most, col);
	draw_legend(c, top - 1, col);
	cells = (c->cols - 1) / columns;
	for (int i = 0; i < nr; i++)
		draw_cpu(v, &f->cpus[f->nr_cpu_groups + (unsigned int)i], c, top + i % rows,
			 1 + i / rows * cells, cells - 1);
	return rows;
}

/* Return: rows drawn. */
static int draw_held(const struct view *v, struct canvas *c, int row)
{
	struct text t = { 0 };
	int rows = 0;

	now_add_held(v, &t);
	if (t.len) {
		canvas_fit(c, row, 1, c->cols - 1, ROLE_TEXT, text_str(&t));
		rows = 1;
	}
	text_fini(&t);
	return rows;
}

void now_draw(struct view *v, const struct view_area *area)
{
	int top = area->top + 1;

	list_tabs_line(v, view_now_ops.lists, false, area);
	if (v->shared->at.places.range.set && v->now.has_figures) {
		int col = draw_window(v, area->canvas, top++);

		top += draw_cpus(v, area->canvas, top, area->rows / 3, col);
		top += draw_held(v, area->canvas, top);
	}
	tasks_draw_rows(v, area, top);
}
