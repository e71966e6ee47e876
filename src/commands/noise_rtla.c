/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/noise_rtla.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

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

/* --- timerlat top ----------------------------------------------------------------------------- */

static void add_latencies(const struct noise_cpu *cpu, unsigned int nr, bool all, struct text *out)
{
	for (unsigned int i = 0; i < nr; i++) {
		const struct noise_figures *f = &cpu->of[i];

		text_add(out, " |");
		if (f->count && !all)
			text_printf(out, "%9" PRIu64 " ", f->cur / 1000);
		else
			text_add(out, all ? "          " : "        - ");
		if (f->count)
			text_printf(out, "%9" PRIu64 " %9" PRIu64 " %9" PRIu64, f->min / 1000,
				    average_us(f), f->max / 1000);
		else
			text_add(out, "        -         -         -");
	}
	text_char(out, '\n');
}

static void join(struct noise_figures *all, const struct noise_figures *f)
{
	if (f->count && (!all->count || f->min < all->min))
		all->min = f->min;
	all->max = all->max > f->max ? all->max : f->max;
	all->sum_us += f->sum_us;
	all->count += f->count;
}

static void add_all(const struct noise_cpu *all, unsigned int nr, struct text *out)
{
	static const char line[] = "----------------------------------------";
	uint64_t count = all->of[NOISE_OF_IRQ].count;
	unsigned int e = 0;

	for (; count > 999999; count /= 10)
		e++;
	text_printf(out, "%.15s|%.40s|%.39s", line, line, line);
	if (nr == NOISE_VALUES)
		text_printf(out, "-|%.39s", line);
	text_printf(out, "\nALL #%-6" PRIu64 " e%u", count, e);
	add_latencies(all, nr, true, out);
}

void noise_rtla_timerlat(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char titles[] = "      cur       min       avg       max";
	unsigned int nr = nr_contexts(r);
	struct noise_cpu all = { 0 };

	text_printf(out, "%50s%46s", "Timer Latency", "");
	text_printf(out, "%*s\n", r->has_user ? 41 : 0, "");
	add_duration(span_ns, out);
	text_add(out,
		 "   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)");
	text_printf(out, "%s\n", r->has_user ? "      |    Ret user Timer Latency (us)" : "");
	text_printf(out, "CPU COUNT      |%s |%s", titles, titles);
	text_printf(out, "%s%s\n", r->has_user ? " |" : "", r->has_user ? titles : "");
	for (uint32_t c = 0; c < r->nr[NOISE_TIMERLAT]; c++) {
		const struct noise_cpu *cpu = &r->cpus[NOISE_TIMERLAT][c];

		text_printf(out, "%3d #%-9" PRIu64, cpu->cpu, cpu->of[NOISE_OF_IRQ].count);
		add_latencies(cpu, nr, false, out);
		for (unsigned int i = 0; i < nr; i++)
			join(&all.of[i], &cpu->of[i]);
	}
	add_all(&all, nr, out);
}

/* --- timerlat hist ---------------------------------------------------------------------------- */

/* Lines below the buckets of whole µs. */
enum { OVER = NOISE_BUCKETS, COUNT, MIN, AVERAGE, MAX };

static uint64_t value_of(const struct noise_figures *f, unsigned int line)
{
	switch (line) {
	case OVER:
		return f->over;
	case COUNT:
		return f->count;
	case MIN:
		return f->min / 1000;
	case AVERAGE:
		return average_us(f);
	case MAX:
		return f->max / 1000;
	}
	return f->buckets[line];
}

/* Nothing of a bucket that is empty. */
static void add_line(const struct noise_result *r, const char *name, unsigned int line,
		     struct text *out)
{
	unsigned int nr = nr_contexts(r);
	size_t start = out->len;
	bool any = false;

	text_add(out, name);
	for (uint32_t i = 0; i < r->nr[NOISE_TIMERLAT] * nr; i++) {
		const struct noise_figures *f = &r->cpus[NOISE_TIMERLAT][i / nr].of[i % nr];

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

void noise_rtla_histogram(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char *const names[] = { "IRQ", "Thr", "Usr" };
	static const char *const lines[] = { "over: ", "count:", "min:  ", "avg:  ", "max:  " };

	text_add(out, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration: ");
	add_duration(span_ns, out);
	text_add(out, "\nIndex");
	for (uint32_t c = 0; c < r->nr[NOISE_TIMERLAT]; c++)
		for (unsigned int i = 0; i < nr_contexts(r); i++)
			text_printf(out, "   %s-%03d", names[i], r->cpus[NOISE_TIMERLAT][c].cpu);
	text_char(out, '\n');
	for (unsigned int bucket = 0; bucket < NOISE_BUCKETS; bucket++) {
		char name[16];

		snprintf(name, sizeof(name), "%-6u", bucket);
		add_line(r, name, bucket, out);
	}
	for (unsigned int i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		add_line(r, lines[i], OVER + i, out);
}

/* --- osnoise top ------------------------------------------------------------------------------ */

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

void noise_rtla_osnoise(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	text_printf(out, "%64s%74s\nduration: ", "Operating System Noise", "");
	add_duration(span_ns, out);
	text_add(out, " | time is in us\n"
		      "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single "
		      "         HW          NMI          IRQ      Softirq       Thread\n");
	for (uint32_t c = 0; c < r->nr[NOISE_OSNOISE]; c++)
		add_osnoise(&r->cpus[NOISE_OSNOISE][c], out);
}

/* --- auto-analysis, as of rtla 6.12 -------------------------------------------------------- */

static void add_us(const char *name, uint64_t ns, struct text *out)
{
	text_printf(out, "%-56s%9.2f us", name, (double)ns / 1000);
}

static void add_part(const struct noise_analysis *a, enum noise_part part, const char *name,
		     struct text *out)
{
	add_us(name, a->parts[part], out);
	text_printf(out, " (%.2f %%)\n",
		    a->total ? (double)a->parts[part] * 100 / (double)a->total : 0.0);
}

static void add_items(const struct noise_analysis *a, enum noise_part part, struct text *out)
{
	for (uint32_t i = a->first; i < a->nr; i++) {
		const struct noise_row *row = &a->rows[i];
		char name[64];

		if (row->part != part || row->of != NOISE_OF_EVENT)
			continue;
		snprintf(name, sizeof(name), "%*s:%d", part == NOISE_BLOCKING ? 32 : 26, row->name,
			 row->number);
		if (row->times)
			add_us(name, row->ns, out);
		else
			text_printf(out, "%-42s", name);
		text_char(out, '\n');
	}
}

/* Functions without offsets. */
static void add_stack(const struct noise_analysis *a, struct text *out)
{
	const char *title = "    Blocking thread stack trace\n";

	for (uint32_t i = a->first; i < a->nr; i++) {
		const char *name = a->rows[i].function;

		if (a->rows[i].of != NOISE_OF_STACK)
			continue;
		text_printf(out, "%s%16s-> %.*s\n", title, "", (int)strcspn(name, "+ "), name);
		title = "";
	}
}

void noise_rtla_analysis(const struct noise_sample *sample, const struct noise_analysis *a,
			 struct text *out)
{
	static const char *const interference[] = { "  NMI interference", "  IRQ interference",
						    "  Softirq interference",
						    "  Thread interference" };

	text_printf(out, "## CPU %d hit stop tracing, analyzing it ##\n", sample->cpu);
	if (a->known >> NOISE_PREVIOUS & 1)
		text_printf(out, "  Previous IRQ interference: %16s up to  %9.2f us\n", "",
			    (double)a->parts[NOISE_PREVIOUS] / 1000);
	add_part(a, NOISE_DELAY,
		 a->from_idle ? "  IRQ handler delay:                  (exit from idle)" :
				"  IRQ handler delay:",
		 out);
	add_us("  IRQ latency:", a->parts[NOISE_IRQ_LATENCY], out);
	text_char(out, '\n');
	if (a->is_irq) {
		text_add(out, "  Blocking thread:\n");
	} else {
		add_part(a, NOISE_TIMER_IRQ, "  Timerlat IRQ duration:", out);
		add_part(a, NOISE_BLOCKING, "  Blocking thread:", out);
	}
	add_items(a, NOISE_BLOCKING, out);
	add_stack(a, out);
	for (unsigned int i = NOISE_NMIS; i <= (a->is_irq ? NOISE_NMIS : NOISE_THREADS); i++) {
		if (!a->parts[i])
			continue;
		add_part(a, (enum noise_part)i, interference[i - NOISE_NMIS], out);
		if (i != NOISE_NMIS)
			add_items(a, (enum noise_part)i, out);
	}
	text_add(out, "------------------------------------------------------------------------\n");
	add_us(a->is_irq ? "     IRQ latency:" : "  Thread latency:", a->total, out);
	text_add(out, " (100%)\n");
}
