/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_draw - headings, tables and histogram of the Latency view, and what is missing. */
#include <inttypes.h>

#include "ui/latency/view_latency.h"
#include "ui/view/list_tabs.h"
#include "ui/view/latency_panel.h"
#include "ui/view/nothing_left.h"

#define HISTOGRAM_LINES	3
#define BIN_CELLS	6
#define LEAST_LINES	10		/* for a table below a histogram */

/* --- headings ------------------------------------------------------------------------------ */

static void add_scope(const struct view *v, unsigned int less, struct text *out)
{
	const struct range *range = &v->shared->places.range;
	bool compared = v->tables[LATENCY_TABLE_KINDS].comparing;

	if (v->now.result.failed)
		text_add(out, "~ more tasks than a kernel can have   ");
	else if (!v->now.result.done)
		text_printf(out, "~ %u %%   ", v->now.result.permille / 10);
	shared_of_file(v->shared, v->file, compared, out);
	if (range->set) {
		text_add(out, "range ");
		shared_span(v->shared, time_between(range->from, range->to), out);
	} else if (!less || (compared && shared_other(v->shared, v->file) < 0)) {
		text_add(out, "range whole");
	}
	if (compared)
		shared_and_rest(v->shared, v->file, out);
	if (v->scope.nr_filters || !less)
		text_add(out, v->scope.nr_filters ? "   filter on" : "   filter none");
}

/* What is not the whole trace has its place beside the tabs. */
int latency_tabs_cells(struct view *v, int cols)
{
	struct text t = { 0 };
	int cells;

	add_scope(v, 1, &t);
	cells = canvas_width(text_str(&t), t.len);
	text_fini(&t);
	return cells ? cols - cells - 3 : cols;
}

static void add_figure(const struct view *v, const char *name, uint64_t duration, struct text *out)
{
	text_printf(out, "  %s ", name);
	shared_measured(v->shared, duration, out);
}

/* "n 181  p50 107.8 µs  p99 7.257 ms  max 9.739 ms  3 open" */
static void add_sums(const struct view *v, const struct latency_sums *sums, int cols,
		     struct text *out)
{
	text_add(out, "n ");
	text_count(out, sums->n);
	if (sums->n) {
		if (cols >= TABLE_WIDE)
			add_figure(v, "min", sums->min, out);
		add_figure(v, "p50", sums->p50, out);
		add_figure(v, "p99", sums->p99, out);
		add_figure(v, "max", sums->max, out);
	}
	if (sums->doubtful) {
		text_add(out, "  ");
		text_count(out, sums->doubtful);
		text_add(out, " doubtful");
	}
	if (sums->open) {
		text_add(out, "  ");
		text_count(out, sums->open);
		text_add(out, " open");
	}
}

static void add_worst(const struct latency_kind *kind, struct text *out)
{
	if (kind->all)
		return;
	text_add(out, ": of the worst ");
	text_count(out, kind->nr_worst);
	text_add(out, " of ");
	text_count(out, kind->sums.n + kind->sums.doubtful);
}

static void draw_title(struct view *v, struct canvas *c, int row)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	struct table *table = latency_table(v);
	struct text t = { 0 };

	if (v->in_group && table->nr) {
		latency_group_name(v, latency_instance_at(v, table_row(table, 0)), v->by, &t);
		text_add(&t, ": ");
		text_count(&t, table->nr);
		text_add(&t, table->nr == 1 ? " instance" : " instances, the worst first");
		add_worst(kind, &t);
	} else if (v->by == LATENCY_OPENS) {
		text_count(&t, kind->sums.open);
		text_add(&t, " without an end in the trace, the oldest first");
	} else if (v->by == LATENCY_BY_CULPRIT) {
		latency_culprits_title(v, &t);
	} else if (v->by >= LATENCY_BY_WHAT) {
		text_printf(&t, "%s %s", v->kinds.names[v->kind],
			    v->kind == LATENCY_WAKEUP && v->by == LATENCY_BY_WHAT ?
				    "by waker" :
				    latency_by_words[v->by].heading);
		add_worst(kind, &t);
	} else {
		add_sums(v, &kind->sums, c->cols, &t);
	}
	canvas_fit(c, row, 1, c->cols - 2, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

/* --- histogram ------------------------------------------------------------------------------ */

/* "16µs": where a bin begins, in few cells. */
static void add_bound(const struct view *v, uint64_t from, struct text *out)
{
	static const struct {
		uint64_t ns;
		const char *unit;
	} units[] = { { 1000000000, "s" }, { 1000000, "ms" }, { 1000, "µs" }, { 1, "ns" } };
	unsigned int i = 0;

	if (trace_unit(v->shared->trace) == TRACE_UNIT_COUNT &&
	    !trace_is_untimed(v->shared->trace, -1)) {
		text_u64(out, from);
		return;
	}
	while (i < 3 && from < units[i].ns - units[i].ns / 20)
		i++;
	text_printf(out, "%" PRIu64 "%s", (from + units[i].ns / 2) / units[i].ns, units[i].unit);
}

/* "12k" */
static void add_brief_count(uint64_t n, struct text *out)
{
	static const char *const units[] = { "", "k", "M", "G", "T", "P", "E" };
	unsigned int i = 0;

	for (; n >= 10000; i++)
		n /= 1000;
	text_printf(out, "%" PRIu64 "%s", n, units[i]);
}

/*
 * How many took how long: a count, a bar and the least duration of each bin; where there is little
 * room, several of them share one.
 */
static void draw_histogram(const struct view *v, struct canvas *c, int row,
			   const struct latency_sums *sums)
{
	static const char *const glyphs[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	unsigned int room = c->cols > 2 + BIN_CELLS ? (unsigned int)((c->cols - 2) / BIN_CELLS) : 1;
	unsigned int first = 0, last = LATENCY_BINS, step;
	uint64_t counts[LATENCY_BINS] = { 0 }, most = 0;
	struct text t = { 0 };
	int col = 1;

	while (first + 1 < LATENCY_BINS && !sums->histogram[first])
		first++;
	while (last > first + 1 && !sums->histogram[last - 1])
		last--;
	step = (last - first + room - 1) / room;
	for (unsigned int i = first; i < last; i++) {
		uint64_t *n = &counts[(i - first) / step];

		*n += sums->histogram[i];
		most = *n > most ? *n : most;
	}
	for (unsigned int i = first; i < last; i += step, col += BIN_CELLS) {
		uint64_t n = counts[(i - first) / step];

		text_clear(&t);
		add_brief_count(n, &t);
		canvas_right(c, row, col, BIN_CELLS - 1, n ? ROLE_NUMBER : ROLE_DIM, text_str(&t));
		text_clear(&t);
		add_bound(v, i ? 1ull << (i - 1) : 0, &t);
		canvas_right(c, row + 2, col, BIN_CELLS - 1, ROLE_DIM, text_str(&t));
		if (n)
			canvas_fill(c, row + 1, col + 1, BIN_CELLS - 2, ROLE_OVERVIEW,
				    glyphs[(int)((double)n / (double)most * 7)]);
	}
	text_fini(&t);
}

/* --- nothing --------------------------------------------------------------------------------- */

static void draw_lines(struct canvas *c, int row, const char *const *lines)
{
	for (; *lines; lines++)
		canvas_text(c, row++, 2, c->cols - 3, ROLE_DIM, *lines);
}

static const char *const to_record[] = {
	"To record some, press R or run ftop-trace record with, for",
	"  wake-ups, sleep       -e sched_switch -e sched_waking -e sched_wakeup",
	"  calls                 -p function_graph -g FUNC",
	"  interrupts, softirqs  -e irq -e irq_vectors",
	"  system calls          -e raw_syscalls",
	"  timers, work          -e timer -e workqueue",
	"  block requests        -e block",
	"  locks                 -e lock",
	"  interrupts off        -e preemptirq",
	NULL
};

static void draw_nothing(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	bool limited = v->scope.nr_filters || v->shared->places.range.set;
	int row = area->top + 1, panel = latency_panel_rows(v->shared, area->rows - 1);

	if (panel) {
		latency_panel_draw(v->shared, c, row, panel);
		row += panel + 1;
	}
	if (!v->now.result.done || v->culprits.running) {
		canvas_text(c, row, 2, c->cols - 3, ROLE_TEXT, "Measuring …");
	} else if (limited) {
		nothing_left_draw(v->shared, c, row, c->rows,
				  v->scope.nr_filters ?
					  "Nothing that was measured matches the filters." :
					  "Nothing that was measured begins in this range.",
				  v->scope.nr_filters ?
					  "F all filters off   f edit   r the whole trace" :
					  "r the whole trace");
	} else if (v->kind >= 0) {
		canvas_text(c, row, 2, c->cols - 3, ROLE_TEXT,
			    v->by == LATENCY_OPENS ? "All of them have an end in the trace." :
						     "None of them has an end in the trace.");
	} else {
		canvas_text(c, row, 2, c->cols - 3, ROLE_TEXT,
			    "No events here begin and end something that can be measured.");
		draw_lines(c, row + 2, to_record);
	}
}

void latency_draw(struct view *v, const struct view_area *area)
{
	const struct latency_kind *kind;
	int top = area->top + 1;

	latency_measure(v);
	list_tabs_line(v, view_latency_ops.lists,
		       &(struct list_tabs_scope){
			       add_scope, 2, v->scope.nr_filters || v->shared->places.range.set },
		       area->canvas, area->top);
	kind = latency_kind_shown(v);
	if (!latency_table(v)->nr && !(v->by == LATENCY_BY_CULPRIT && kind && kind->nr_worst)) {
		draw_nothing(v, area);
		return;
	}
	if (kind)
		draw_title(v, area->canvas, top++);
	if (kind && v->by == LATENCY_INSTANCES && kind->sums.n &&
	    area->rows >= LEAST_LINES + HISTOGRAM_LINES) {
		draw_histogram(v, area->canvas, top, &kind->sums);
		top += HISTOGRAM_LINES;
	}
	if (latency_has_anatomy(v) && area->rows >= LEAST_LINES + LATENCY_ANATOMY_LINES) {
		latency_draw_anatomy(v, area->canvas, top);
		top += LATENCY_ANATOMY_LINES;
	}
	table_draw(latency_table(v), area->canvas, top, area->top + area->rows - top);
}
