/* SPDX-License-Identifier: GPL-2.0-or-later */
/* latency_draw - headings, tables and histogram of the Latency view, and what is missing. */
#include <inttypes.h>
#include <string.h>

#include "src/events/known_events.h"
#include "src/events/template.h"
#include "src/events/verdicts.h"
#include "src/why/why_rule.h"
#include "ui/latency/view_latency.h"
#include "ui/rows/row.h"
#include "ui/view/list_tabs.h"
#include "ui/view/latency_panel.h"
#include "ui/view/nothing_left.h"

#define HISTOGRAM_LINES	3
#define BIN_CELLS	6
#define ANATOMY_LINES	2
#define LEAST_LINES	10		/* for a table below a histogram or anatomy */
#define MOST_PARTS	20000u		/* drawn of an instance: more would take too long */

/* --- headings ------------------------------------------------------------------------------ */

void latency_add_scope(const struct view *v, unsigned int less, struct text *out)
{
	if (v->now.result.failed)
		text_add(out, "~ more tasks than a kernel can have: not all are counted   ");
	else if (!v->now.result.done)
		text_printf(out, "~ %u %%   ", v->now.result.permille / 10);
	shared_of_file(v->shared, v->file, v->comparing, out);
	call_scope_add_range(&v->scope, v->shared, v->comparing, !less, out);
	call_scope_add_filter(&v->scope, !less, out);
}

static void add_figure(const struct view *v, const char *name, uint64_t duration, struct text *out)
{
	text_printf(out, "  %s ", name);
	shared_measured(v->shared, duration, out);
}

/* "; 3 open"; nothing of none. */
static void add_some(const char *before, uint64_t nr, const char *what, struct text *out)
{
	if (!nr)
		return;
	text_add(out, before);
	text_count(out, nr);
	text_add(out, what);
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
	add_some("  ", sums->doubtful, " doubtful", out);
	add_some("  ", sums->open, " open", out);
}

static void add_worst(const struct view *v, struct text *out)
{
	const struct latency_kind *kind = latency_kind_shown(v);

	if (!kind->worst.left_out)
		return;
	text_add(out, ": of the worst ");
	text_count(out, kind->worst.nr);
	text_add(out, " of ");
	text_count(out, latency_nr_ended((unsigned int)v->kind, &kind->sums));
}

/* "sh-78: 9 instances: what the CPUs did meanwhile" */
static void add_culprits_title(struct view *v, struct text *out)
{
	const struct sched_progress progress = latency_sched(v);

	if (!v->whole.result.done) {
		text_add(out, "What the CPUs did meanwhile: ");
		if (progress.done)
			text_add(out, "summing up …");
		else
			text_printf(out, "%u %% read …", progress.permille / 10);
		return;
	}
	text_counted(out, v->nr_summed, "instance");
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
		text_add(&t, v->table.nr == 1       ? " instance" :
			     v->by == LATENCY_OPENS ? " instances, the oldest first" :
						      " instances, the worst first");
		if (v->by != LATENCY_OPENS)
			add_worst(v, &t);
	} else if (v->by == LATENCY_OPENS) {
		text_count(&t, kind->sums.open);
		text_add(&t, " without an end in the trace, the oldest first");
	} else if (v->by >= LATENCY_BY_WHAT) {
		text_printf(&t, "%s %s", v->kinds.names[v->kind], latency_by_heading(v));
		add_worst(v, &t);
	} else {
		add_sums(v, &kind->sums, c->cols, &t);
	}
	canvas_fit(c, row, 1, c->cols - 2, ROLE_HEADING, text_str(&t));
	text_fini(&t);
}

/* --- histogram ------------------------------------------------------------------------------ */

/* "16µs", "12k": below @most of the first unit that does; the units end with NULL. */
static void add_brief(uint64_t n, uint64_t most, const char *const *units, struct text *out)
{
	for (; n >= most && units[1]; units++)
		n = n / 1000 + (n % 1000 >= 500);
	text_printf(out, "%" PRIu64 "%s", n, *units);
}

/*
 * How many took how long: a count, a bar and the least duration of each bin; where there is little
 * room, several of them share one.
 */
static void draw_histogram(const struct view *v, struct canvas *c, int row,
			   const struct latency_sums *sums)
{
	static const char *const glyphs[] = { "▁", "▂", "▃", "▄", "▅", "▆", "▇", "█" };
	static const char *const times[] = { "ns", "µs", "ms", "s", NULL },
				 *const numbers[] = { "", "k", "M", "G", "T", "P", "E", NULL };
	bool unitless = trace_unit(v->shared->trace) == TRACE_UNIT_COUNT &&
			!trace_is_untimed(v->shared->trace, -1);
	unsigned int room = c->cols > 2 + BIN_CELLS ? (unsigned int)((c->cols - 2) / BIN_CELLS) : 1;
	struct latency_bin_row bins[LATENCY_BINS];
	unsigned int nr = latency_bins(sums, room, bins);
	struct text t = { 0 };
	uint64_t most = 0;
	int col = 1;

	for (unsigned int i = 0; i < nr; i++)
		most = bins[i].count > most ? bins[i].count : most;
	for (unsigned int i = 0; i < nr; i++, col += BIN_CELLS) {
		uint64_t n = bins[i].count;

		text_clear(&t);
		add_brief(n, 10000, numbers, &t);
		canvas_right(c, row, col, BIN_CELLS - 1, n ? ROLE_NUMBER : ROLE_DIM, text_str(&t));
		text_clear(&t);
		add_brief(bins[i].from, unitless ? UINT64_MAX : 950, unitless ? numbers : times,
			  &t);
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
	int		 row, cells;
	int64_t		 from, length;	/* length > 0 */
};

static int cell_of(const struct bar *bar, int64_t ts)
{
	return (int)((double)time_between(bar->from, ts) / (double)bar->length * bar->cells + 0.5);
}

/* A part that is too short for a cell is in the sums alone. */
static void draw_part(const struct view *v, const struct bar *bar, const struct cpu_part *part)
{
	static const struct {
		const char *glyph;
		enum role role;
	} looks[] = {
		[CPU_PART_UNKNOWN] = { " ", ROLE_DIM }, [CPU_PART_LOST] = { "░", ROLE_LOST },
		[CPU_PART_IDLE] = { "·", ROLE_IDLE },	[CPU_PART_TASK] = { "█", ROLE_TEXT },
		[CPU_PART_INTERRUPT] = { "▀", ROLE_IRQ }, [CPU_PART_ASTRAY] = { " ", ROLE_DIM },
		[CPU_PART_THROTTLED] = { "T", ROLE_DIM },
		[CPU_PART_UNEXPLAINED] = { "·", ROLE_IDLE },
	};
	int at = cell_of(bar, part->from), cells = cell_of(bar, part->to) - at;
	enum role role = looks[part->kind].role;
	struct text name = { 0 };

	if (cells <= 0)
		return;
	latency_add_part(v, part, &name);
	if (part->kind == CPU_PART_TASK)
		role = latency_part_role(v, part);
	canvas_fill(bar->canvas, bar->row, 1 + at, cells, role, looks[part->kind].glyph);
	if (canvas_width(text_str(&name), name.len) + 2 <= cells)
		canvas_text(bar->canvas, bar->row, 1 + at, cells, role, text_str(&name));
	text_fini(&name);
}

/* "meanwhile: sh-78 9.540 ms  softirq TIMER 120.0 µs", the largest first. */
static void add_parts(const struct view *v, struct culprits *sums, struct text *out)
{
	text_add(out, " meanwhile: ");
	culprits_sort(sums);
	for (uint32_t i = 0; i < sums->nr; i++) {
		struct cpu_part part = culprits_longest(&sums->list[i]);

		latency_add_part(v, &part, out);
		text_char(out, ' ');
		shared_span(v->shared, sums->list[i].total, out);
		text_add(out, "  ");
	}
}

/* The CPUs for which it waited, in turn: "CPU 1, CPU 0". */
static void add_cpu(const struct view *v, const struct cpu_part *part, const struct cpu_part *last,
		    struct text *out)
{
	if (part->kind == CPU_PART_THROTTLED)
		text_printf(out, "%snone", out->len ? ", " : "");
	else if (part->kind == CPU_PART_ASTRAY)
		text_printf(out, "%sa CPU that is not known", out->len ? ", " : "");
	else if (!out->len || last->kind == CPU_PART_ASTRAY || last->kind == CPU_PART_THROTTLED ||
		 last->cpu != part->cpu)
		text_printf(out, "%sCPU %d", out->len ? ", " : "",
			    sched_pass_cpu(sched_pass_of(v->sched), part->cpu));
}

/* The parts as a bar; below it @out: their sums. */
static void draw_parts(const struct view *v, const struct bar *bar,
		       const struct latency_instance *i, struct text *out)
{
	struct culprits sums = { 0 };
	struct cpu_parts parts;
	struct cpu_part part, last = { 0 };
	unsigned int nr = 0;

	if (!latency_parts_begin(&parts, v->sched, i))
		return;
	while (nr++ < MOST_PARTS && cpu_parts_next(&parts, &part)) {
		draw_part(v, bar, &part);
		culprits_add(&sums, &part);
		add_cpu(v, &part, &last, out);
		last = part;
	}
	if (nr <= MOST_PARTS) {
		add_parts(v, &sums, out);
	} else {
		text_clear(out);
		text_add(out, "too many parts: ftop-trace latency --anatomy lists them");
	}
	culprits_fini(&sums);
}

static void draw_anatomy(struct view *v, struct canvas *canvas, int row)
{
	const struct latency_instance *i = latency_here(v);
	struct bar bar = { canvas, row, canvas->cols - 2, i->start, 0 };
	struct sched_progress progress = latency_sched(v);
	struct text t = { 0 };

	if (i->end <= i->start)
		return;
	bar.length = time_between(i->start, i->end);
	if (!progress.done && progress.known <= i->end) {
		text_printf(&t, "looking for what the CPU did meanwhile: %u %%",
			    progress.permille / 10);
	} else {
		sched_lock(v->sched);
		draw_parts(v, &bar, i, &t);
		sched_unlock(v->sched);
	}
	canvas_fit(canvas, row + 1, 1, bar.cells, ROLE_TEXT, text_str(&t));
	text_fini(&t);
}

/* --- nothing --------------------------------------------------------------------------------- */

static const char nothing_to_measure[] = "This trace has no pairs of events to measure.\n"
					 "To record some, press R or run ftop-trace record with:\n"
					 "  wake-ups, sleep       -e sched\n"
					 "  calls                 -p function_graph -g FUNC\n"
					 "  interrupts, softirqs  -e irq -e irq_vectors\n"
					 "  system calls          -e raw_syscalls\n"
					 "  timers, work          -e timer -e workqueue\n"
					 "  block requests        -e block\n"
					 "  locks                 -e lock\n"
					 "  interrupts off        -e preemptirq";

static void draw_nothing(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	bool is_empty = trace_last(v->shared->trace) == TRACE_REF_NONE;
	int row = area->top + 1, panel = latency_panel_rows(v->shared, area->rows - 1);

	if (panel) {
		latency_panel_draw(v->shared, c, row, panel);
		row += panel + 1;
	}
	if (panel && v->now.result.done && v->kind < 0 && !call_scope_is_limited(&v->scope))
		return;			/* that is what was measured */
	if (!v->now.result.done)
		nothing_draw(c, row, "Measuring …");
	else if (call_scope_is_limited(&v->scope))
		nothing_left_draw(v->shared, c, row, c->rows,
				  v->scope.of.nr_filters ?
					  "Nothing that was measured matches the filters." :
					  "Nothing that was measured begins in this range.",
				  NULL);
	else
		nothing_draw(c, row,
			     is_empty               ? "This trace has no events." :
			     v->kind < 0            ? nothing_to_measure :
			     v->by == LATENCY_OPENS ? "All of them have an end in the trace." :
						      "None of them has an end in the trace.");
}

void latency_draw(struct view *v, const struct view_area *area)
{
	const struct latency_kind *kind;
	int top = area->top + 1;

	list_tabs_line(v, view_latency_ops.lists, call_scope_is_limited(&v->scope), area);
	kind = latency_kind_shown(v);
	if (!v->table.nr && !(v->by == LATENCY_BY_CULPRIT && kind && kind->worst.nr)) {
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

/* --- the row under the cursor, in words ------------------------------------------------------- */

/* What an instance's sentence has: {run} is "; it ran on CPU 1", {where} " on CPU 1". */
static void fill_in(const struct view *v, const struct latency_instance *i,
		    const struct template_part *part, struct text *out)
{
	bool is_open = i->flags & LATENCY_OPEN, is_run = template_name_is(part, "run") && !is_open;

	if (template_name_is(part, "TASK"))
		latency_add_task(v, i, true, out);
	if (template_name_is(part, "what"))
		latency_add_what(v, i, true, out);
	if (template_name_is(part, "duration")) {
		text_add(out, is_open ? "at least " : "");
		shared_measured(v->shared, latency_duration(i), out);
	}
	if (is_run)
		text_add(out, "; it ran");
	if ((is_run || template_name_is(part, "where")) && i->cpu != UINT16_MAX)
		text_printf(out, " on CPU %u", i->cpu);
	if (template_name_is(part, "run") && i->flags & LATENCY_MOVED)
		text_add(out, ", moved from another CPU");
	if (template_name_is(part, "priority"))
		text_printf(out, "%d", i->prio);
}

static void fill_in_all(const struct view *v, const struct latency_instance *i,
			const char *template, struct text *out)
{
	struct template_part part;

	while (template_next(&template, &part)) {
		text_bytes(out, part.text, part.text_len);
		fill_in(v, i, &part, out);
	}
}

/*
 * "CPU mostly taken by sh-78: 9.54 ms, 3 times (both are nice 0 and share the CPU). ", "Mostly
 * throttled by /web (10 ms of 100 ms): ~91.15 ms. "
 */
static void say_taker(const struct view *v, uint32_t task, const struct why_node *most,
		      struct text *out)
{
	struct cpu_part longest = culprits_longest(most);
	struct text rule = { 0 };

	text_add(out, most->kind == CPU_PART_TASK      ? "CPU mostly taken by " :
		      most->kind == CPU_PART_THROTTLED ? "Mostly " :
							 "CPU mostly ");
	latency_add_part(v, &longest, out);
	text_add(out, most->doubtful ? ": ~" : ": ");
	shared_span(v->shared, most->total, out);
	if (most->count > 1)
		text_printf(out, ", %" PRIu64 " times", most->count);
	if (most->kind == CPU_PART_UNEXPLAINED)
		wait_unexplained_text(v->shared->trace, v->file, &rule);
	if (rule.len)
		text_printf(out, " (%s)", text_str(&rule));
	if (most->kind == CPU_PART_TASK)
		why_rule_text(v->sched, task, most->arg, most->max_from,
			      time_after(most->max_from, most->max), most->count, out);
	text_add(out, ". ");
	text_fini(&rule);
}

static void say_most_taken(struct view *v, const struct latency_instance *i, struct text *out)
{
	struct culprits culprits = { 0 };
	unsigned int nr = 0;
	struct cpu_parts parts;
	struct cpu_part part;
	uint32_t task, most = 0;

	if (!latency_has_parts(v->kind) || i->to == TRACE_REF_NONE || !latency_sched(v).done)
		return;
	sched_lock(v->sched);
	task = sched_rules_find(sched_pass_rules(sched_pass_of(v->sched)), i->pid, i->start);
	if (latency_parts_begin(&parts, v->sched, i))
		while (nr < MOST_PARTS && cpu_parts_next(&parts, &part)) {
			culprits_add(&culprits, &part);
			nr++;
		}
	culprits_sort(&culprits);
	while (most < culprits.nr && culprits.list[most].kind != CPU_PART_TASK &&
	       culprits.list[most].kind != CPU_PART_THROTTLED &&
	       culprits.list[most].kind != CPU_PART_UNEXPLAINED)
		most++;
	if (most < culprits.nr && nr < MOST_PARTS)
		say_taker(v, task, &culprits.list[most], out);
	sched_unlock(v->sched);
	culprits_fini(&culprits);
}

static void say_inside(const struct view *v, struct text *out)
{
	uint32_t nr = latency_nr_inside(v, latency_row_here(v));

	text_count(out, nr);
	text_add(out, nr == 1 ? " call in it took more than half of its time. " :
				" calls in it took more than half of its time. ");
}

/* "lockw-116 held it when the wait began. lockw-117 woke the task. " */
static void say_lock(struct view *v, const struct latency_instance *i, struct text *out)
{
	struct lock_wait lock;

	if (v->kind < LATENCY_OWN_KINDS || !latency_lock(v->now.latency, i, &lock))
		return;
	if (lock.holder) {
		latency_task_text(v->now.latency, (uint32_t)lock.holder, i->start, true, out);
		text_add(out, " held it when the wait began. ");
	} else {
		text_printf(out, "%s ", lock_wait_doubt(&lock));
	}
	if (!i->context)
		return;
	latency_task_text(v->now.latency, i->context, i->end, true, out);
	text_add(out, " woke the task. ");
}

static void say_instance(struct view *v, const struct latency_instance *i, struct text *out)
{
	const char *sentence = known_events_kind(KNOWN_INSTANCE, v->kinds.names[v->kind]);

	sentence = sentence ?: "The pair {what} took";
	fill_in_all(v, i, sentence, out);
	if (!template_shows(sentence, "duration"))
		fill_in_all(v, i, " {duration}{where}, task {TASK}", out);
	text_add(out, i->flags & LATENCY_OPEN ? ". It has no end in the trace. " : ". ");
	if (v->kind == LATENCY_WAKEUP && (i->flags & LATENCY_HAS_VALUE) && i->value > 0) {
		shared_measured(v->shared, (uint64_t)i->value, out);
		text_add(out, " of that passed before it was in the queue of that CPU. ");
	} else if (v->kind == LATENCY_CALL && (i->flags & LATENCY_HAS_VALUE)) {
		text_add(out, "Without recorded interrupts and time off the CPU: ");
		shared_measured(v->shared, (uint64_t)i->value, out);
		text_add(out, ". ");
	} else if (v->kind == LATENCY_CALL && !(i->flags & (LATENCY_OPEN | LATENCY_DOUBTFUL)) &&
		   graph_tells_away(v->shared->trace, v->file,
				    trace_stream_info(v->shared->trace, trace_ref_stream(i->to))
					    .buffer)) {
		text_add(out, "An interrupt in it was not recorded, so its net time is unknown. ");
	} else if (v->kind == LATENCY_CALL && !i->gap_cut &&
		   !(i->flags & (LATENCY_OPEN | LATENCY_DOUBTFUL))) {
		text_printf(out, "It may contain time off the CPU: %s. ",
			    graph_net_needs(v->shared->trace, v->file));
	}
	say_lock(v, i, out);
	say_most_taken(v, i, out);
	if (latency_nr_inside(v, latency_row_here(v)))
		say_inside(v, out);
	text_add(out, "It began at ");
	shared_time(v->shared, i->start, 9, out);
	text_add(out, ". ");
	if (latency_is_doubtful(i))
		text_add(
			out,
			i->flags & LATENCY_EXACT ?
				(i->flags & LATENCY_EARLY ?
					 "It began before the trace, so its net time is unknown. " :
					 "Records are missing, so its net time is unknown. ") :
			v->now.result.lacks_wakes &&
					(v->kind == LATENCY_SLEEP || v->kind == LATENCY_BLOCKED) ?
				"Its wake-up is not recorded: it contains the wait for a CPU. " :
				"It is doubtful, so no figure counts it: records that began, "
				"interrupted or ended it may be missing. ");
	text_printf(out, "Enter shows it in %s.",
		    v->kind == LATENCY_CALL     ? "Graph" :
		    v->kind < LATENCY_OWN_KINDS ? "Timeline" :
						  "Events");
}

static void say_sums(const struct view *v, uint32_t row, struct text *out)
{
	const struct latency_kind *kind = latency_kind_shown(v);
	const struct latency_sums *sums = &v->now.groups[row].sums;
	struct trace_status status = trace_status(v->shared->trace);

	text_counted(out, sums->n, "instance");
	if (sums->n) {
		text_add(out, sums->n == 1 ? ", of " : ", the longest ");
		shared_measured(v->shared, sums->max, out);
	}
	add_some("; ", sums->early, " doubtful (began before the trace)", out);
	add_some("; ", sums->doubtful - sums->early,
		 status.lost_events || status.lost_unknown || status.lacks_begin ||
				 v->kind > LATENCY_CALL || (v->kind < 0 && row != LATENCY_CALL) ?
			 " doubtful (missing records)" :
			 " doubtful (an entry is missing, though nothing is marked as lost)",
		 out);
	add_some("; ", sums->open, " unfinished (no end in the trace)", out);
	if (latency_is_by_chance(v, row))
		text_add(out, "; the difference is within noise");
	text_add(out, kind && kind->worst.left_out ? " among the worst ones." : ".");
	if (v->now.result.lacks_wakes && sums->doubtful)
		text_printf(out, " The trace has %s (to record: -e sched_waking).",
			    verdict_words(VERDICT_LACKS_WAKES, false));
}

static void say_culprit(struct view *v, const struct why_node *c, struct text *out)
{
	struct text prio = { 0 };

	if (c->kind == CPU_PART_TASK && why_rule_priority(v->sched, c->arg, c->max_from, &prio))
		text_printf(out, "%s; ", text_str(&prio));
	text_fini(&prio);
	shared_span(v->shared, c->total, out);
	text_add(out, " of the time that tasks waited, in ");
	text_count(out, c->count);
	text_add(out, c->count == 1 ? " part, at " : " parts, the longest ");
	if (c->count > 1) {
		shared_span(v->shared, c->max, out);
		text_add(out, ", at ");
	}
	shared_time(v->shared, c->max_from, 9, out);
	text_add(out, ". Enter lists the instances that waited for it.");
}

void latency_say(struct view *v, struct text *heading, struct text *words)
{
	const struct latency_instance *i = latency_here(v);
	uint32_t row = latency_row_here(v);

	text_add(heading, v->kinds.names[v->kind < 0 ? row : (uint32_t)v->kind]);
	if (i) {
		say_instance(v, i, words);
		return;
	}
	table_name(&v->table, row, words);
	text_add(words, ": ");
	if (v->by == LATENCY_BY_CULPRIT)
		say_culprit(v, &v->culprits.list[row], words);
	else
		say_sums(v, row, words);
	if (v->kind >= 0)
		return;
	latency_say_most(v, row, words);
	text_printf(words, " Measured: %s.",
		    known_events_kind(KNOWN_MEASURES, v->kinds.names[row]) ?:
			    "from one event to the other");
}
