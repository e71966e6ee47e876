/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise - what timerlat, osnoise and hwlat measured: CPUs, worst samples, histograms, analysis. */
#include <unistd.h>

#include "src/commands/noise_rtla.h"
#include "src/commands/sched_command.h"
#include "src/commands/table_rows.h"
#include "src/noise/noise_columns.h"
#include "src/trace/notes.h"

enum { OPT_TRACER = SCHED_OPT_TASK + 1, OPT_SAMPLES, OPT_HISTOGRAM, OPT_ANALYSIS, OPT_STYLE };

const struct command_def cmd_noise_def = {
	.name = "noise",
	.operands = "[FILE...]",
	.summary = "timerlat, osnoise and hwlat: latencies and noise of each CPU, worst samples",
	.details = "A line for each CPU. timerlat: latencies of its timer's interrupt, of its thread\n"
		   "and of the return to user space. osnoise: runtime, noise, what was available, and\n"
		   "what interrupted how often; how long by source where events of system osnoise\n"
		   "were recorded. hwlat: the inner and outer gaps, and how many there were.\n\n"
		   "--analysis tells where the latency of the worst samples went, by rtla's rules:\n"
		   "the delay of the timer's interrupt, its duration, the thread that ran then and\n"
		   "blocked, and interference of NMIs, interrupts, softirqs and threads. These add up\n"
		   "to the latency with the rest, in which nothing was recorded. It needs the events\n"
		   "of system osnoise. ~: events were lost, so there may be more.\n\n"
		   "--style=rtla prints what rtla timerlat top, rtla osnoise top, with --histogram\n"
		   "rtla timerlat hist, and with --analysis its auto-analysis print. To record:\n"
		   "  ftop-trace record --setup timerlat --duration 10s",
	.max_operands = MAX_FILES,
	.options = (const struct option_def[]){
		{ .name = "tracer", .arg = "TRACER", .id = OPT_TRACER,
		  .help = "timerlat, osnoise or hwlat (default: the first of them that the trace has)" },
		{ .name = "samples", .id = OPT_SAMPLES, .help = "the samples, the worst first" },
		{ .name = "histogram", .id = OPT_HISTOGRAM,
		  .help = "how many took how long, by powers of two" },
		{ .name = "analysis", .arg = "N", .id = OPT_ANALYSIS,
		  .help = "where the latency of the worst N samples went" },
		{ .name = "style", .arg = "rtla", .id = OPT_STYLE, .help = "print as rtla does" },
		SCHED_WINDOW_OPTIONS("only records", "only"),
		FILTER_OPTIONS("only records of the tracer that match, see ftop-trace-filter(7); with several -F, any may match", "rows"),
		TABLE_OPTIONS,
		SCHED_LAST_OPTIONS,
	},
};

struct noise_command {
	struct sched_command base;
	int		tracer;		/* -1: the first that the trace has */
	enum noise_list	list;
	bool		rtla;
	long long	analysed;	/* samples to be analysed */
	struct noise	*noise;		/* owned */
	struct noise_rows rows;
	bool		any, none;	/* there are rows; there is no tracer */
	bool		other_clock;	/* of an analysis */
};

/* --- options ---------------------------------------------------------------------------------- */

static int read_options(struct noise_command *c, const struct option_list *list,
			struct ft_error *err)
{
	static const char *const styles[] = { "rtla" };
	unsigned int lists = 0;

	for (unsigned int i = 0; i < list->nr; i++) {
		const struct option_value *v = &list->values[i];

		if (v->id >= OPT_SAMPLES && v->id <= OPT_ANALYSIS)
			lists |= 1u << (v->id - OPT_SAMPLES + NOISE_SAMPLES);
		if (v->id == OPT_ANALYSIS &&
		    options_number("--analysis", v->value, 1, 100000, &c->analysed, err))
			return -1;
		if (v->id == OPT_TRACER) {
			c->tracer = options_choice("--tracer", v->value, noise_tracer_names,
						   NOISE_TRACERS, err);
			if (c->tracer < 0)
				return -1;
		}
		if (v->id == OPT_STYLE && options_choice("--style", v->value, styles, 1, err) < 0)
			return -1;
		c->rtla |= v->id == OPT_STYLE;
	}
	if (lists)
		c->list = (enum noise_list)__builtin_ctz(lists);
	if (lists & (lists - 1))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "only one of --samples, --histogram and --analysis");
	if (c->rtla && (c->list == NOISE_SAMPLES || c->base.given.format != FORMAT_TEXT))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--style=rtla goes with neither --samples "
				    "nor --format");
	return 0;
}

/* --- rows ------------------------------------------------------------------------------------- */

/* @out: for rtla's text */
static void analyse(struct noise_command *c, struct text *out)
{
	const struct noise_result *r = c->rows.result;
	struct noise_analysis *a = &c->rows.analysis;

	for (uint32_t i = 0; i < r->nr_samples[c->tracer] && i < c->analysed; i++) {
		const struct noise_sample *s = &r->samples[c->tracer][i];

		noise_analyse(c->base.trace, c->rows.tracer, s, a);
		c->other_clock |= a->other_clock;
		if (c->rtla)
			noise_rtla_analysis(s, a, out);
	}
}

static int print_rtla(struct noise_command *c, struct ft_error *err)
{
	const struct noise_result *r = c->rows.result;
	struct output out;
	int64_t first, last;
	uint64_t span = 0;

	if (trace_span(c->base.trace, &first, &last))
		span = (uint64_t)time_between(first, last);
	output_init(&out, STDOUT_FILENO);
	analyse(c, &out.block);
	if (c->list == NOISE_HISTOGRAM)
		noise_rtla_histogram(r, span, &out.block);
	else if (c->list == NOISE_CPUS && c->tracer == NOISE_OSNOISE)
		noise_rtla_osnoise(r, span, &out.block);
	else if (c->list == NOISE_CPUS)
		noise_rtla_timerlat(r, span, &out.block);
	c->any = true;
	return row_picker_end(&c->base.picker, &out, 0, err);
}

static int print(struct noise_command *c, struct ft_error *err)
{
	struct sched_command *b = &c->base;
	struct table_columns columns = noise_columns[c->list][c->tracer];
	struct table_rows rows = { .columns = &columns };

	if (c->rtla)
		return print_rtla(c, err);
	analyse(c, NULL);
	if (b->given.format == FORMAT_TEXT)	/* only what was recorded */
		columns.lacks = noise_lacks(c->rows.result);
	rows.nr = noise_rows_list(&c->rows, c->list, &rows.array, &rows.bytes);
	return table_rows_print(&rows, b->file, &b->given, &b->picker, &c->any, err);
}

/* --- words ------------------------------------------------------------------------------------ */

static void tell_lost(const struct noise_command *c)
{
	const struct noise_result *r = c->rows.result;
	bool lost = false;

	for (uint32_t i = 0; i < r->nr[c->tracer]; i++)
		lost |= r->cpus[c->tracer][i].doubtful;
	if (lost)
		notes_tell("events were %s: there may have been more samples, and longer ones",
			   trace_lost_words(c->base.trace, 0));
	if (c->list == NOISE_SAMPLES && r->cut[c->tracer])
		notes_tell("there are more samples: only the worst ones of each CPU are listed");
	if (!r->has_sources && (c->analysed || c->tracer == NOISE_OSNOISE))
		notes_tell("the trace has no events of system osnoise: time by source is unknown");
	if (c->other_clock)
		notes_tell("events of system osnoise have the times of another clock than the "
			   "trace: the handler's delay is unknown");
}

static void tell(const struct noise_command *c)
{
	const struct sched_command *b = &c->base;

	if (sched_command_tell_rows(b, c->rows.result->damaged))
		return;
	if (c->none)
		notes_tell("the trace has no records of timerlat, osnoise or hwlat%s",
			   b->filter || b->given.cpus ? " that are selected" : "");
	else if (!c->any)
		notes_tell("no records of %s are selected", noise_tracer_names[c->tracer]);
	else
		tell_lost(c);
}

/* The tracer of the trace, if none was chosen. */
static void find_tracer(struct noise_command *c)
{
	for (int t = 0; t < NOISE_TRACERS && c->tracer < 0; t++)
		if (c->rows.result->nr[t])
			c->tracer = t;
	c->none = c->tracer < 0;
	c->tracer = c->none ? 0 : c->tracer;
	c->rows.tracer = (enum noise_tracer)c->tracer;
}

static int measure_and_print(struct noise_command *c, struct ft_error *err)
{
	struct sched_command *b = &c->base;
	struct event_sweep_options what = sched_command_sweep(b);

	c->noise = noise_new(b->trace, &what);
	event_sweep_wait(noise_sweep(c->noise));
	c->rows.result = noise_result(c->noise);
	find_tracer(c);
	if (c->tracer == NOISE_HWLAT && c->analysed)
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--analysis: hwlat does not record what happened");
	if (c->rtla &&
	    (c->tracer == NOISE_HWLAT || (c->tracer == NOISE_OSNOISE && c->list != NOISE_CPUS)))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--style=rtla: rtla does not print this of %s",
				    noise_tracer_names[c->tracer]);
	return print(c, err);
}

int cmd_noise(const struct command_file *file, struct ft_error *err)
{
	struct noise_command c = { .tracer = -1 };
	bool ok = !sched_command_init(&c.base, file, err) && !read_options(&c, file->list, err) &&
		  !sched_command_bind(&c.base, err) && !measure_and_print(&c, err);

	if (ok)
		tell(&c);
	noise_analysis_fini(&c.rows.analysis);
	noise_free(c.noise);
	sched_command_fini(&c.base);
	return ok ? 0 : -1;
}
