/* SPDX-License-Identifier: GPL-2.0-or-later */
/* noise_columns - the lists of CPUs, samples, histograms and parts. */
#include "src/noise/noise.h"

#include <inttypes.h>

/* --- CPUs ----------------------------------------------------------------------------------- */

#define CPU(member)	TABLE_MEMBER(struct noise_cpu, member)
#define DOUBTED		TABLE_DOUBT(struct noise_cpu, doubtful)

static void add_cpu(const void *row, struct text *out)
{
	text_printf(out, "CPU %d", ((const struct noise_cpu *)row)->cpu);
}

static void add_percent(uint64_t available, struct text *out)
{
	text_printf(out, "%" PRIu64 ".%05" PRIu64, available / 100000, available % 100000);
}

static void add_available(const void *row, struct text *out)
{
	add_percent(((const struct noise_cpu *)row)->available, out);
}

static void add_sample_available(const void *row, struct text *out)
{
	add_percent(((const struct noise_sample *)row)->available, out);
}

#define COUNTED(id, word, member, cells_, said, ...)                                               \
	{ id, word, CPU(member), .kind = TABLE_COUNT, .width = 8, .cells = cells_,                 \
	  .no_zero = true, DOUBTED, .bound = TABLE_AT_LEAST, .help = said, __VA_ARGS__ }
#define TIMED(id, word, member, ...)                                                               \
	{ id, word, CPU(member), .kind = TABLE_DURATION, .width = 13, .cells = 11, __VA_ARGS__ }
#define FIGURES(id, i, last, ...)                                                                  \
	TIMED(id "_cur_ns", id " cur", i.cur, TABLE_IF(struct noise_cpu, i.count),                 \
	      .goes_first = true, .help = last, __VA_ARGS__),                                      \
	TIMED(id "_min_ns", id " min", i.min, TABLE_IF(struct noise_cpu, i.count),                 \
	      .goes_first = true, DOUBTED, .bound = TABLE_AT_MOST, .help = "the shortest one",     \
	      __VA_ARGS__),                                                                        \
	TIMED(id "_avg_ns", id " avg", i.avg, TABLE_IF(struct noise_cpu, i.count), DOUBTED,        \
	      .help = "mean", __VA_ARGS__),                                                        \
	TIMED(id "_max_ns", id " max", i.max, TABLE_IF(struct noise_cpu, i.count),                 \
	      .marked = true, .bar = TABLE_BAR_TOO, DOUBTED, .bound = TABLE_AT_LEAST,              \
	      .help = "the longest one", __VA_ARGS__)
#define SOURCE(id, word, index)                                                                    \
	{ id "_time_ns", word " time", CPU(time[index]), .kind = TABLE_DURATION, .width = 13,      \
	  .cells = sizeof(word " time") + 1, TABLE_IF(struct noise_cpu, has_time),                 \
	  .goes_first = true, DOUBTED, .needs = NOISE_NEEDS_SOURCES,                               \
	  .help = "sum of the events of system osnoise" }
#define SOURCES                                                                                    \
	SOURCE("nmi", "NMI", NOISE_BY_NMI), SOURCE("irq", "irq", NOISE_BY_IRQ),                    \
	SOURCE("softirq", "softirq", NOISE_BY_SOFTIRQ),                                            \
	SOURCE("thread", "thread", NOISE_BY_THREAD)
#define NAME                                                                                       \
	{ .title = "CPU", CPU(cpu), .kind = TABLE_NUMBER, .text = add_cpu, .cells = 5,             \
	  .help = "its number" },                                                                  \
	{ "cpu", "CPU", CPU(cpu), .kind = TABLE_NUMBER, .width = 3 }
#define IS_DOUBTFUL(row)                                                                           \
	{ "doubtful", TABLE_MEMBER(struct row, doubtful), .kind = TABLE_NUMBER }

static const struct table_column timerlat_cpus[] = {
	NAME,
	COUNTED("irq_count", "count", of[NOISE_OF_IRQ].count, 7, "interrupts of the timer"),
	FIGURES("irq", of[NOISE_OF_IRQ], "the last one"),
	COUNTED("thread_count", "threads", of[NOISE_OF_THREAD].count, 0, NULL),
	FIGURES("thread", of[NOISE_OF_THREAD], "the last one"),
	COUNTED("user_count", "users", of[NOISE_OF_USER].count, 0, NULL,
		.needs = NOISE_NEEDS_USER),
	FIGURES("user", of[NOISE_OF_USER], "the last return to user space",
		.needs = NOISE_NEEDS_USER),
	SOURCES,
	IS_DOUBTFUL(noise_cpu),
};

/* Noises by source, of CPUs and of samples. */
#define NOISES(COUNT)                                                                              \
	COUNT("hw", "HW", NOISE_BY_HW, 6, "noises without an interrupt or a thread"),              \
	COUNT("nmi", "NMI", NOISE_BY_NMI, 5, "NMIs"),                                              \
	COUNT("irq", "IRQ", NOISE_BY_IRQ, 7, "interrupts"),                                        \
	COUNT("softirq", "softirq", NOISE_BY_SOFTIRQ, 8, "softirqs"),                              \
	COUNT("thread", "thread", NOISE_BY_THREAD, 7, "other threads")
#define CPU_NOISES(id, word, i, cells_, said)                                                      \
	COUNTED(id, word, counts[i], cells_, said)

static const struct table_column osnoise_cpus[] = {
	NAME,
	COUNTED("periods", "periods", samples, 9, "records of the tracer"),
#define RUNS	TABLE_IF(struct noise_cpu, of[NOISE_RUNTIME].sum)
	TIMED("runtime_ns", "runtime", of[NOISE_RUNTIME].sum, RUNS, DOUBTED,
	      .help = "how long the tracer ran and looked for noise"),
	TIMED("noise_ns", "noise", of[NOISE_OF_PERIOD].sum, DOUBTED, .bound = TABLE_AT_LEAST,
	      .help = "how long it was kept from running"),
	{ "available_percent", "% available", .kind = TABLE_RAW, CPU(available),
	  .text = add_available, RUNS, .width = 11, .cells = 12, DOUBTED,
	  .help = "part of the runtime without noise" },
	TIMED("max_noise_ns", "max noise", of[NOISE_OF_PERIOD].max, DOUBTED,
	      .bound = TABLE_AT_LEAST,
	      .help = "the most noise of a period"),
	TIMED("max_single_ns", "max single", of[NOISE_SINGLE].max, .marked = true,
	      .bar = TABLE_BAR_TOO, DOUBTED, .bound = TABLE_AT_LEAST,
	      .help = "the longest single noise"),
	NOISES(CPU_NOISES),
	SOURCES,
	IS_DOUBTFUL(noise_cpu),
};

static const struct table_column hwlat_cpus[] = {
	NAME,
	COUNTED("samples", "samples", samples, 9, "records of the tracer"),
	FIGURES("inner", of[NOISE_INNER], "the last one"),
	FIGURES("outer", of[NOISE_OUTER], "the last one"),
	COUNTED("count", "delays", counts[0], 8,
		"delays above the threshold, in all samples"),
	COUNTED("nmi_count", "NMIs", counts[1], 6, "NMIs while it looked"),
	IS_DOUBTFUL(noise_cpu),
};

/* --- samples ---------------------------------------------------------------------------------- */

#define SAMPLE(member)	TABLE_MEMBER(struct noise_sample, member)
#define SAMPLE_NS(id, word, i, ...)                                                                \
	{ id "_ns", word, SAMPLE(ns[i]), .kind = TABLE_DURATION, .width = 11, .cells = 11,         \
	  TABLE_IF(struct noise_sample, known[i]), __VA_ARGS__ }
#define SAMPLE_COUNT(id, word, i, cells_, said)                                                    \
	{ id, word, SAMPLE(counts[i]), .kind = TABLE_COUNT, .width = 7, .cells = 8,                \
	  .no_zero = true, .help = said }
#define SAMPLE_CPU                                                                                 \
	{ "cpu", "CPU", SAMPLE(cpu), .kind = TABLE_NUMBER, .width = 3, .cells = 5,                 \
	  .help = "its CPU" }
#define SAMPLE_TIME(...)                                                                           \
	{ "ts_ns", "time", SAMPLE(ts), .kind = TABLE_MOMENT, .width = 15, .align = TABLE_LEFT,     \
	  __VA_ARGS__ }
#define SAMPLE_LATENCY(said)                                                                       \
	{ "seq", "sample", SAMPLE(seq), .kind = TABLE_NUMBER, .width = 7, .cells = 8,              \
	  .help = "the kernel's number of the sample" },                                           \
	SAMPLE_CPU, SAMPLE_TIME(.cells = 15, .help = "when it was recorded"),                      \
	{ .title = "latency", SAMPLE(worst), .kind = TABLE_DURATION, .cells = 11, .marked = true,  \
	  .own = NOISE_WORST, .help = said }

static const struct table_column timerlat_samples[] = {
	SAMPLE_LATENCY("the longest of these"),
	SAMPLE_NS("irq", "irq", NOISE_OF_IRQ, .marked = true,
		  .help = "from the expected time to the handler"),
	SAMPLE_NS("thread", "thread", NOISE_OF_THREAD, .marked = true, .help = "to the thread"),
	SAMPLE_NS("user", "user", NOISE_OF_USER, .marked = true, .needs = NOISE_NEEDS_USER,
		  .help = "to the return to user space"),
	IS_DOUBTFUL(noise_sample),
};

static const struct table_column osnoise_samples[] = {
	{ .title = "period", .cells = 15, SAMPLE(ts), .kind = TABLE_MOMENT, .help = "its end" },
	SAMPLE_CPU,
	SAMPLE_TIME(),
	SAMPLE_NS("runtime", "runtime", NOISE_RUNTIME,
		  .help = "how long the tracer looked for noise"),
	SAMPLE_NS("noise", "noise", NOISE_OF_PERIOD, .marked = true, .own = NOISE_WORST,
		  .help = "how long it was kept from running"),
	{ "available_percent", "% available", .kind = TABLE_RAW, SAMPLE(available),
	  .text = add_sample_available, TABLE_IF(struct noise_sample, known[NOISE_RUNTIME]),
	  .width = 11, .cells = 12, .help = "part of the runtime without noise" },
	SAMPLE_NS("max_single", "max single", NOISE_SINGLE, .marked = true,
		  .help = "the longest single noise"),
	NOISES(SAMPLE_COUNT),
	IS_DOUBTFUL(noise_sample),
};

static const struct table_column hwlat_samples[] = {
	SAMPLE_LATENCY("the longer of inner and outer"),
	SAMPLE_NS("inner", "inner", NOISE_INNER, .marked = true,
		  .help = "between two readings of a pair"),
	SAMPLE_NS("outer", "outer", NOISE_OUTER, .marked = true,
		  .help = "between two pairs of readings"),
	SAMPLE_COUNT("count", "delays", 0, 8, "delays above the threshold"),
	SAMPLE_COUNT("nmi_count", "NMIs", 1, 8, "NMIs meanwhile"),
	SAMPLE_NS("nmi", "NMI time", NOISE_NMI_TIME, .no_zero = true,
		  .help = "how long those took"),
	IS_DOUBTFUL(noise_sample),
};

/* --- histograms ------------------------------------------------------------------------------- */

#define BIN(member)	TABLE_MEMBER(struct noise_bin, member)
#define BOUNDS                                                                                     \
	{ "from_ns", "from", BIN(from), .kind = TABLE_DURATION, .width = 14, .cells = 12,          \
	  .help = "the shortest ones of the row" },                                                \
	{ "to_ns", "to", BIN(to), .kind = TABLE_DURATION, .width = 14, .cells = 12,                \
	  .help = "they are shorter than this" }
#define BIN_COUNT(id, i, ...)                                                                      \
	{ id "_count", id, BIN(count[i]), .kind = TABLE_COUNT, .width = 11, .cells = 11,           \
	  .no_zero = true, .bar = TABLE_BAR_TOO, __VA_ARGS__ }

static const struct table_column timerlat_bins[] = {
	BOUNDS,
	BIN_COUNT("irq", NOISE_OF_IRQ, .help = "latencies of the interrupt"),
	BIN_COUNT("thread", NOISE_OF_THREAD, .help = "latencies of the thread"),
	BIN_COUNT("user", NOISE_OF_USER, .needs = NOISE_NEEDS_USER,
		  .help = "returns to user space"),
};

static const struct table_column osnoise_bins[] = {
	BOUNDS,
	BIN_COUNT("noise", NOISE_OF_PERIOD,
		  .help = "single noises, by the events sample_threshold"),
};

static const struct table_column hwlat_bins[] = {
	BOUNDS,
	BIN_COUNT("inner", NOISE_INNER, .help = "between two readings of a pair"),
	BIN_COUNT("outer", NOISE_OUTER, .help = "between two pairs of readings"),
};

/* --- parts ------------------------------------------------------------------------------------ */

static void add_part(const void *row, struct text *out)
{
	text_add(out, noise_part_names[((const struct noise_row *)row)->part]);
}

static bool has_share(const void *row)
{
	const struct noise_row *r = row;

	return r->times && noise_part_adds(r->part) && r->total;
}

static void add_share(const void *row, struct text *out)
{
	const struct noise_row *r = row;

	text_printf(out, "%.2f", 100.0 * (double)r->ns / (double)r->total);
}

static void add_what(const void *row, struct text *out)
{
	const struct noise_row *r = row;

	if (r->of == NOISE_OF_STACK) {
		text_printf(out, "-> %s", r->function);
		return;
	}
	text_add(out, *r->name ? r->name : "<...>");
	if (r->number >= 0)
		text_printf(out, ":%d", r->number);
	if (r->times > 1)
		text_printf(out, " ×%" PRIu32, r->times);
}

/* What a part is made of stands below it.  Words of the trace are not trusted. */
static void add_line(const void *row, struct text *out)
{
	struct text what = { 0 };

	if (((const struct noise_row *)row)->of == NOISE_OF_PART) {
		add_part(row, out);
		return;
	}
	add_what(row, &what);
	text_add(out, "  ");
	text_printable(out, text_str(&what), what.len);
	text_fini(&what);
}

/* What a part is made of is indented below it. */
static void add_line_part(const void *row, struct text *out)
{
	if (((const struct noise_row *)row)->of != NOISE_OF_PART)
		text_add(out, "  ");
	add_part(row, out);
}

#define PART(member)	TABLE_MEMBER(struct noise_row, member)
#define PART_SAMPLE(member) TABLE_MEMBER_OF(struct noise_row, sample, member)

static const struct table_column parts[] = {
	{ .title = "part", PART(index), .kind = TABLE_COUNT, .text = add_line, .cells = 24,
	  .help = "where the time went" },
	{ .title = "part", .text = add_line_part, .place = 4, .width = 23, .align = TABLE_LEFT },
	{ "part", .text = add_part, .place = 4 },
	{ "ts_ns", .place = 1, PART_SAMPLE(ts), .kind = TABLE_NUMBER },
	{ "cpu", "CPU", .place = 2, PART_SAMPLE(cpu), .kind = TABLE_NUMBER, .width = 3 },
	{ "seq", "sample", .place = 3, PART_SAMPLE(seq), .kind = TABLE_NUMBER, .width = 6 },
	{ "duration_ns", "time", .place = 5, PART(ns), TABLE_IF(struct noise_row, times),
	  TABLE_DOUBT_OF(struct noise_row, sample, doubtful), .kind = TABLE_DURATION,
	  .width = 12, .cells = 12, .bar = TABLE_BAR_TOO,
	  .help = "how long; ~: events in the sample may be missing" },
	{ "share_percent", "%", .place = 6, .kind = TABLE_RAW, .text = add_share,
	  .known = has_share, .width = 6, .cells = 8, .help = "of the sample's latency" },
	{ "what", "what", .place = 7, .text = add_what, TABLE_IF(struct noise_row, of),
	  .align = TABLE_LEFT, .width = 1, .gap = 1 },
	{ "doubtful", .place = 8, PART_SAMPLE(doubtful), .kind = TABLE_NUMBER },
};

/* --- lists ------------------------------------------------------------------------------------ */

#define COLUMNS(array)	{ TABLE_COLUMNS(array), .gap = 1 }

const struct table_columns noise_columns[NOISE_LISTS][NOISE_TRACERS] = {
	[NOISE_CPUS] = { COLUMNS(timerlat_cpus), COLUMNS(osnoise_cpus), COLUMNS(hwlat_cpus) },
	[NOISE_SAMPLES] = { COLUMNS(timerlat_samples), COLUMNS(osnoise_samples),
			    COLUMNS(hwlat_samples) },
	[NOISE_HISTOGRAM] = { COLUMNS(timerlat_bins), COLUMNS(osnoise_bins), COLUMNS(hwlat_bins) },
	[NOISE_ANALYSIS] = { COLUMNS(parts), COLUMNS(parts), COLUMNS(parts) },
};

unsigned int noise_lacks(const struct noise_result *result)
{
	return (result->has_sources ? 0 : NOISE_NEEDS_SOURCES) |
	       (result->has_user ? 0 : NOISE_NEEDS_USER);
}

struct noise_rows noise_rows(const struct noise_result *r, enum noise_list list)
{
	const struct noise_rows lists[NOISE_LISTS] = {
		[NOISE_CPUS] = { r->cpus, sizeof(*r->cpus), r->nr_cpus },
		[NOISE_SAMPLES] = { r->samples, sizeof(*r->samples), r->nr_samples },
		[NOISE_HISTOGRAM] = { r->bins, sizeof(*r->bins), r->nr_bins },
		[NOISE_ANALYSIS] = { r->analysis.rows, sizeof(*r->analysis.rows), r->analysis.nr },
	};

	return lists[list];
}
