/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_draw - headings of the Noise view, what is missing, and the row under the cursor. */
#include <inttypes.h>

#include "ui/noise/view_noise.h"
#include "ui/view/list_tabs.h"
#include "ui/view/nothing_left.h"

static void add_scope(const struct view *v, unsigned int less, struct text *out)
{
	const struct range *range = &v->shared->places.range;

	(void)less;
	if (!v->rows.result)
		text_printf(out, "~ %u %%   ",
			    v->noise ? event_sweep_permille(noise_sweep(v->noise)) / 10 : 0);
	shared_of_file(v->shared, v->file, false, out);
	if (v->rows.result)
		text_add(out, noise_tracer_names[v->rows.tracer]);
	if (range->set) {
		text_add(out, "   range ");
		shared_span(v->shared, time_between(range->from, range->to), out);
	}
	text_add(out, v->scope.nr_filters ? "   filter on" : "");
}

/* --- nothing ---------------------------------------------------------------------------------- */

static void draw_nothing(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	bool filtered = v->scope.nr_filters;
	int row = area->top + 1;

	if (!v->rows.result) {
		canvas_text(c, row, 2, c->cols - 3, ROLE_TEXT, "Reading …");
	} else if (v->list == NOISE_HISTOGRAM && v->rows.tracer == NOISE_OSNOISE) {
		canvas_text(c, row, 2, c->cols - 3, ROLE_TEXT,
			    "The histogram is of single noises: no event sample_threshold here.");
	} else if (filtered || v->shared->places.range.set) {
		nothing_left_draw(v->shared, c, row, c->rows,
				  filtered ? "No record of the tracer matches the filters." :
					     "No record of the tracer is in this range.",
				  filtered ? "F all filters off   f edit   r the whole trace" :
					     "r the whole trace");
	} else {
		canvas_text(
			c, row, 2, c->cols - 3, ROLE_TEXT,
			"There are no records of the tracers timerlat, osnoise and hwlat here.");
		canvas_text(c, row + 2, 2, c->cols - 3, ROLE_DIM, "To record some, press R or run");
		canvas_text(c, row + 3, 2, c->cols - 3, ROLE_DIM,
			    "ftop-trace record --setup timerlat --duration 10s");
	}
}

/* "#109 on CPU 0, 44.323461362: 7.418 ms"; a period of osnoise has no number */
static void add_sample(const struct view *v, const struct noise_sample *s, struct text *out)
{
	if (v->rows.tracer == NOISE_OSNOISE)
		text_add(out, "The period");
	else
		text_printf(out, "#%" PRIu32, s->seq);
	text_printf(out, " on CPU %u that ends at ", s->cpu);
	shared_time(v->shared, s->ts, 9, out);
	text_add(out, v->rows.tracer == NOISE_OSNOISE ? ": noise " : ": ");
	shared_span(v->shared, (int64_t)s->worst, out);
}

void noise_draw(struct view *v, const struct view_area *area)
{
	struct text t = { 0 };
	int top = area->top + 1;

	list_tabs_line(v, view_noise_ops.lists,
		       &(struct list_tabs_scope){
			       add_scope, 1, v->scope.nr_filters || v->shared->places.range.set },
		       area->canvas, area->top);
	if (!noise_has_rows(v)) {
		draw_nothing(v, area);
		return;
	}
	if (v->list == NOISE_ANALYSIS) {
		add_sample(v, &v->sample, &t);
		canvas_fit(area->canvas, top++, 1, area->canvas->cols - 2, ROLE_HEADING,
			   text_str(&t));
		text_fini(&t);
	}
	table_draw(&v->table, area->canvas, top, area->top + area->rows - top);
}

/* --- the row under the cursor --------------------------------------------------------------- */

static const char *const part_words[NOISE_PARTS] = {
	[NOISE_PREVIOUS] = "An interrupt or NMI that was still running when the timer was due. The "
			   "handler's delay may contain up to all of it.",
	[NOISE_DELAY] = "From the time for which the timer was set to the start of its interrupt.",
	[NOISE_IRQ_LATENCY] = "The latency that the interrupt's handler measured: the delay and the "
			      "beginning of the handler. It is no part of the sum.",
	[NOISE_TIMER_IRQ] = "How long the interrupt of the timer took.",
	[NOISE_BLOCKING] = "The thread that ran when the interrupt came, until the scheduler "
			   "switched away from it, without interrupts. Its stack is known if the "
			   "option osnoise/print_stack was set.",
	[NOISE_NMIS] = "NMIs meanwhile.",
	[NOISE_IRQS] = "Interrupts meanwhile, without the timer's own.",
	[NOISE_SOFTIRQS] = "Softirqs, without interrupts in them.",
	[NOISE_THREADS] = "Other threads that ran instead of the tracer's.",
	[NOISE_REST] = "What no event explains: wake-up and scheduling. The parts above and this "
		       "add up to the latency.",
};

static void say_part(const struct view *v, struct text *out)
{
	const struct noise_part_row *row = &v->rows.parts[table_row(&v->table, v->table.window.at)];

	if (v->rows.tracer == NOISE_OSNOISE && row->part == NOISE_REST)
		text_add(out, "What no event explains, such as the hardware or a hypervisor. The "
			      "parts above and this add up to the noise.");
	else
		text_add(out, part_words[row->part]);
	if (trace_resolution(v->shared->trace) > 1 &&
	    (row->part == NOISE_DELAY ||
	     (row->part == NOISE_REST && v->rows.tracer == NOISE_TIMERLAT)))
		text_add(out, " The times of a text are whole µs: it may be off by 1 µs.");
	if (v->sample.doubtful)
		text_add(out, " ~: events in the sample may be missing.");
	if (v->analysis.other_clock)
		text_add(out, " The handler's delay is unknown: the trace has another clock than "
			      "the tracer.");
}

void noise_say(struct view *v, struct text *heading, struct text *out)
{
	const struct noise_sample *s = noise_here(v);

	text_add(heading, noise_tracer_names[v->rows.tracer]);
	if (v->list == NOISE_ANALYSIS) {
		say_part(v, out);
	} else if (s) {
		add_sample(v, s, out);
		if (s->doubtful)
			text_add(out, "; events in it may be missing");
		text_add(out, v->rows.tracer == NOISE_HWLAT ?
				      ". Enter sets A and B and shows it in Events." :
				      ". Enter sets A and B and shows where the time went.");
	} else if (v->list == NOISE_HISTOGRAM) {
		text_add(out,
			 "Bins of powers of two, of all CPUs. Enter lists samples from there.");
	} else {
		text_add(out, v->rows.tracer == NOISE_TIMERLAT ?
				      "Latencies from the time for which the timer was set to its "
				      "interrupt, to the tracer's thread" :
			      v->rows.tracer == NOISE_OSNOISE ?
				      "How long the tracer was kept from running, by the kernel's "
				      "figures" :
				      "Gaps in reading the clock with interrupts off");
		text_add(out, ". Enter lists the worst samples of the CPU.");
		if (v->rows.tracer != NOISE_HWLAT && !v->rows.result->has_sources)
			text_add(out, " Time by source is unknown: the trace has no events of "
				      "system osnoise.");
	}
}
