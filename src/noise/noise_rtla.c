/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_rtla - the lists as rtla prints them: its top, its histogram, its auto-analysis. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "src/base/time_math.h"
#include "src/noise/noise_private.h"

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

/* --- all of them ------------------------------------------------------------------------------ */

int noise_print_rtla(void *model, unsigned int list, struct text *out, struct ft_error *err)
{
	struct noise_lists *m = model;
	const struct noise_result *r = m->result;
	const struct noise_analysis *a;
	int64_t first, last;
	uint64_t span = 0;

	if (!m->rtla)
		return 0;
	if (m->tracer == NOISE_HWLAT || (m->tracer == NOISE_OSNOISE && list != NOISE_CPUS))
		return ft_error_set(err, FT_E_USAGE, -1,
				    "--style=rtla: rtla does not print this of %s",
				    noise_tracer_names[m->tracer]);
	if (trace_span(m->trace, &first, &last))
		span = (uint64_t)time_between(first, last);
	for (uint32_t i = 0; (a = noise_analyse_worst(m, i)); i++)
		rtla_analysis(&r->samples[i], a, out);
	if (list == NOISE_HISTOGRAM)
		rtla_histogram(r, span, out);
	else if (list == NOISE_CPUS && m->tracer == NOISE_OSNOISE)
		rtla_osnoise(r, span, out);
	else if (list == NOISE_CPUS)
		rtla_timerlat(r, span, out);
	return 1;
}
