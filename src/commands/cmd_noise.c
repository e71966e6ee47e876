/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise - what timerlat, osnoise and hwlat measured: CPUs, worst samples, histograms, analysis. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "src/commands/sched_command.h"
#include "src/commands/table_rows.h"
#include "src/noise/noise.h"
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
	const struct noise_result *result;	/* of it */
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

/* --- as rtla prints it ------------------------------------------------------- */

static void add_duration(uint64_t ns, struct text *out)
{
	uint64_t s = ns / 1000000000;

	text_printf(out, "%3" PRIu64 " %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 86400,
		    s / 3600 % 24, s / 60 % 60, s % 60);
}

static unsigned int nr_contexts(const struct noise_result *r)
{
	return r->has_user ? NOISE_VALUES : NOISE_OF_USER;
}

static uint64_t average_us(const struct noise_figures *f)
{
	return f->count ? f->sum_us / f->count : 0;
}

/* --- rtla timerlat top ------------------------------------------------------- */

static void add_latencies(const struct noise_cpu *cpu, unsigned int nr, struct text *out)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct noise_figures *f = &cpu->of[i];

		if (f->count)
			text_printf(out, " |%9" PRIu64 " %9" PRIu64 " %9" PRIu64 " %9" PRIu64,
				    f->cur / 1000, f->min / 1000, average_us(f), f->max / 1000);
		else
			text_add(out, " |        -         -         -         -");
	}
	text_char(out, '\n');
}

static void rtla_timerlat(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char titles[] = "      cur       min       avg       max";
	unsigned int nr = nr_contexts(r);

	text_printf(out, "%50s%46s", "Timer Latency", "");
	text_printf(out, "%*s\n", r->has_user ? 41 : 0, "");
	add_duration(span_ns, out);
	text_add(out,
		 "   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)");
	text_printf(out, "%s\n", r->has_user ? "      |    Ret user Timer Latency (us)" : "");
	text_printf(out, "CPU COUNT      |%s |%s", titles, titles);
	text_printf(out, "%s%s\n", r->has_user ? " |" : "", r->has_user ? titles : "");
	for (uint32_t c = 0; c < r->nr_cpus; c++) {
		const struct noise_cpu *cpu = &r->cpus[c];

		text_printf(out, "%3d #%-9" PRIu64, cpu->cpu, cpu->of[NOISE_OF_IRQ].count);
		add_latencies(cpu, nr, out);
	}
}

/* --- rtla timerlat hist ------------------------------------------------------- */

/* Lines below the buckets of whole µs. */
enum { OVER = NOISE_BUCKETS, COUNT };

static uint64_t value_of(const struct noise_figures *f, unsigned int line)
{
	const uint64_t below[] = { f->over, f->count, f->min / 1000, average_us(f), f->max / 1000 };

	return line < OVER ? f->buckets[line] : below[line - OVER];
}

/* Nothing of a bucket that is empty. */
static void add_line(const struct noise_result *r, const char *name, unsigned int line,
		     struct text *out)
{
	unsigned int nr = nr_contexts(r);
	size_t start = out->len;
	bool any = false;

	text_add(out, name);
	for (uint32_t i = 0; i < r->nr_cpus * nr; i++) {
		const struct noise_figures *f = &r->cpus[i / nr].of[i % nr];

		any |= value_of(f, line);
		if (line > COUNT && !f->count)
			text_add(out, "        - ");
		else
			text_printf(out, "%9" PRIu64 " ", value_of(f, line));
	}
	text_char(out, '\n');
	if (!any && line < OVER)
		out->len = start;
}

static void rtla_histogram(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char *const names[] = { "IRQ", "Thr", "Usr" };
	static const char *const lines[] = { "over: ", "count:", "min:  ", "avg:  ", "max:  " };

	text_add(out, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration: ");
	add_duration(span_ns, out);
	text_add(out, "\nIndex");
	for (uint32_t c = 0; c < r->nr_cpus; c++)
		for (unsigned int i = 0; i < nr_contexts(r); i++)
			text_printf(out, "   %s-%03d", names[i], r->cpus[c].cpu);
	text_char(out, '\n');
	for (unsigned int bucket = 0; bucket < NOISE_BUCKETS; bucket++) {
		char name[16];

		snprintf(name, sizeof(name), "%-6u", bucket);
		add_line(r, name, bucket, out);
	}
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(r, lines[i], OVER + i, out);
}

/* --- rtla osnoise top ------------------------------------------------------- */

static void add_osnoise(const struct noise_cpu *cpu, struct text *out)
{
	const struct noise_figures *f = cpu->of;

	text_printf(out, "%3d #%-6" PRIu64 " %12" PRIu64 " %12" PRIu64, cpu->cpu, cpu->samples,
		    f[NOISE_RUNTIME].sum / 1000, f[NOISE_OF_PERIOD].sum / 1000);
	text_printf(out, "   %3" PRIu64 ".%05" PRIu64 "%12" PRIu64 " %12" PRIu64,
		    cpu->available / 100000, cpu->available % 100000, f[NOISE_OF_PERIOD].max / 1000,
		    f[NOISE_SINGLE].max / 1000);
	for (unsigned int i = 0; i < NOISE_SOURCES; i++)
		text_printf(out, "%12" PRIu64 "%s", cpu->counts[i],
			    i == NOISE_BY_THREAD ? "\n" : " ");
}

static void rtla_osnoise(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	text_printf(out, "%64s%74s\nduration: ", "Operating System Noise", "");
	add_duration(span_ns, out);
	text_add(out, " | time is in us\n"
		      "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single "
		      "         HW          NMI          IRQ      Softirq       Thread\n");
	for (uint32_t c = 0; c < r->nr_cpus; c++)
		add_osnoise(&r->cpus[c], out);
}

/* --- auto-analysis, as of rtla 6.12 -------------------------------------------------------- */

static void add_us(const char *name, uint64_t ns, struct text *out)
{
	text_printf(out, "%-56s%9.2f us", name, (double)ns / 1000);
}

static void rtla_part(const struct noise_analysis *a, enum noise_part part, const char *name,
		      struct text *out)
{
	add_us(name, a->parts[part], out);
	text_printf(out, " (%.2f %%)\n",
		    a->total ? (double)a->parts[part] * 100 / (double)a->total : 0.0);
}

/* What the part is made of; functions of a stack have no offsets. */
static void add_items(const struct noise_analysis *a, enum noise_part part, struct text *out)
{
	const char *title = "    Blocking thread stack trace\n";

	for (uint32_t i = a->first; i < a->nr; i++) {
		const struct noise_row *row = &a->rows[i];
		char name[64];

		if (row->part != part || row->of == NOISE_OF_PART)
			continue;
		if (row->of == NOISE_OF_STACK) {
			text_printf(out, "%s%16s-> %.*s\n", title, "",
				    (int)strcspn(row->function, "+ "), row->function);
			title = "";
			continue;
		}
		snprintf(name, sizeof(name), "%*s:%d", part == NOISE_BLOCKING ? 32 : 26, row->name,
			 row->number);
		if (row->times)
			add_us(name, row->ns, out);
		else
			text_printf(out, "%-42s", name);
		text_char(out, '\n');
	}
}

static void rtla_analysis(const struct noise_sample *sample, const struct noise_analysis *a,
			  struct text *out)
{
	static const char *const interference[] = { "  NMI interference", "  IRQ interference",
						    "  Softirq interference",
						    "  Thread interference" };

	text_printf(out, "## CPU %d hit stop tracing, analyzing it ##\n", sample->cpu);
	if (a->known >> NOISE_PREVIOUS & 1)
		text_printf(out, "  Previous IRQ interference: %16s up to  %9.2f us\n", "",
			    (double)a->parts[NOISE_PREVIOUS] / 1000);
	rtla_part(a, NOISE_DELAY,
		  a->from_idle ? "  IRQ handler delay:                  (exit from idle)" :
				 "  IRQ handler delay:",
		  out);
	add_us("  IRQ latency:", a->parts[NOISE_IRQ_LATENCY], out);
	text_char(out, '\n');
	if (a->is_irq) {
		text_add(out, "  Blocking thread:\n");
	} else {
		rtla_part(a, NOISE_TIMER_IRQ, "  Timerlat IRQ duration:", out);
		rtla_part(a, NOISE_BLOCKING, "  Blocking thread:", out);
	}
	add_items(a, NOISE_BLOCKING, out);
	for (unsigned int i = NOISE_NMIS; i <= (a->is_irq ? NOISE_NMIS : NOISE_THREADS); i++) {
		if (!a->parts[i])
			continue;
		rtla_part(a, (enum noise_part)i, interference[i - NOISE_NMIS], out);
		if (i != NOISE_NMIS)
			add_items(a, (enum noise_part)i, out);
	}
	text_add(out, "------------------------------------------------------------------------\n");
	add_us(a->is_irq ? "     IRQ latency:" : "  Thread latency:", a->total, out);
	text_add(out, " (100%)\n");
}

/* --- rows ------------------------------------------------------------------------------------- */

/* @out: for rtla's text */
static void analyse(struct noise_command *c, struct text *out)
{
	for (uint32_t i = 0; i < c->result->nr_samples && i < c->analysed; i++) {
		const struct noise_sample *s = &c->result->samples[i];
		const struct noise_analysis *a = noise_analyse(c->noise, s);

		c->other_clock |= a->other_clock;
		if (c->rtla)
			rtla_analysis(s, a, out);
	}
}

static int print_rtla(struct noise_command *c, struct ft_error *err)
{
	const struct noise_result *r = c->result;
	struct output out;
	int64_t first, last;
	uint64_t span = 0;

	if (trace_span(c->base.trace, &first, &last))
		span = (uint64_t)time_between(first, last);
	output_init(&out, STDOUT_FILENO);
	analyse(c, &out.block);
	if (c->list == NOISE_HISTOGRAM)
		rtla_histogram(r, span, &out.block);
	else if (c->list == NOISE_CPUS && c->tracer == NOISE_OSNOISE)
		rtla_osnoise(r, span, &out.block);
	else if (c->list == NOISE_CPUS)
		rtla_timerlat(r, span, &out.block);
	c->any = true;
	return row_picker_end(&c->base.picker, &out, 0, err);
}

static int print(struct noise_command *c, struct ft_error *err)
{
	struct sched_command *b = &c->base;
	struct table_columns columns = noise_columns[c->list][c->tracer];
	struct table_rows rows;
	struct noise_rows of;

	if (c->rtla)
		return print_rtla(c, err);
	analyse(c, NULL);
	of = noise_rows(c->result, c->list);
	if (b->given.format == FORMAT_TEXT)	/* only what was recorded */
		columns.lacks = noise_lacks(c->result);
	rows = (struct table_rows){
		.columns = &columns, .array = of.array, .bytes = of.bytes, .nr = of.nr
	};
	return table_rows_print(&rows, b->file, &b->given, &b->picker, &c->any, err);
}

/* --- words ------------------------------------------------------------------------------------ */

static void tell_lost(const struct noise_command *c)
{
	const struct noise_result *r = c->result;
	bool lost = false;

	for (uint32_t i = 0; i < r->nr_cpus; i++)
		lost |= r->cpus[i].doubtful;
	if (lost)
		notes_tell("events were %s: there may have been more samples, and longer ones",
			   trace_lost_words(c->base.trace, 0));
	if (c->list == NOISE_SAMPLES && r->cut)
		notes_tell("there are more samples: only the worst ones are listed");
	if (!r->has_sources && (c->analysed || c->tracer == NOISE_OSNOISE))
		notes_tell("the trace has no events of system osnoise: time by source is unknown");
	if (c->other_clock)
		notes_tell("events of system osnoise have the times of another clock than the "
			   "trace: the handler's delay is unknown");
}

static void tell(const struct noise_command *c)
{
	const struct sched_command *b = &c->base;

	if (sched_command_tell_rows(b, c->result->damaged))
		return;
	if (c->none)
		notes_tell("the trace has no records of timerlat, osnoise or hwlat");
	else if (!c->any)
		notes_tell("no records of %s are selected", noise_tracer_names[c->tracer]);
	else
		tell_lost(c);
}

static int measure_and_print(struct noise_command *c, struct ft_error *err)
{
	struct sched_command *b = &c->base;
	struct event_sweep_options what = sched_command_sweep(b);
	enum noise_tracer tracer = NOISE_TIMERLAT;

	if (c->tracer < 0) {
		trace_hold(b->trace, -1);
		trace_wait(b->trace);		/* which events there are */
		c->none = !noise_find(b->trace, &what.file, &tracer);
		c->tracer = (int)tracer;
	}
	c->noise = noise_new(b->trace, (enum noise_tracer)c->tracer, &what);
	event_sweep_wait(noise_sweep(c->noise));
	c->result = noise_result(c->noise);
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
	noise_free(c.noise);
	sched_command_fini(&c.base);
	return ok ? 0 : -1;
}
