/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_draw - headings, tables and histogram of the Latency view, and what is missing. */
#include <inttypes.h>

#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"
#include "ui/view/list_tabs.h"
#include "ui/view/latency_panel.h"
#include "ui/view/nothing_left.h"

#define HISTOGRAM_LINES	3
#define BIN_CELLS	6
#define ANATOMY_LINES	2
#define LEAST_LINES	10		/* for a table below a histogram or anatomy */
#define MOST_PARTS	20000u		/* of an instance: more would take too long */

/* --- headings ------------------------------------------------------------------------------ */

static void add_scope(const struct view *v, unsigned int less, struct text *out)
{
	const struct range *range = &v->shared->places.range;
	bool compared = v->comparing;

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

/* "sh-78: 9 instances: what the CPUs did meanwhile" */
static void add_culprits_title(struct view *v, struct text *out)
{
	const struct sched_progress progress = latency_sched(v);

	if (!progress.done) {
		text_printf(out, "%u %% read: what the CPUs did", progress.permille / 10);
		return;
	}
	if (!v->whole.result.done) {
		text_add(out, "What the CPUs did meanwhile: summing up …");
		return;
	}
	text_count(out, v->nr_summed);
	text_add(out, v->nr_summed == 1 ? " instance" : " instances");
	text_printf(out, ": what the CPUs did meanwhile%s",
		    progress.full ? "; the end of the trace had no room" : "");
}

static void draw_title(struct view *v, struct canvas *c, int row)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	struct text t = { 0 };

	for (unsigned int i = 0; i < v->nr_levels; i++)
		if (v->levels[i].chosen)
			text_printf(&t, "%s: ", text_str(&v->levels[i].name));
	if (v->by == LATENCY_BY_CULPRIT) {
		add_culprits_title(v, &t);
	} else if (latency_in_group(v)) {
		text_count(&t, v->table.nr);
		text_add(&t, v->table.nr == 1 ? " instance" : " instances, the worst first");
		add_worst(kind, &t);
	} else if (v->by == LATENCY_OPENS) {
		text_count(&t, kind->sums.open);
		text_add(&t, " without an end in the trace, the oldest first");
	} else if (v->by >= LATENCY_BY_WHAT) {
		text_printf(&t, "%s %s", v->kinds.names[v->kind], latency_by_heading(v));
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

/* --- anatomy: what a CPU did meanwhile -------------------------------------------------------- */

struct bar {
	struct canvas	*canvas;
	int		 row, cells, cpu;
	int64_t		 from, length;	/* length > 0 */
	struct culprits	 sums;
};

static int cell_of(const struct bar *bar, int64_t ts)
{
	return (int)((double)time_between(bar->from, ts) / (double)bar->length * bar->cells + 0.5);
}

/* A part that is too short for a cell is in the sums alone. */
static void draw_part(const struct view *v, struct bar *bar, const struct cpu_part *part)
{
	static const char *const glyphs[] = {
		[CPU_PART_UNKNOWN] = " ", [CPU_PART_LOST] = "░",      [CPU_PART_IDLE] = "·",
		[CPU_PART_TASK] = "█",	  [CPU_PART_INTERRUPT] = "▀",
	};
	static const enum role roles[] = {
		[CPU_PART_UNKNOWN] = ROLE_DIM, [CPU_PART_LOST] = ROLE_LOST,
		[CPU_PART_IDLE] = ROLE_IDLE,   [CPU_PART_INTERRUPT] = ROLE_IRQ,
	};
	int at = cell_of(bar, part->from), cells = cell_of(bar, part->to) - at;
	struct text name = { 0 };
	enum role role;

	if (cells <= 0)
		return;
	latency_add_part(v, part, &name);
	role = part->kind == CPU_PART_TASK ? row_hash_role(text_str(&name)) : roles[part->kind];
	canvas_fill(bar->canvas, bar->row, 1 + at, cells, role, glyphs[part->kind]);
	if (canvas_width(text_str(&name), name.len) + 2 <= cells)
		canvas_text(bar->canvas, bar->row, 1 + at, cells, role, text_str(&name));
	text_fini(&name);
}

/* "CPU 0 meanwhile: sh-78 9.540 ms  softirq TIMER 120.0 µs", the largest first. */
static void draw_sums(const struct view *v, struct bar *bar)
{
	struct text t = { 0 };

	text_printf(&t, "CPU %d meanwhile: ", bar->cpu);
	culprits_sort(&bar->sums);
	for (uint32_t i = 0; i < bar->sums.nr; i++) {
		struct cpu_part part = culprits_longest(&bar->sums.list[i]);

		latency_add_part(v, &part, &t);
		text_char(&t, ' ');
		shared_span(v->shared, bar->sums.list[i].total, &t);
		text_add(&t, "  ");
	}
	canvas_fit(bar->canvas, bar->row + 1, 1, bar->cells, ROLE_TEXT, text_str(&t));
	text_fini(&t);
}

static void draw_parts(const struct view *v, struct bar *bar, const struct latency_instance *i)
{
	struct cpu_parts parts;
	struct cpu_part part;
	unsigned int nr = 0;

	if (!cpu_parts_begin_at(&parts, v->sched, i->to, i->start, i->end))
		return;
	while (nr++ < MOST_PARTS && cpu_parts_next(&parts, &part)) {
		draw_part(v, bar, &part);
		culprits_add(&bar->sums, &part);
	}
	if (nr <= MOST_PARTS)
		draw_sums(v, bar);
	else
		canvas_text(bar->canvas, bar->row + 1, 1, bar->cells, ROLE_DIM,
			    "too many parts: ftop-trace latency --anatomy lists them");
	culprits_fini(&bar->sums);
}

static void draw_anatomy(struct view *v, struct canvas *canvas, int row)
{
	const struct latency_instance *i = latency_here(v);
	struct bar bar = { .canvas = canvas, .row = row, .cells = canvas->cols - 2 };
	struct sched_progress progress;
	struct text t = { 0 };

	if (!i || i->end <= i->start)
		return;
	progress = latency_sched(v);
	if (!progress.done && progress.known <= i->end) {
		text_printf(&t, "looking for what the CPU did meanwhile: %u %%",
			    progress.permille / 10);
		canvas_text(canvas, row, 1, bar.cells, ROLE_DIM, text_str(&t));
		text_fini(&t);
		return;
	}
	bar.from = i->start;
	bar.length = time_between(i->start, i->end);
	bar.cpu = shared_place(v->shared, i->to).cpu;
	sched_lock(v->sched);
	draw_parts(v, &bar, i);
	sched_unlock(v->sched);
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
	if (!v->now.result.done) {
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
	if (!v->table.nr && !(v->by == LATENCY_BY_CULPRIT && kind && kind->nr_worst)) {
		draw_nothing(v, area);
		return;
	}
	if (kind)
		draw_title(v, area->canvas, top++);
	if (kind && v->by == LATENCY_INSTANCES && !latency_in_group(v) && kind->sums.n &&
	    area->rows >= LEAST_LINES + HISTOGRAM_LINES) {
		draw_histogram(v, area->canvas, top, &kind->sums);
		top += HISTOGRAM_LINES;
	}
	if (v->by == LATENCY_INSTANCES && latency_offers(v, LATENCY_BY_CULPRIT) &&
	    area->rows >= LEAST_LINES + ANATOMY_LINES) {
		draw_anatomy(v, area->canvas, top);
		top += ANATOMY_LINES;
	}
	table_draw(&v->table, area->canvas, top, area->top + area->rows - top);
}
