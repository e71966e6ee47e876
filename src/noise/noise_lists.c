/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_lists - the lists of CPUs, samples, bins and parts as a list_source: words and Enter. */
#include <inttypes.h>
#include <stdlib.h>

#include "src/base/memory.h"
#include "src/noise/noise_private.h"
#include "src/trace/warnings.h"

enum { OPT_TRACER = LIST_OWN, OPT_STYLE };

/* --- options and life ------------------------------------------------------------------------ */

static int read_options(struct noise_lists *m, const struct option_list *list, int *tracer,
			struct ft_error *err)
{
	static const char *const styles[] = { "rtla" };
	bool samples = false, csv = false;

	for (unsigned int i = 0; list && i < list->nr; i++) {
		const struct option_value *v = &list->values[i];

		if (v->id == LIST_OPTION(NOISE_ANALYSIS) &&
		    options_number("--analysis", v->value, 1, 100000, &m->analysed, err))
			return -1;
		if (v->id == OPT_TRACER) {
			*tracer = options_choice("--tracer", v->value, noise_tracer_names,
						 NOISE_TRACERS, err);
			if (*tracer < 0)
				return -1;
		}
		if (v->id == OPT_STYLE && options_choice("--style", v->value, styles, 1, err) < 0)
			return -1;
		m->rtla |= v->id == OPT_STYLE;
		samples |= v->id == LIST_OPTION(NOISE_SAMPLES);
		csv |= v->id == FILTER_OPTION_TABLE_FORMAT && strcmp(v->value, "text") != 0;
	}
	if (m->rtla && (samples || csv))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--style=rtla goes with neither --samples "
				    "nor --format");
	return 0;
}

static void end(void *model)
{
	struct noise_lists *m = model;
	noise_free(m->noise);
	text_fini(&m->above);
	text_fini(&m->command);
	free(m);
}

static bool find(struct trace *trace, unsigned int *file, unsigned int *variant, bool next)
{
	enum noise_tracer tracer = *variant + next;
	bool any = noise_find(trace, file, &tracer);

	if (any)
		*variant = tracer;
	return any;
}

static void *begin(const struct list_scope *scope, struct ft_error *err)
{
	struct noise_lists *m = mem_alloc(sizeof(*m));
	unsigned int variant = scope->variant;
	int tracer = -1;

	m->trace = scope->trace;
	m->what = scope->what;
	m->speech = scope->speech;
	if (read_options(m, scope->options, &tracer, err)) {
		end(m);
		return NULL;
	}
	if (tracer < 0 && scope->options)
		m->none = !find(m->trace, &m->what.file, &variant, false);
	m->tracer = tracer < 0 ? (enum noise_tracer)variant : (enum noise_tracer)tracer;
	m->noise = noise_new(m->trace, m->tracer, &m->what);
	return m;
}

static enum list_state take(void *model, bool wait, unsigned int *permille, struct ft_error *err)
{
	struct noise_lists *m = model;
	if (list_take_sweep(noise_sweep(m->noise), wait, permille) == LIST_LATER)
		return LIST_LATER;
	m->result = noise_result(m->noise);
	if (m->tracer == NOISE_HWLAT && m->analysed)
		ft_error_set(err, FT_E_USAGE, -1,
			     "--analysis: hwlat does not record what happened");
	else
		return LIST_DONE;
	return LIST_FAILED;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* "Sample 109 on CPU 0 that ends at 44.323461362: 7.418 ms"; a period of osnoise has no number */
static void add_sample(const struct noise_lists *m, const struct noise_sample *s, struct text *out)
{
	if (m->tracer == NOISE_OSNOISE)
		text_add(out, "The period");
	else
		text_printf(out, "Sample %" PRIu32, s->seq);
	text_printf(out, " on CPU %u that ends at ", s->cpu);
	m->speech->time(m->speech->arg, s->ts, out);
	text_add(out, m->tracer == NOISE_OSNOISE ? ": noise " : ": ");
	m->speech->span(m->speech->arg, (int64_t)s->worst, out);
}

static const struct noise_analysis *analyse(struct noise_lists *m, const struct noise_sample *s)
{
	const struct noise_analysis *a = noise_analyse(m->noise, s);

	m->other_clock |= a->other_clock;
	return a;
}

const struct noise_analysis *noise_analyse_worst(struct noise_lists *m, uint32_t i)
{
	const struct noise_result *r = m->result;

	return i < r->nr_samples && i < m->analysed ? analyse(m, &r->samples[i]) : NULL;
}

static struct list_rows rows(void *model, unsigned int list, unsigned int by)
{
	struct noise_lists *m = model;
	static const char *const options[NOISE_LISTS] = { "", " --samples", " --histogram",
							  " --analysis=1" };
	const struct noise_result *r = m->result;
	struct noise_rows of;

	(void)by;
	for (uint32_t i = 0; list == NOISE_ANALYSIS && !m->sample && noise_analyse_worst(m, i);)
		i++;
	of = noise_rows(r, (enum noise_list)list);
	text_clear(&m->above);
	if (list == NOISE_ANALYSIS && m->sample && m->speech)
		add_sample(m, m->sample, &m->above);
	text_clear(&m->command);
	text_printf(&m->command, "noise --tracer=%s%s", noise_tracer_names[m->tracer],
		    options[list]);
	return (struct list_rows){
		.columns = &noise_columns[list][m->tracer], .array = of.array, .bytes = of.bytes,
		.nr = of.nr, .lacks = noise_lacks(r), .damaged = r->damaged,
		.order = list == NOISE_SAMPLES ?
				 table_column_own(&noise_columns[list][m->tracer], NOISE_WORST) :
				 0,
		.figure = list == NOISE_SAMPLES ?
				  table_column_own(&noise_columns[list][m->tracer], NOISE_WORST) :
				  0,
		.heading = noise_tracer_names[m->tracer],
		.above = m->above.len ? text_str(&m->above) : NULL,
		.command = text_str(&m->command),
		.nothing = list == NOISE_HISTOGRAM && m->tracer == NOISE_OSNOISE ?
				   "The histogram is of single noises: no event sample_threshold here." :
				   NULL,
	};
}

static uint64_t cpu_key(const void *row)
{
	return (uint64_t)((const struct noise_cpu *)row)->cpu;
}

static uint64_t sample_key(const void *row)
{
	return ((const struct noise_sample *)row)->ref;
}

static bool part_is_dim(const void *row)
{
	return !noise_part_adds(((const struct noise_row *)row)->part);
}

/* --- places and Enter ------------------------------------------------------------------------ */

/* The latency of a sample ends with its last record. */
static struct list_place edge(const struct noise_lists *m, const struct noise_sample *s, bool end)
{
	uint64_t ns = s->worst;

	if (m->tracer == NOISE_OSNOISE && s->known[NOISE_RUNTIME])
		ns = s->ns[NOISE_RUNTIME];
	return (struct list_place){ .is_moment = true, .ref = end ? s->ref : TRACE_REF_NONE,
				    .ts = end ? s->ts : time_after(s->ts, -(int64_t)ns), .pid = -1,
				    .cpu = s->cpu };
}

static bool place(const void *model, unsigned int list, const void *row, bool end,
		  struct list_place *out)
{
	const struct noise_lists *m = model;
	if (list == NOISE_CPUS)
		*out = (struct list_place){ .pid = -1,
					    .cpu = ((const struct noise_cpu *)row)->cpu };
	else if (list != NOISE_HISTOGRAM)
		*out = edge(m, list == NOISE_ANALYSIS ? m->sample : row, end);
	return list != NOISE_HISTOGRAM;
}

static struct list_step enter_sample(struct noise_lists *m, const struct noise_sample *s)
{
	if (m->tracer == NOISE_HWLAT)
		return (struct list_step){ .to = LIST_TO_EVENTS, .marks = true,
					   .place = edge(m, s, true) };
	noise_forget(m->noise);
	m->sample = s;
	if (analyse(m, s)->any)
		return (struct list_step){ .to = LIST_TO_LIST, .list = NOISE_ANALYSIS,
					   .marks = true };
	noise_forget(m->noise);
	m->sample = NULL;
	return (struct list_step){ .to = LIST_STAYS, .marks = true,
				   .message = "no events of system osnoise belong to this sample; "
					      "A and B are set, 3 shows the Timeline" };
}

/* An event of a part in Events, a part in the Timeline. */
static struct list_step enter_part(const struct noise_lists *m, const struct noise_row *row)
{
	struct list_step step = { .to = LIST_TO_TIMELINE, .place = edge(m, m->sample, false) };

	step.place.to = m->sample->ts;
	if (row->of == NOISE_OF_EVENT)
		step = (struct list_step){ .to = LIST_TO_EVENTS, .place.ref = row->ref };
	return step;
}

static bool is_in_bin(const struct noise_lists *m, const struct noise_sample *s,
		      const struct noise_bin *bin)
{
	for (unsigned int i = 0; i < (m->tracer == NOISE_HWLAT ? 2 : 3); i++)
		if (s->known[i] && s->ns[i] >= bin->from && s->ns[i] < bin->to)
			return true;
	return false;
}

/* The worst sample of the CPU, or the first one of the bin. */
static struct list_step enter(void *model, unsigned int list, const void *row)
{
	struct noise_lists *m = model;
	struct list_step step = { .to = LIST_TO_LIST, .list = NOISE_SAMPLES };
	const struct noise_sample *s = m->result->samples, *last = s + m->result->nr_samples;

	if (list == NOISE_SAMPLES)
		return enter_sample(m, row);
	if (list == NOISE_ANALYSIS)
		return enter_part(m, row);
	while (s < last && (list == NOISE_CPUS ? s->cpu != ((const struct noise_cpu *)row)->cpu :
						 !is_in_bin(m, s, row)))
		s++;
	step.has_key = s < last;
	step.key = step.has_key ? s->ref : 0;
	return step;
}

/* --- words ------------------------------------------------------------------------------------ */

static const char *const part_words[NOISE_PARTS] = {
	[NOISE_PREVIOUS] = "An interrupt or NMI that was still running when the timer was due. The "
			   "handler's delay may contain up to all of it.",
	[NOISE_DELAY] = "From timer expiry to the start of its interrupt.",
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

static void say_part(const struct noise_lists *m, const struct noise_row *row, struct text *out)
{
	if (m->tracer == NOISE_OSNOISE && row->part == NOISE_REST)
		text_add(out, "What no event explains, such as the hardware or a hypervisor. The "
			      "parts above and this add up to the noise.");
	else
		text_add(out, part_words[row->part]);
	if (trace_resolution(m->trace) > 1 &&
	    (row->part == NOISE_DELAY || (row->part == NOISE_REST && m->tracer == NOISE_TIMERLAT)))
		text_add(out, " The times of a text are whole µs: it may be off by 1 µs.");
	if (m->sample->doubtful)
		text_add(out, " ~: events in the sample may be missing.");
	if (m->result->analysis.other_clock)
		text_add(out, " The handler's delay is unknown: the trace has another clock than "
			      "the tracer.");
}

static void say_cpu(const struct noise_lists *m, struct text *out)
{
	text_add(out, m->tracer == NOISE_TIMERLAT ?
			      "Latency from timer expiry to its interrupt, and to the "
			      "tracer's thread" :
		      m->tracer == NOISE_OSNOISE ?
			      "How long the tracer was kept from running, by the kernel's figures" :
			      "Gaps in reading the clock with interrupts off");
	text_add(out, ". Enter lists the worst samples of the CPU.");
	if (m->tracer != NOISE_HWLAT && !m->result->has_sources)
		text_add(out, " Time by source is unknown: the trace has no events of "
			      "system osnoise.");
}

static void say(const void *model, unsigned int list, const void *row, struct text *heading,
		struct text *out)
{
	const struct noise_lists *m = model;
	const struct noise_sample *s = row;

	text_add(heading, noise_tracer_names[m->tracer]);
	if (list == NOISE_CPUS) {
		say_cpu(m, out);
	} else if (list == NOISE_ANALYSIS) {
		say_part(m, row, out);
	} else if (list == NOISE_HISTOGRAM) {
		text_add(out,
			 "Bins of powers of two, of all CPUs. Enter lists samples from there.");
	} else {
		add_sample(m, s, out);
		if (s->doubtful)
			text_add(out, "; events in it may be missing");
		text_add(out, m->tracer == NOISE_HWLAT ?
				      ". Enter sets A and B and shows it in Events." :
				      ". Enter sets A and B and shows where the time went.");
	}
}

static void tell_lost(const struct noise_lists *m, unsigned int list)
{
	const struct noise_result *r = m->result;
	bool lost = false;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		lost |= r->cpus[i].doubtful;
	if (lost)
		warnings_tell("events were %s: there may have been more samples, and longer ones",
			      trace_lost_words(m->trace, 0));
	if (list == NOISE_SAMPLES && r->cut)
		warnings_tell("there are more samples: only the worst ones are listed");
	if (!r->has_sources && (m->analysed || m->tracer == NOISE_OSNOISE))
		warnings_tell(
			"the trace has no events of system osnoise: time by source is unknown");
	if (m->other_clock)
		warnings_tell("events of system osnoise have the times of another clock than the "
			      "trace: the handler's delay is unknown");
}

static void tell(const void *model, unsigned int list, bool any)
{
	const struct noise_lists *m = model;
	if (m->none)
		warnings_tell("the trace has no records of timerlat, osnoise or hwlat");
	else if (!any)
		warnings_tell("no records of %s are selected", noise_tracer_names[m->tracer]);
	else
		tell_lost(m, list);
}

/* --- comparing ------------------------------------------------------------------------------ */

/* Add a row for each CPU and latency of timerlat, gap of hwlat, or noise of osnoise. */
static void compare(void *model, unsigned int list, struct diff *diff, unsigned int side)
{
	struct noise_lists *m = model;
	static const char *const words[NOISE_TRACERS][NOISE_VALUES] = {
		{ "irq", "thread", "user" }, { "noise" }, { "inner", "outer" }
	};
	struct text name = { 0 };

	(void)list;
	for (uint32_t c = 0; !m->none && c < m->result->nr_cpus; c++) {
		const struct noise_cpu *cpu = &m->result->cpus[c];

		for (unsigned int i = 0; i < NOISE_VALUES && words[m->tracer][i]; i++) {
			const struct noise_figures *f = &cpu->of[i];
			struct diff_side *of;

			if (!f->count)
				continue;
			text_clear(&name);
			text_printf(&name, "%s CPU %d %s", noise_tracer_names[m->tracer], cpu->cpu,
				    words[m->tracer][i]);
			of = diff_side(diff, text_str(&name), side);
			of->count = f->count;
			of->total = f->sum;
			of->max = f->max;
		}
	}
	text_fini(&name);
}

/* --- the source ------------------------------------------------------------------------------- */

static const struct list_def lists[NOISE_LISTS] = {
	[NOISE_CPUS] = { "CPU", .name_least = 8, .name_most = 14, .key = cpu_key },
	[NOISE_SAMPLES] = { "sample", .name_least = 8, .name_most = 14,
			    .key = sample_key },
	[NOISE_HISTOGRAM] = { "bin", .name_least = 8, .name_most = 14 },
	[NOISE_ANALYSIS] = { "part", .entered = true, .name_least = 24,
			     .name_most = 34, .is_dim = part_is_dim },
};

const struct list_tab noise_list_tabs[] = {
	{ 'c', "CPUs" }, { 's', "samples" }, { 'h', "histogram" }, { 'a', "analysis" },
	{ 'n', "next file" }, { 0, NULL },
};

static const struct list_keys keys[] = {
	{ "noise", "A CPU; which of these keys it has depends on the tracer.",
		"cpu, samples, periods, runtime_ns, noise_ns, available_percent, max_noise_ns, max_single_ns,\n"
		"inner_cur_ns, inner_min_ns, inner_avg_ns, inner_max_ns, outer_cur_ns, outer_min_ns,\n"
		"outer_avg_ns, outer_max_ns, count, nmi_count, irq_count, irq_cur_ns, irq_min_ns, irq_avg_ns,\n"
		"irq_max_ns, thread_count, thread_cur_ns, thread_min_ns, thread_avg_ns, thread_max_ns,\n"
		"user_count, user_cur_ns, user_min_ns, user_avg_ns, user_max_ns, hw, nmi, irq, softirq, thread,\n"
		"nmi_time_ns, irq_time_ns, softirq_time_ns, thread_time_ns, doubtful" },
	{ "noise --samples", "A sample; which of these keys it has depends on the tracer.",
		"seq, cpu, ts_ns, irq_ns, thread_ns, user_ns, inner_ns, outer_ns, count, nmi_count, nmi_ns,\n"
		"runtime_ns, noise_ns, available_percent, max_single_ns, hw, nmi, irq, softirq, thread, doubtful" },
	{ "noise --histogram",
		"A range of durations; which of these keys it has depends on the tracer.",
		"from_ns, to_ns, irq_count, thread_count, user_count, noise_count, inner_count, outer_count" },
	{ "noise --analysis=2", "A part of one of the worst samples.",
		"ts_ns, cpu, seq, part, duration_ns, share_percent, what, doubtful" },
	{ 0 },
};

const struct list_source noise_list_source = {
	.title = "Noise",
	.about = "what timerlat, osnoise and hwlat measured",
	.command = {
		.name = "noise",
		.operands = "[FILE...]",
		.summary = "timerlat, osnoise and hwlat: latencies and noise of each CPU, worst samples",
		.details = "Each line is a CPU. For timerlat it has the latencies of the timer's interrupt,\n"
			   "of the thread, and of the return to user space. For osnoise it has the runtime,\n"
			   "the noise, the share of the CPU that was available, and how often each source\n"
			   "interrupted; if events of the system osnoise were recorded, also for how long.\n"
			   "For hwlat it has the inner and the outer gaps, and their number.\n\n"
			   "--analysis splits the latency of the worst samples, by the rules of rtla: the\n"
			   "delay of the timer's interrupt, its duration, the thread that ran then and\n"
			   "blocked, and interference by NMIs, interrupts, softirqs and threads. A rest, in\n"
			   "which nothing was recorded, completes the sum. The analysis needs the events of\n"
			   "the system osnoise. A ~ means that events were lost, so there may be more.\n\n"
			   "--style=rtla prints the text of rtla timerlat top or rtla osnoise top; with\n"
			   "--histogram that of rtla timerlat hist, and with --analysis the auto-analysis of\n"
			   "rtla. To record:\n"
			   "  ftop-trace record --setup timerlat --duration 10s",
		.examples = "Where the latency of the three worst samples of timerlat went:\n"
			    "  ftop-trace noise --tracer=timerlat --analysis=3 trace.dat",
		.max_operands = LIST_MOST_FILES,
		.options = (const struct option_def[]){
			{ .name = "tracer", .arg = "TRACER", .id = OPT_TRACER,
			  .help = "timerlat, osnoise or hwlat (default: the first of them that the trace has)" },
			{ .name = "samples", .id = LIST_OPTION(NOISE_SAMPLES), .help = "list the samples, the worst first" },
			{ .name = "histogram", .id = LIST_OPTION(NOISE_HISTOGRAM),
			  .help = "count the samples by length, in powers of two" },
			{ .name = "analysis", .arg = "N", .id = LIST_OPTION(NOISE_ANALYSIS),
			  .help = "split the latency of the worst N samples into its parts" },
			{ .name = "style", .arg = "rtla", .id = OPT_STYLE, .help = "print as rtla does" },
			LIST_OPTIONS,
		},
	},
	.keys = keys,
	.lists = lists,
	.tabs = noise_list_tabs,
	.nr = NOISE_LISTS,
	.help = {
		.enter_bar = "Show",
		.enter = "on a CPU or a bin, list the samples, the worst first; on a sample, "
			 "set A and B at its beginning and end, and show where its latency went; on a "
			 "part, show its event, or the Timeline. q returns",
		.search = "find text or /regex/ in the rows",
		.mark_a = "set mark A at the beginning of the sample",
		.mark_b = "set mark B at its end",
		.next = "show the CPUs, the samples, the histogram, the analysis of the "
			"sample that was entered; with several tracers or files, then the next one",
		.choose = "choose a list: c CPUs, s samples, h histogram, a analysis; "
			  "n the next tracer or file",
	},
	.record = "--setup timerlat",
	.next_word = "next tracer",
	.left = "No record of the tracer is left.",
	.none = "There are no records of the tracers timerlat, osnoise and hwlat here.\n"
		"To record some, press R or run\n"
		"ftop-trace record --setup timerlat --duration 10s",
	.find = find,
	.begin = begin,
	.end = end,
	.take = take,
	.rows = rows,
	.place = place,
	.enter = enter,
	.say = say,
	.tell = tell,
	.print = noise_print_rtla,
	.compare = compare,
	.compared = "A latency, a noise or a gap of a CPU.",
	.compares = DIFF_HAS_TOTAL | DIFF_HAS_MAX,
};
