/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * view_noise - what the tracers timerlat, osnoise and hwlat measured: CPUs, worst samples,
 * histograms, and where the latency of one sample went.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/noise/noise.h"
#include "ui/rows/call_scope.h"
#include "ui/table/table.h"
#include "ui/view/list_tabs.h"
#include "ui/view/nothing_left.h"
#include "ui/view/view.h"

#define NEXT	'n'

static const struct view_list all_lists[] = {
	{ 'c', "CPUs" }, { 's', "samples" }, { 'h', "histogram" }, { 'a', "analysis" },
	{ NEXT, "next file" }, { 0, NULL }
};

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	unsigned int	 file;		/* that is read */
	struct call_scope scope;	/* owned */
	struct noise	*noise;		/* owned; NULL: not begun, or filters are not ready */
	enum noise_tracer tracer;	/* the file has it, if any */
	const struct noise_result *result;	/* of noise; NULL: not all is read */
	const struct noise_sample *sample;	/* analysed, while list is NOISE_ANALYSIS */
	bool		 entered;	/* the list, from another one */
	enum noise_list	 list;
	struct view_list lists[sizeof(all_lists) / sizeof(*all_lists)];	/* offered now */
	struct table	 table;		/* of the list */
	struct table_order order[NOISE_TRACERS][NOISE_LISTS];
};

/* --- rows ------------------------------------------------------------------------------------- */

/* While filters change, the table still has the rows of the former result. */
static bool has_rows(const struct view *v)
{
	return v->result && v->table.nr;
}

/* A row of the list: struct noise_cpu, noise_sample, noise_bin, noise_row. */
static const void *row_at(const struct view *v, uint32_t row)
{
	return (const char *)v->table.array + row * v->table.array_bytes;
}

static const void *row_here(const struct view *v)
{
	return row_at(v, table_row(&v->table, v->table.window.at));
}

/* The sample under the cursor, or the one that is analysed; NULL: there is none. */
static const struct noise_sample *sample_here(const struct view *v)
{
	if (v->list == NOISE_ANALYSIS)
		return v->sample;
	return v->list == NOISE_SAMPLES && has_rows(v) ? row_here(v) : NULL;
}

static uint64_t key_of(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == NOISE_CPUS ? (uint64_t)((const struct noise_cpu *)row_at(v, row))->cpu :
	       v->list == NOISE_SAMPLES ? ((const struct noise_sample *)row_at(v, row))->ref :
					  row;
}

static bool is_dim(const void *owner, uint32_t row)
{
	const struct view *v = owner;

	return v->list == NOISE_ANALYSIS &&
	       !noise_part_adds(((const struct noise_row *)row_at(v, row))->part);
}

static void noise_enter(void *view);

static const struct table_ops ops = {
	.key = key_of, .is_dim = is_dim, .enter = noise_enter, .figure_word = "figure",
};

/* Columns, order and rows of the list. */
static void show_rows(struct view *v)
{
	static const char *const names[NOISE_LISTS] = { "CPU", "sample", "bin", "part" };
	const struct table_columns *columns = &noise_columns[v->list][v->tracer];
	struct noise_rows of;

	if (!v->result)
		return;
	of = noise_rows(v->result, v->list);
	v->table.lists[0] = columns;
	v->table.row_name = names[v->list];
	v->table.lacks = noise_lacks(v->result);
	v->table.array = of.array;
	v->table.array_bytes = of.bytes;
	v->table.array_nr = of.nr;
	v->table.orders = &v->order[v->tracer][v->list];
	v->table.figure = v->list == NOISE_SAMPLES ? table_column_own(columns, NOISE_WORST) : 0;
	v->table.name_least = v->list == NOISE_ANALYSIS ? 24 : 8;
	v->table.name_most = v->list == NOISE_ANALYSIS ? 34 : 14;
	table_update(&v->table);
}

/* --- its life ------------------------------------------------------------------------ */

static void forget_analysis(struct view *v)
{
	if (v->noise)
		noise_forget(v->noise);
	v->entered = false;
	if (v->list == NOISE_ANALYSIS)
		v->list = NOISE_SAMPLES;
}

static void drop(struct view *v)
{
	forget_analysis(v);
	v->result = NULL;
	noise_free(v->noise);
	v->noise = NULL;
}

static void forget(struct view *v)
{
	drop(v);
	call_scope_drop(&v->scope);
	table_fini(&v->table);
	table_home(&v->table);
}

static struct view *noise_open(const struct view_host *host, struct shared *shared)
{
	struct view *v = mem_alloc(sizeof(*v));

	v->host = host;
	v->shared = shared;
	for (unsigned int t = 0; t < NOISE_TRACERS; t++)
		v->order[t][NOISE_SAMPLES].column =
			table_column_own(&noise_columns[NOISE_SAMPLES][t], NOISE_WORST);
	v->table = (struct table){ .ops = &ops, .owner = v, .host = host, .shared = shared,
				   .orders = v->order[0], .lists = { &noise_columns[0][0] },
				   .ties_stay = true };
	return v;
}

static void noise_close(struct view *v)
{
	forget(v);
	free(v);
}

/* Begin again if filters or range have changed; take the result when it is there. */
static void measure(struct view *v)
{
	struct trace *trace = v->shared->trace;
	struct event_sweep_options what;

	/* Which tracers there are is known once all is indexed. */
	if (!trace || !trace_status(trace).complete)
		return;
	if (call_scope_changed(&v->scope, v->shared, true)) {
		drop(v);
		call_scope_take(&v->scope, v->shared, true);
	}
	if (!v->noise && call_scope_is_ready(&v->scope, trace)) {
		noise_find(trace, &v->file, &v->tracer);
		what = call_scope_sweep(&v->scope, v->file);
		v->noise = noise_new(trace, v->tracer, &what);
	}
	if (!v->noise || v->result)
		return;
	v->result = noise_result(v->noise);
	if (v->result)
		show_rows(v);
}

static bool waits(struct view *v)
{
	return !v->result;
}

/* Or the next tracer, of the same or another file, that there is. */
static void show_tracer(struct view *v, unsigned int file, enum noise_tracer tracer)
{
	forget(v);
	v->file = file;
	v->tracer = tracer;
}

static void noise_retrace(struct view *v)
{
	show_tracer(v, 0, NOISE_TIMERLAT);
}

static void show_file(struct view *v, unsigned int file)
{
	if (file != v->file)
		show_tracer(v, file, NOISE_TIMERLAT);
}

/* --- lists ----------------------------------------------------------------------------- */

static const struct view_list *noise_lists(struct view *v)
{
	unsigned int nr = v->result && v->result->analysis.nr ? NOISE_LISTS : NOISE_ANALYSIS;
	enum noise_tracer tracer = v->tracer + 1;
	unsigned int file = v->file;

	memcpy(v->lists, all_lists, sizeof(all_lists));
	if (v->shared->trace && noise_find(v->shared->trace, &file, &tracer) &&
	    (file != v->file || tracer != v->tracer))
		v->lists[nr++] = (struct view_list){ NEXT, file == v->file ? "next tracer" :
									     "next file" };
	v->lists[nr] = (struct view_list){ 0, NULL };
	return v->lists;
}

static char noise_list(struct view *v)
{
	return all_lists[v->list].letter;
}

static void show_list(struct view *v, enum noise_list list)
{
	v->list = list;
	v->entered = false;
	table_home(&v->table);
	show_rows(v);
}

static bool choose_list(struct view *v, char letter)
{
	const struct view_list *list = noise_lists(v);
	enum noise_tracer tracer;
	unsigned int file = v->file;

	while (list->letter && list->letter != letter)
		list++;
	if (letter == NEXT && list->letter) {
		tracer = v->tracer + 1;
		noise_find(v->shared->trace, &file, &tracer);
		show_tracer(v, file, tracer);
	} else if (list->letter && list - v->lists != v->list) {
		show_list(v, (enum noise_list)(list - v->lists));
	}
	return list->letter;
}

/* --- Enter ------------------------------------------------------------------------------ */

/* The latency of a sample ends with its last record. */
static struct place edge(const struct view *v, const struct noise_sample *s, bool end)
{
	struct place place = shared_place(v->shared, s->ref);
	uint64_t ns = s->worst;

	if (v->tracer == NOISE_OSNOISE && s->known[NOISE_RUNTIME])
		ns = s->ns[NOISE_RUNTIME];
	if (end && place.set)
		return place;
	return (struct place){ .set = true, .ref = TRACE_REF_NONE, .file = v->file, .pid = -1,
			       .cpu = s->cpu, .ts = end ? s->ts : time_after(s->ts, -(int64_t)ns) };
}

static bool span(struct view *v, bool end, struct place *place)
{
	const struct noise_sample *s = sample_here(v);

	if (s)
		*place = edge(v, s, end);
	return s;
}

static void enter_sample(struct view *v)
{
	const struct noise_sample *s = sample_here(v);

	v->shared->places.marks[0] = edge(v, s, false);
	v->shared->places.marks[1] = edge(v, s, true);
	if (v->tracer == NOISE_HWLAT) {
		host_enter(v->host, VIEW_EVENTS, edge(v, s, true));
		return;
	}
	forget_analysis(v);
	v->sample = s;
	if (!noise_analyse(v->noise, s)->any) {
		forget_analysis(v);
		host_message(v->host, "no events of system osnoise belong to this sample; A and B "
				      "are set, 3 shows the Timeline");
		return;
	}
	show_list(v, NOISE_ANALYSIS);
	v->entered = true;
}

/* An event of a part in Events, a part in the Timeline. */
static void enter_part(struct view *v)
{
	const struct noise_row *row = row_here(v);
	struct place place = edge(v, v->sample, false);

	place.to = v->sample->ts;
	if (row->of == NOISE_OF_EVENT)
		host_enter(v->host, VIEW_EVENTS, shared_place(v->shared, row->ref));
	else
		host_enter(v->host, VIEW_TIMELINE, place);
}

static bool is_in_bin(const struct view *v, const struct noise_sample *s,
		      const struct noise_bin *bin)
{
	for (unsigned int i = 0; i < (v->tracer == NOISE_HWLAT ? 2 : 3); i++)
		if (s->known[i] && s->ns[i] >= bin->from && s->ns[i] < bin->to)
			return true;
	return false;
}

/* The worst sample of the CPU, or the first one of the bin. */
static void enter_list(struct view *v)
{
	const struct noise_sample *s = v->result->samples;
	const struct noise_sample *end = s + v->result->nr_samples;
	const struct noise_cpu *cpu = v->list == NOISE_CPUS ? row_here(v) : NULL;
	const struct noise_bin *bin = row_here(v);

	while (s < end && (cpu ? s->cpu != cpu->cpu : !is_in_bin(v, s, bin)))
		s++;
	show_list(v, NOISE_SAMPLES);
	if (s < end)
		table_select_key(&v->table, s->ref);
	v->entered = true;
}

static void noise_enter(void *view)
{
	struct view *v = view;

	if (v->list == NOISE_SAMPLES)
		enter_sample(v);
	else if (v->list == NOISE_ANALYSIS)
		enter_part(v);
	else
		enter_list(v);
}

/* Out of the analysis, or of the samples that Enter led to. */
static bool back(struct view *v)
{
	bool is_analysis = v->list == NOISE_ANALYSIS;

	if (!v->entered)
		return false;
	show_list(v, is_analysis ? NOISE_SAMPLES : NOISE_CPUS);
	if (is_analysis)
		table_select_key(&v->table, v->sample->ref);
	return true;
}

/* --- requests ---------------------------------------------------------------------------- */

static bool noise_request(struct view *v, enum request request, char letter)
{
	const struct noise_sample *s = sample_here(v);
	struct place place = { .set = true, .file = v->file, .pid = -1, .ref = TRACE_REF_NONE };

	if (request == REQ_BACK || request == REQ_PLACE_BACK)
		return back(v);
	if (!has_rows(v))
		return false;
	if (request == REQ_ONLY || request == REQ_WITHOUT) {
		place.cpu = s                     ? s->cpu :
			    v->list == NOISE_CPUS ? ((const struct noise_cpu *)row_here(v))->cpu :
						    -1;
		if (place.cpu < 0 || !strchr("ixc", letter) ||
		    !host_filter_from(v->host, &place, 'c', request == REQ_WITHOUT))
			host_message(v->host, "here: c the CPU of a row");
		return true;
	}
	return table_request(&v->table, request, letter);
}

/* --- drawing ---------------------------------------------------------------------------------- */

static void add_scope(const struct view *v, unsigned int less, struct text *out)
{
	(void)less;
	if (!v->result)
		text_printf(out, "~ %u %%   ",
			    v->noise ? event_sweep_permille(noise_sweep(v->noise)) / 10 : 0);
	shared_of_file(v->shared, v->file, false, out);
	if (v->result)
		text_add(out, noise_tracer_names[v->tracer]);
	call_scope_add_range(&v->scope, v->shared, false, false, out);
	call_scope_add_filter(&v->scope, false, out);
}

/* --- nothing ---------------------------------------------------------------------------------- */

static bool applies(const struct shared *shared)
{
	enum noise_tracer tracer = NOISE_TIMERLAT;
	unsigned int file = 0;

	return shared->trace && noise_find(shared->trace, &file, &tracer);
}

static void draw_nothing(struct view *v, const struct view_area *area)
{
	struct canvas *c = area->canvas;
	int row = area->top + 1;

	if (!v->result) {
		nothing_draw(c, row, "Reading …");
	} else if (v->list == NOISE_HISTOGRAM && v->tracer == NOISE_OSNOISE) {
		nothing_draw(c, row,
			     "The histogram is of single noises: no event sample_threshold here.");
	} else if (call_scope_is_limited(&v->scope) && applies(v->shared)) {
		nothing_left_draw(v->shared, c, row, c->rows, "No record of the tracer is left.",
				  NULL);
	} else {
		nothing_draw(
			c, row,
			"There are no records of the tracers timerlat, osnoise and hwlat here.\n"
			"To record some, press R or run\n"
			"ftop-trace record --setup timerlat --duration 10s");
	}
}

/* "#109 on CPU 0, 44.323461362: 7.418 ms"; a period of osnoise has no number */
static void add_sample(const struct view *v, const struct noise_sample *s, struct text *out)
{
	if (v->tracer == NOISE_OSNOISE)
		text_add(out, "The period");
	else
		text_printf(out, "#%" PRIu32, s->seq);
	text_printf(out, " on CPU %u that ends at ", s->cpu);
	shared_time(v->shared, s->ts, 9, out);
	text_add(out, v->tracer == NOISE_OSNOISE ? ": noise " : ": ");
	shared_span(v->shared, (int64_t)s->worst, out);
}

static void noise_draw(struct view *v, const struct view_area *area)
{
	struct text t = { 0 };
	int top = area->top + 1;

	list_tabs_line(v, view_noise_ops.lists, call_scope_is_limited(&v->scope), area);
	if (!has_rows(v)) {
		draw_nothing(v, area);
		return;
	}
	if (v->list == NOISE_ANALYSIS) {
		add_sample(v, v->sample, &t);
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
	[NOISE_IRQ_LATENCY] = "The latency that the interrupt's handler measured: the delay and "
			      "the beginning of the handler. It is no part of the sum.",
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
	const struct noise_row *row = row_here(v);

	if (v->tracer == NOISE_OSNOISE && row->part == NOISE_REST)
		text_add(out, "What no event explains, such as the hardware or a hypervisor. The "
			      "parts above and this add up to the noise.");
	else
		text_add(out, part_words[row->part]);
	if (trace_resolution(v->shared->trace) > 1 &&
	    (row->part == NOISE_DELAY || (row->part == NOISE_REST && v->tracer == NOISE_TIMERLAT)))
		text_add(out, " The times of a text are whole µs: it may be off by 1 µs.");
	if (v->sample->doubtful)
		text_add(out, " ~: events in the sample may be missing.");
	if (v->result->analysis.other_clock)
		text_add(out, " The handler's delay is unknown: the trace has another clock than "
			      "the tracer.");
}

static void say(struct view *v, struct text *heading, struct text *out)
{
	const struct noise_sample *s = sample_here(v);

	text_add(heading, noise_tracer_names[v->tracer]);
	if (v->list == NOISE_ANALYSIS) {
		say_part(v, out);
	} else if (s) {
		add_sample(v, s, out);
		if (s->doubtful)
			text_add(out, "; events in it may be missing");
		text_add(out, v->tracer == NOISE_HWLAT ?
				      ". Enter sets A and B and shows it in Events." :
				      ". Enter sets A and B and shows where the time went.");
	} else if (v->list == NOISE_HISTOGRAM) {
		text_add(out,
			 "Bins of powers of two, of all CPUs. Enter lists samples from there.");
	} else {
		text_add(out, v->tracer == NOISE_TIMERLAT ?
				      "Latencies from the time for which the timer was set to its "
				      "interrupt, to the tracer's thread" :
			      v->tracer == NOISE_OSNOISE ?
				      "How long the tracer was kept from running, by the kernel's "
				      "figures" :
				      "Gaps in reading the clock with interrupts off");
		text_add(out, ". Enter lists the worst samples of the CPU.");
		if (v->tracer != NOISE_HWLAT && !v->result->has_sources)
			text_add(out, " Time by source is unknown: the trace has no events of "
				      "system osnoise.");
	}
}
/* --- words -------------------------------------------------------------------------------- */

static void command(struct view *v, struct text *out)
{
	static const char *const options[NOISE_LISTS] = { "", " --samples", " --histogram",
							  " --analysis=1" };

	text_printf(out, "noise --tracer=%s%s", noise_tracer_names[v->tracer], options[v->list]);
}

static const char *record(struct view *v)
{
	return applies(v->shared) ? NULL : "--setup timerlat";
}

static const enum request row_requests[] = { REQ_ENTER,     REQ_SORT,        REQ_SIDE_RIGHT,
					     REQ_SIDE_LEFT, REQ_SORT_INVERT, REQ_MARK_A,
					     REQ_MARK_B,    REQ_ONLY,        REQ_COPY,
					     REQ_NONE };

static const enum request bar[] = { REQ_ENTER,  REQ_NEXT_LIST, REQ_SORT, REQ_SEARCH,
				    REQ_FILTER, REQ_RANGE,     REQ_HELP, REQ_DETAIL,
				    REQ_OPTIONS, REQ_NONE };

static const struct view_word words[] = {
	{ REQ_ENTER, "Show", "of a CPU or a bin, list the samples, the worst first; of a sample, "
		"set A and B at its beginning and end, and show where its latency went; of a "
		"part, show its event, or the Timeline. q returns" },
	{ REQ_SEARCH, NULL, "find text or /regex/ in the rows" },
	{ REQ_RANGE, "Range", NULL },
	{ REQ_MARK_A, NULL, "set mark A at the beginning of the sample" },
	{ REQ_MARK_B, NULL, "set mark B at its end" },
	{ REQ_NEXT_LIST, "List", "show the CPUs, the samples, the histogram, the analysis of the "
		"sample that was entered; with several tracers or files, then the next one" },
	{ REQ_CHOOSE_LIST, NULL, "choose a list: c CPUs, s samples, h histogram, a analysis; "
		"n the next tracer or file" },
	{ REQ_NONE, NULL, NULL },
};

static const struct view_keys view_keys = {
	.hint = "New here: Enter on a CPU, Enter on a sample: where the time went",
	.bar = bar,
	.row = row_requests,
	.words = words,
};

static struct table *table(struct view *v)
{
	return has_rows(v) ? &v->table : NULL;
}

const struct view_ops view_noise_ops = {
	.open = noise_open,
	.close = noise_close,
	.applies = applies,
	.draw = noise_draw,
	.request = noise_request,
	.show_file = show_file,
	.retrace = noise_retrace,
	.keys = &view_keys,
	.detail = &(const struct view_detail){ .say = say },
	.table = table,
	.lists = &(const struct view_lists){
		.all = all_lists, .now = noise_lists, .tabs = true,
		.scope = add_scope, .nr_scopes = 1,
		.shown = noise_list, .choose = choose_list,
	},
	.moments = &(const struct view_moments){ .span = span },
	.commands = &(const struct view_commands){
		.whole_trace = true, .command = command, .record = record,
	},
	.work = &(const struct view_work){ .take = measure, .waits = waits },
};
