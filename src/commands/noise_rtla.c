/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/commands/noise_rtla.h"

#include <inttypes.h>
#include <string.h>

/* Each CPU that has samples of a tracer. */
#define each_cpu(cpu, result, tracer)                                                              \
	(const struct noise_cpu *cpu = (result)->cpus; cpu < (result)->cpus + (result)->nr; cpu++) \
		if (cpu->samples[tracer])

static void add_duration(uint64_t ns, struct text *out)
{
	uint64_t s = ns / 1000000000;

	text_printf(out, "%3" PRIu64 " %02" PRIu64 ":%02" PRIu64 ":%02" PRIu64, s / 86400,
		    s / 3600 % 24, s / 60 % 60, s % 60);
}

/* --- timerlat top ----------------------------------------------------------------------------- */

static void add_latency(const struct noise_figures *f, bool all, struct text *out)
{
	if (all)
		text_add(out, "          ");
	else if (f->count)
		text_printf(out, "%9" PRIu64 " ", f->cur / 1000);
	else
		text_add(out, "        - ");
	if (f->count)
		text_printf(out, "%9" PRIu64 " %9" PRIu64 " %9" PRIu64, f->min / 1000,
			    f->sum_us / f->count, f->max / 1000);
	else
		text_add(out, "        -         -         -");
}

static void add_latencies(const struct noise_cpu *cpu, bool all, bool has_user, struct text *out)
{
	add_latency(&cpu->of[NOISE_TIMERLAT][NOISE_OF_IRQ], all, out);
	text_add(out, " |");
	add_latency(&cpu->of[NOISE_TIMERLAT][NOISE_OF_THREAD], all, out);
	if (has_user) {
		text_add(out, " |");
		add_latency(&cpu->of[NOISE_TIMERLAT][NOISE_OF_USER], all, out);
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

static void add_all(const struct noise_result *r, struct text *out)
{
	static const char line[] = "----------------------------------------";
	struct noise_cpu all = { 0 };
	uint64_t count;
	unsigned int e = 0;

	for
		each_cpu(cpu, r, NOISE_TIMERLAT) for (unsigned int i = 0; i < NOISE_VALUES; i++)
			join(&all.of[NOISE_TIMERLAT][i], &cpu->of[NOISE_TIMERLAT][i]);
	count = all.of[NOISE_TIMERLAT][NOISE_OF_IRQ].count;
	for (; count > 999999; count /= 10)
		e++;
	text_printf(out, "%.15s|%.40s|%.39s", line, line, line);
	if (r->has_user)
		text_printf(out, "-|%.39s", line);
	text_printf(out, "\nALL #%-6" PRIu64 " e%u |", count, e);
	add_latencies(&all, true, r->has_user, out);
}

void noise_rtla_timerlat(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char titles[] = "      cur       min       avg       max";

	text_printf(out, "%50s%46s", "Timer Latency", "");
	text_printf(out, "%*s\n", r->has_user ? 41 : 0, "");
	add_duration(span_ns, out);
	text_add(out,
		 "   |          IRQ Timer Latency (us)        |         Thread Timer Latency (us)");
	text_printf(out, "%s\n", r->has_user ? "      |    Ret user Timer Latency (us)" : "");
	text_printf(out, "CPU COUNT      |%s |%s", titles, titles);
	text_printf(out, "%s%s\n", r->has_user ? " |" : "", r->has_user ? titles : "");
	for
		each_cpu(cpu, r, NOISE_TIMERLAT)
		{
			text_printf(out, "%3d #%-9" PRIu64 " |", cpu->cpu,
				    cpu->of[NOISE_TIMERLAT][NOISE_OF_IRQ].count);
			add_latencies(cpu, false, r->has_user, out);
		}
	add_all(r, out);
}

/* --- timerlat hist ---------------------------------------------------------------------------- */

static unsigned int nr_contexts(const struct noise_result *r)
{
	return r->has_user ? NOISE_VALUES : NOISE_OF_USER;
}

/* @bucket: NOISE_BUCKETS: what is longer.  False: it is empty. */
static bool add_bucket(const struct noise_result *r, unsigned int bucket, struct text *out)
{
	uint64_t total = 0;

	for
		each_cpu(cpu, r, NOISE_TIMERLAT) for (unsigned int i = 0; i < nr_contexts(r); i++)
		{
			const struct noise_figures *f = &cpu->of[NOISE_TIMERLAT][i];
			uint64_t n = bucket < NOISE_BUCKETS ? f->buckets[bucket] : f->over;

			text_printf(out, "%9" PRIu64 " ", n);
			total += n;
		}
	text_char(out, '\n');
	return total;
}

static void add_summary(const struct noise_result *r, const char *name, unsigned int which,
			struct text *out)
{
	text_add(out, name);
	for
		each_cpu(cpu, r, NOISE_TIMERLAT) for (unsigned int i = 0; i < nr_contexts(r); i++)
		{
			const struct noise_figures *f = &cpu->of[NOISE_TIMERLAT][i];
			const uint64_t values[] = { f->count, f->min / 1000,
						    f->count ? f->sum_us / f->count : 0,
						    f->max / 1000 };

			if (f->count || !which)
				text_printf(out, "%9" PRIu64 " ", values[which]);
			else
				text_add(out, "        - ");
		}
	text_char(out, '\n');
}

void noise_rtla_histogram(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	static const char *const names[] = { "IRQ", "Thr", "Usr" };

	text_add(out, "# RTLA timerlat histogram\n# Time unit is microseconds (us)\n# Duration: ");
	add_duration(span_ns, out);
	text_add(out, "\nIndex");
	for
		each_cpu(cpu, r, NOISE_TIMERLAT) for (unsigned int i = 0; i < nr_contexts(r); i++)
			text_printf(out, "   %s-%03d", names[i], cpu->cpu);
	text_char(out, '\n');
	for (unsigned int bucket = 0; bucket < NOISE_BUCKETS; bucket++) {
		size_t start = out->len;

		text_printf(out, "%-6u", bucket);
		if (!add_bucket(r, bucket, out))
			out->len = start;
	}
	text_add(out, "over: ");
	add_bucket(r, NOISE_BUCKETS, out);
	add_summary(r, "count:", 0, out);
	add_summary(r, "min:  ", 1, out);
	add_summary(r, "avg:  ", 2, out);
	add_summary(r, "max:  ", 3, out);
}

/* --- osnoise top ------------------------------------------------------------------------------ */

void noise_rtla_osnoise(const struct noise_result *r, uint64_t span_ns, struct text *out)
{
	text_printf(out, "%64s%74s\nduration: ", "Operating System Noise", "");
	add_duration(span_ns, out);
	text_add(out, " | time is in us\n"
		      "CPU Period       Runtime        Noise  % CPU Aval   Max Noise   Max Single "
		      "         HW          NMI          IRQ      Softirq       Thread\n");
	for
		each_cpu(cpu, r, NOISE_OSNOISE)
		{
			const struct noise_figures *noise =
				&cpu->of[NOISE_OSNOISE][NOISE_OF_PERIOD];
			uint64_t runtime = cpu->of[NOISE_OSNOISE][NOISE_RUNTIME].sum,
				 available = noise_available(runtime, noise->sum);

			text_printf(out, "%3d #%-6" PRIu64 " %12" PRIu64 " %12" PRIu64, cpu->cpu,
				    cpu->samples[NOISE_OSNOISE], runtime / 1000, noise->sum / 1000);
			text_printf(out, "   %3" PRIu64 ".%05" PRIu64 "%12" PRIu64 " %12" PRIu64,
				    available / 100000, available % 100000, noise->max / 1000,
				    cpu->of[NOISE_OSNOISE][NOISE_SINGLE].max / 1000);
			for (unsigned int i = 0; i < NOISE_SOURCES; i++)
				text_printf(out, "%12" PRIu64 "%s", cpu->counts[NOISE_OSNOISE][i],
					    i == NOISE_BY_THREAD ? "\n" : " ");
		}
}

/* --- auto-analysis, as of rtla 6.12 -------------------------------------------------------- */

#define VALUE_AT	56		/* cells before a time */

static void add_us(uint64_t ns, size_t line, size_t at, struct text *out)
{
	if (out->len - line < at)
		text_pad(out, at - (out->len - line));
	text_printf(out, "%9.2f us", (double)ns / 1000);
}

static void add_part(const struct noise_analysis *a, enum noise_part part, const char *name,
		     struct text *out)
{
	size_t line = out->len;

	text_add(out, name);
	add_us(a->parts[part], line, VALUE_AT, out);
	text_printf(out, " (%.2f %%)\n",
		    a->total ? (double)a->parts[part] * 100 / (double)a->total : 0.0);
}

static void add_items(const struct noise_analysis *a, enum noise_part part, struct text *out)
{
	for (uint32_t i = 0; i < a->nr; i++) {
		const struct noise_item *item = &a->items[i];
		size_t line = out->len;

		if (item->part != part)
			continue;
		text_printf(out, part == NOISE_BLOCKING ? "%32s:%d" : "%26s:%d", item->name,
			    item->number);
		if (item->times)
			add_us(item->ns, line, VALUE_AT, out);
		else
			text_pad(out, 42 > out->len - line ? 42 - (out->len - line) : 0);
		text_char(out, '\n');
	}
}

/* Functions without offsets. */
static void add_stack(const struct noise_analysis *a, struct text *out)
{
	if (a->nr_stack)
		text_add(out, "    Blocking thread stack trace\n");
	for (unsigned int i = 0; i < a->nr_stack; i++) {
		const char *frame = text_str(&a->stack[i]);

		text_printf(out, "%16s-> %.*s\n", "", (int)strcspn(frame, "+ "), frame);
	}
}

void noise_rtla_analysis(const struct noise_sample *sample, const struct noise_analysis *a,
			 struct text *out)
{
	static const char *const interference[] = { "  NMI interference", "  IRQ interference",
						    "  Softirq interference",
						    "  Thread interference" };
	size_t line;

	text_printf(out, "## CPU %d hit stop tracing, analyzing it ##\n", sample->cpu);
	if (a->known >> NOISE_PREVIOUS & 1)
		text_printf(out, "  Previous IRQ interference: %16s up to  %9.2f us\n", "",
			    (double)a->parts[NOISE_PREVIOUS] / 1000);
	add_part(a, NOISE_DELAY,
		 a->from_idle ? "  IRQ handler delay:                  (exit from idle)" :
				"  IRQ handler delay:",
		 out);
	line = out->len;
	text_add(out, "  IRQ latency:");
	add_us(a->parts[NOISE_IRQ_LATENCY], line, VALUE_AT, out);
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
	line = out->len;
	text_add(out, a->is_irq ? "     IRQ latency:" : "  Thread latency:");
	add_us(a->total, line, VALUE_AT, out);
	text_add(out, " (100%)\n");
}
