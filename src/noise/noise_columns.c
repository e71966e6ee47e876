/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/noise/noise_columns.h"

#include <inttypes.h>

#include "src/base/memory.h"

/* --- CPUs ----------------------------------------------------------------------------------- */

#define CPU(member)	TABLE_MEMBER(struct noise_cpu, member)

static bool is_doubtful(const void *row)
{
	return ((const struct noise_cpu *)row)->doubtful;
}

static int64_t average(const struct noise_figures *f)
{
	return f->count ? (int64_t)(f->sum / f->count) : 0;
}

#define LATENCY(name, index)                                                                       \
	static bool has_##name(const void *row)                                                    \
	{                                                                                          \
		return ((const struct noise_cpu *)row)->latency[index].count;                      \
	}                                                                                          \
	static int64_t name##_average(const void *row)                                             \
	{                                                                                          \
		return average(&((const struct noise_cpu *)row)->latency[index]);                  \
	}
LATENCY(irq, NOISE_OF_IRQ)
LATENCY(thread, NOISE_OF_THREAD)
LATENCY(user, NOISE_OF_USER)

static int64_t available(const void *row)
{
	const struct noise_cpu *cpu = row;

	return (int64_t)noise_available(cpu->runtime, cpu->noise.sum);
}

static bool has_runtime(const void *row)
{
	return ((const struct noise_cpu *)row)->runtime;
}

static void add_percent(uint64_t available, struct text *out)
{
	text_printf(out, "%" PRIu64 ".%05" PRIu64, available / 100000, available % 100000);
}

static void add_available(const void *row, struct text *out)
{
	add_percent((uint64_t)available(row), out);
}

#define COUNTED(id, word, member, cells_, said)                                                    \
	{ id, word, CPU(member), .kind = TABLE_COUNT, .width = 8, .cells = cells_,                 \
	  .no_zero = true, .doubtful = is_doubtful, .help = said }
#define TIMED(id, word, member, has, ...)                                                          \
	{ id, word, CPU(member), .kind = TABLE_DURATION, .width = 13, .cells = 11, .known = has,   \
	  __VA_ARGS__ }
#define FIGURES(id, of, has, avg)                                                                  \
	TIMED(id "_cur_ns", id " cur", of.cur, has, .goes_first = true, .help = "the last one"),   \
	TIMED(id "_min_ns", id " min", of.min, has, .goes_first = true, .doubtful = is_doubtful,   \
	      .help = "the shortest one"),                                                         \
	{ id "_avg_ns", id " avg", .number = avg, .kind = TABLE_DURATION, .width = 13,             \
	  .cells = 11, .known = has, .doubtful = is_doubtful, .help = "mean" },                    \
	TIMED(id "_max_ns", id " max", of.max, has, .marked = true, .doubtful = is_doubtful,       \
	      .help = "the longest one")
#define SOURCE(id, word, index)                                                                    \
	TIMED(id "_time_ns", word " time", time[index], has_sources, .goes_first = true,           \
	      .doubtful = is_doubtful, .needs = NOISE_NEEDS_SOURCES,                               \
	      .help = "sum of the events of system osnoise")
#define NAME                                                                                       \
	{ "cpu", "CPU", CPU(cpu), .kind = TABLE_NUMBER, .width = 3, .cells = 5, .help = "its number" }
#define DOUBTFUL                                                                                   \
	{ "doubtful", CPU(doubtful), .kind = TABLE_NUMBER }

static bool has_sources(const void *row)
{
	const struct noise_cpu *cpu = row;
	uint64_t times = 0;

	for (unsigned int i = 0; i < NOISE_SOURCES; i++)
		times += cpu->times[i];
	return times;
}

static const struct table_column timerlat_cpus[] = {
	NAME,
	COUNTED("irq_count", "count", latency[NOISE_OF_IRQ].count, 7, "interrupts of the timer"),
	FIGURES("irq", latency[NOISE_OF_IRQ], has_irq, irq_average),
	COUNTED("thread_count", "threads", latency[NOISE_OF_THREAD].count, 0, NULL),
	FIGURES("thread", latency[NOISE_OF_THREAD], has_thread, thread_average),
	{ "user_count", "users", CPU(latency[NOISE_OF_USER].count), .kind = TABLE_COUNT,
	  .width = 8, .needs = NOISE_NEEDS_USER, .doubtful = is_doubtful },
#define USER(id, ...)                                                                              \
	{ "user_" id "_ns", "user " id, .kind = TABLE_DURATION, .width = 13, .cells = 11,          \
	  .known = has_user, .needs = NOISE_NEEDS_USER, __VA_ARGS__ }
	USER("cur", CPU(latency[NOISE_OF_USER].cur), .goes_first = true,
	     .help = "the last return to user space"),
	USER("min", CPU(latency[NOISE_OF_USER].min), .goes_first = true,
	     .doubtful = is_doubtful, .help = "the shortest one"),
	USER("avg", .number = user_average, .doubtful = is_doubtful, .help = "mean"),
	USER("max", CPU(latency[NOISE_OF_USER].max), .marked = true, .doubtful = is_doubtful,
	     .help = "the longest one"),
	SOURCE("nmi", "NMI", NOISE_BY_NMI), SOURCE("irq", "irq", NOISE_BY_IRQ),
	SOURCE("softirq", "softirq", NOISE_BY_SOFTIRQ),
	SOURCE("thread", "thread", NOISE_BY_THREAD),
	DOUBTFUL,
};

static const struct table_column osnoise_cpus[] = {
	NAME,
	COUNTED("periods", "periods", samples[NOISE_OSNOISE], 9, "records of the tracer"),
	TIMED("runtime_ns", "runtime", runtime, has_runtime, .doubtful = is_doubtful,
	      .help = "how long the tracer ran and looked for noise"),
	TIMED("noise_ns", "noise", noise.sum, NULL, .doubtful = is_doubtful,
	      .help = "how long it was kept from running"),
	{ "available_percent", "% available", .kind = TABLE_RAW, .number = available,
	  .text = add_available,
	  .known = has_runtime, .width = 11, .cells = 12, .doubtful = is_doubtful,
	  .help = "part of the runtime without noise" },
	TIMED("max_noise_ns", "max noise", noise.max, NULL, .doubtful = is_doubtful,
	      .help = "the most noise of a period"),
	TIMED("max_single_ns", "max single", single.max, NULL, .marked = true,
	      .doubtful = is_doubtful, .help = "the longest single noise"),
	COUNTED("hw", "HW", counts[NOISE_BY_HW], 6, "noises without an interrupt or a thread"),
	COUNTED("nmi", "NMI", counts[NOISE_BY_NMI], 5, "NMIs"),
	COUNTED("irq", "IRQ", counts[NOISE_BY_IRQ], 7, "interrupts"),
	COUNTED("softirq", "softirq", counts[NOISE_BY_SOFTIRQ], 8, "softirqs"),
	COUNTED("thread", "thread", counts[NOISE_BY_THREAD], 7, "other threads"),
	SOURCE("nmi", "NMI", NOISE_BY_NMI), SOURCE("irq", "irq", NOISE_BY_IRQ),
	SOURCE("softirq", "softirq", NOISE_BY_SOFTIRQ),
	SOURCE("thread", "thread", NOISE_BY_THREAD),
	DOUBTFUL,
};

static int64_t inner_average(const void *row)
{
	return average(&((const struct noise_cpu *)row)->inner);
}

static int64_t outer_average(const void *row)
{
	return average(&((const struct noise_cpu *)row)->outer);
}

static const struct table_column hwlat_cpus[] = {
	NAME,
	COUNTED("samples", "samples", samples[NOISE_HWLAT], 9, "records of the tracer"),
	FIGURES("inner", inner, NULL, inner_average),
	FIGURES("outer", outer, NULL, outer_average),
	COUNTED("count", "delays", found, 8, "delays above the threshold, in all samples"),
	COUNTED("nmi_count", "NMIs", nmis, 6, "NMIs while it looked"),
	DOUBTFUL,
};

const struct table_columns noise_cpu_columns[NOISE_TRACERS] = {
	{ TABLE_COLUMNS(timerlat_cpus), .gap = 1 },
	{ TABLE_COLUMNS(osnoise_cpus), .gap = 1 },
	{ TABLE_COLUMNS(hwlat_cpus), .gap = 1 },
};

/* --- samples ---------------------------------------------------------------------------------- */

#define SAMPLE(member)	TABLE_MEMBER(struct noise_sample, member)

static bool knows(const void *row, unsigned int i)
{
	return ((const struct noise_sample *)row)->known >> i & 1;
}

static bool knows_0(const void *row)
{
	return knows(row, 0);
}

static bool knows_1(const void *row)
{
	return knows(row, 1);
}

static bool knows_2(const void *row)
{
	return knows(row, 2);
}

static int64_t sample_cpu(const void *row)
{
	return ((const struct noise_sample *)row)->cpu;
}

static int64_t sample_available(const void *row)
{
	const struct noise_sample *s = row;

	return (int64_t)noise_available(s->ns[1], s->ns[0]);
}

static void add_sample_available(const void *row, struct text *out)
{
	add_percent((uint64_t)sample_available(row), out);
}

static int64_t gap(const void *row)
{
	return (int64_t)noise_worst(NOISE_HWLAT, row);
}

static int64_t latency(const void *row)
{
	return (int64_t)noise_worst(NOISE_TIMERLAT, row);
}

#define SAMPLE_NS(id, word, i, ...)                                                                \
	{ id "_ns", word, SAMPLE(ns[i]), .kind = TABLE_DURATION, .width = 11, .cells = 11,         \
	  .known = knows_##i, __VA_ARGS__ }
#define SAMPLE_COUNT(id, word, i, said)                                                            \
	{ id, word, SAMPLE(counts[i]), .kind = TABLE_COUNT, .width = 7, .cells = 8,                \
	  .no_zero = true, .help = said }
#define SAMPLE_CPU                                                                                 \
	{ "cpu", "CPU", .number = sample_cpu, .kind = TABLE_NUMBER, .width = 3, .cells = 5,        \
	  .help = "its CPU" }
#define SAMPLE_TIME                                                                                \
	{ "ts_ns", "time", SAMPLE(ts), .kind = TABLE_MOMENT, .width = 15, .align = TABLE_LEFT, \
	  .cells = 15, .help = "when it was recorded" }
#define SAMPLE_SEQ                                                                                 \
	{ "seq", "#", SAMPLE(seq), .kind = TABLE_COUNT, .width = 7, .cells = 8,                    \
	  .help = "the kernel's number of the sample" }
#define SAMPLE_DOUBTFUL                                                                            \
	{ "doubtful", SAMPLE(doubtful), .kind = TABLE_NUMBER }

static const struct table_column timerlat_samples[] = {
	SAMPLE_SEQ, SAMPLE_CPU, SAMPLE_TIME,
	{ .title = "latency", .number = latency, .kind = TABLE_DURATION, .cells = 11,
	  .marked = true, .own = NOISE_WORST, .help = "the longest of these" },
	SAMPLE_NS("irq", "irq", 0, .marked = true, .help = "from the expected time to the handler"),
	SAMPLE_NS("thread", "thread", 1, .marked = true, .help = "to the thread"),
	SAMPLE_NS("user", "user", 2, .marked = true, .needs = NOISE_NEEDS_USER,
		  .help = "to the return to user space"),
	SAMPLE_DOUBTFUL,
};

static const struct table_column osnoise_samples[] = {
	{ .title = "period", .cells = 15, SAMPLE(ts), .kind = TABLE_MOMENT, .help = "its end" },
	SAMPLE_CPU,
	{ "ts_ns", "time", SAMPLE(ts), .kind = TABLE_MOMENT, .width = 15, .align = TABLE_LEFT },
	SAMPLE_NS("runtime", "runtime", 1, .help = "how long the tracer looked for noise"),
	SAMPLE_NS("noise", "noise", 0, .marked = true, .own = NOISE_WORST,
		  .help = "how long it was kept from running"),
	{ "available_percent", "% available", .kind = TABLE_RAW, .number = sample_available,
	  .text = add_sample_available,
	  .known = knows_1, .width = 11, .cells = 12, .help = "part of the runtime without noise" },
	SAMPLE_NS("max_single", "max single", 2, .marked = true,
		  .help = "the longest single noise"),
	SAMPLE_COUNT("hw", "HW", NOISE_BY_HW, "noises without an interrupt or a thread"),
	SAMPLE_COUNT("nmi", "NMI", NOISE_BY_NMI, "NMIs"),
	SAMPLE_COUNT("irq", "IRQ", NOISE_BY_IRQ, "interrupts"),
	SAMPLE_COUNT("softirq", "softirq", NOISE_BY_SOFTIRQ, "softirqs"),
	SAMPLE_COUNT("thread", "thread", NOISE_BY_THREAD, "other threads"),
	SAMPLE_DOUBTFUL,
};

static const struct table_column hwlat_samples[] = {
	SAMPLE_SEQ, SAMPLE_CPU, SAMPLE_TIME,
	{ .title = "latency", .number = gap, .kind = TABLE_DURATION, .cells = 11, .marked = true,
	  .own = NOISE_WORST, .help = "the longer of inner and outer" },
	SAMPLE_NS("inner", "inner", 0, .marked = true, .help = "between two readings of a pair"),
	SAMPLE_NS("outer", "outer", 1, .marked = true, .help = "between two pairs of readings"),
	SAMPLE_COUNT("count", "delays", 0, "delays above the threshold"),
	SAMPLE_COUNT("nmi_count", "NMIs", 1, "NMIs meanwhile"),
	SAMPLE_NS("nmi", "NMI time", 2, .no_zero = true, .help = "how long those took"),
	SAMPLE_DOUBTFUL,
};

const struct table_columns noise_sample_columns[NOISE_TRACERS] = {
	{ TABLE_COLUMNS(timerlat_samples), .gap = 1 },
	{ TABLE_COLUMNS(osnoise_samples), .gap = 1 },
	{ TABLE_COLUMNS(hwlat_samples), .gap = 1 },
};

/* --- histograms ------------------------------------------------------------------------------- */

static const uint64_t *bins_of(const struct noise_cpu *cpu, enum noise_tracer tracer,
			       unsigned int i)
{
	switch (tracer) {
	case NOISE_TIMERLAT:
		return cpu->latency[i].bins;
	case NOISE_OSNOISE:
		return i ? NULL : cpu->noise.bins;
	case NOISE_HWLAT:
		return i == 0 ? cpu->inner.bins : i == 1 ? cpu->outer.bins : NULL;
	case NOISE_TRACERS:
		break;
	}
	return NULL;
}

struct noise_bin_row noise_bin(const struct noise_result *result, enum noise_tracer tracer,
			       unsigned int bin)
{
	struct noise_bin_row row = { bin ? 1ull << (bin - 1) : 0,
				     bin < 64 ? 1ull << bin : UINT64_MAX, { 0 } };

	for (unsigned int c = 0; c < result->nr; c++)
		for (unsigned int i = 0; i < NOISE_CONTEXTS; i++) {
			const uint64_t *bins = bins_of(&result->cpus[c], tracer, i);

			if (bins && result->cpus[c].samples[tracer])
				row.count[i] += bins[bin];
		}
	return row;
}

#define BIN(member)	TABLE_MEMBER(struct noise_bin_row, member)
#define BOUNDS                                                                                     \
	{ "from_ns", "from", BIN(from), .kind = TABLE_DURATION, .width = 14, .cells = 12,          \
	  .help = "the shortest ones of the row" },                                                \
	{ "to_ns", "to", BIN(to), .kind = TABLE_DURATION, .width = 14, .cells = 12,                \
	  .help = "they are shorter than this" }
#define BIN_COUNT(id, i, ...)                                                                      \
	{ id "_count", id, BIN(count[i]), .kind = TABLE_COUNT, .width = 11, .cells = 11,           \
	  .no_zero = true, __VA_ARGS__ }

static const struct table_column timerlat_bins[] = {
	BOUNDS,
	BIN_COUNT("irq", 0, .help = "latencies of the interrupt"),
	BIN_COUNT("thread", 1, .help = "latencies of the thread"),
	BIN_COUNT("user", 2, .needs = NOISE_NEEDS_USER, .help = "returns to user space"),
};

static const struct table_column osnoise_bins[] = {
	BOUNDS,
	BIN_COUNT("noise", 0, .help = "single noises, by the events sample_threshold"),
};

static const struct table_column hwlat_bins[] = {
	BOUNDS,
	BIN_COUNT("inner", 0, .help = "between two readings of a pair"),
	BIN_COUNT("outer", 1, .help = "between two pairs of readings"),
};

const struct table_columns noise_bin_columns[NOISE_TRACERS] = {
	{ TABLE_COLUMNS(timerlat_bins), .gap = 1 },
	{ TABLE_COLUMNS(osnoise_bins), .gap = 1 },
	{ TABLE_COLUMNS(hwlat_bins), .gap = 1 },
};

/* --- parts ------------------------------------------------------------------------------------ */

static const struct noise_part_row *part_of(const void *row)
{
	return row;
}

static void add_part(const void *row, struct text *out)
{
	text_add(out, noise_part_names[part_of(row)->part]);
}

static bool has_part_time(const void *row)
{
	const struct noise_part_row *r = row;

	return r->item ? r->item->times : !r->frame && (r->analysis->known >> r->part & 1);
}

static int64_t part_time(const void *row)
{
	const struct noise_part_row *r = row;

	return (int64_t)(r->item ? r->item->ns : r->analysis->parts[r->part]);
}

static bool is_part_doubtful(const void *row)
{
	return part_of(row)->sample->doubtful;
}

static bool has_share(const void *row)
{
	const struct noise_part_row *r = row;

	return has_part_time(row) && noise_part_adds(r->part) && r->analysis->total;
}

static void add_share(const void *row, struct text *out)
{
	text_printf(out, "%.2f",
		    100.0 * (double)part_time(row) / (double)part_of(row)->analysis->total);
}

static bool has_what(const void *row)
{
	return part_of(row)->item || part_of(row)->frame;
}

void noise_part_what(const void *row, struct text *out)
{
	const struct noise_item *item = part_of(row)->item;

	if (!item) {
		text_printf(out, "-> %s", part_of(row)->frame);
		return;
	}
	text_add(out, *item->name ? item->name : "<...>");
	if (item->number >= 0)
		text_printf(out, ":%d", item->number);
	if (item->times > 1)
		text_printf(out, " ×%" PRIu32, item->times);
}

static int64_t part_index(const void *row)
{
	return part_of(row)->index;
}

static int64_t part_ts(const void *row)
{
	return part_of(row)->sample->ts;
}

static int64_t part_cpu(const void *row)
{
	return part_of(row)->sample->cpu;
}

static int64_t part_seq(const void *row)
{
	return part_of(row)->sample->seq;
}

static int64_t part_doubtful(const void *row)
{
	return is_part_doubtful(row);
}

static const struct table_column parts[] = {
	{ .title = "part", .number = part_index, .kind = TABLE_NUMBER, .cells = 24,
	  .help = "where the time went" },
	{ "part", "part", .text = add_part, .place = 4, .width = 21, .align = TABLE_LEFT },
	{ "ts_ns", .place = 1, .number = part_ts, .kind = TABLE_NUMBER },
	{ "cpu", "CPU", .place = 2, .number = part_cpu, .kind = TABLE_NUMBER, .width = 3 },
	{ "seq", "#", .place = 3, .number = part_seq, .kind = TABLE_NUMBER, .width = 6 },
	{ "duration_ns", "time", .place = 5, .number = part_time, .known = has_part_time,
	  .doubtful = is_part_doubtful, .kind = TABLE_DURATION, .width = 12, .cells = 12,
	  .help = "how long; ~: events in the sample may be missing" },
	{ "share_percent", "%", .place = 6, .kind = TABLE_RAW, .text = add_share,
	  .known = has_share, .width = 6, .cells = 8, .help = "of the sample's latency" },
	{ "what", "what", .place = 7, .text = noise_part_what, .known = has_what,
	  .align = TABLE_LEFT, .width = 1, .gap = 1 },
	{ "doubtful", .place = 8, .number = part_doubtful, .kind = TABLE_NUMBER },
};

static void add_row(struct noise_part_row **rows, uint32_t *nr, uint32_t *cap,
		    struct noise_part_row row)
{
	mem_grow(rows, *nr, cap);
	row.index = *nr;
	(*rows)[(*nr)++] = row;
}

struct noise_part_row *noise_part_rows(const struct noise_sample *sample,
				       const struct noise_analysis *a, uint32_t *nr)
{
	struct noise_part_row *rows = NULL;
	uint32_t cap = 0;

	*nr = 0;
	for (unsigned int part = 0; part < NOISE_PARTS; part++) {
		struct noise_part_row row = { sample, a, (enum noise_part)part, NULL, NULL, 0 };

		if (a->known >> part & 1)
			add_row(&rows, nr, &cap, row);
		for (uint32_t i = 0; i < a->nr; i++) {
			row.item = &a->items[i];
			if (row.item->part == row.part)
				add_row(&rows, nr, &cap, row);
		}
		row.item = NULL;
		for (unsigned int i = 0; part == NOISE_BLOCKING && i < a->nr_stack; i++) {
			row.frame = text_str(&a->stack[i]);
			add_row(&rows, nr, &cap, row);
		}
	}
	return rows;
}

const struct table_columns noise_part_columns = { TABLE_COLUMNS(parts), .gap = 1 };
