/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "tests/lib/samples.h"

#include <inttypes.h>
#include <string.h>

#include "src/base/memory.h"
#include "src/base/text.h"
#include "tests/lib/gen_trace.h"

static const char latency_text[] =
	"# tracer: irqsoff\n"
	"#\n"
	"# irqsoff latency trace v1.1.5 on 6.1.192\n"
	"# latency: 2439 us, #3/3, CPU#0 | (M:preempt VP:0, KP:0, SP:0 HP:0 #P:2)\n"
	"#    | task: trace-cmd-72 (uid:0 nice:0 policy:0 rt_prio:0)\n"
	"#  => started at: read_hpet\n"
	"trace-cm-72        0d....    1us : _raw_spin_lock_irqsave\n"
	"trace-cm-72        0d..1. 2427us+: f <-release_pages\n"
	"       71 us |   0)     wl-67      |  d..2. |   1.523 us    |    nsec_to_clock_t();\n"
	"trace-cm-72        0d..1. 2475us : <stack trace>\n"
	" => release_pages\n";

/* --- generated ones ------------------------------------------------------------------ */

struct form {
	int			version;
	enum trace_compression	compression;
	struct gen_layout	layout;
	bool			buffers;	/* two instances beside the top one */
	bool			latency;
	uint32_t		pages;
	int			nr_cpus, cpu_step;
};

enum { V6, V6_BE32, V6_BUFFERS, V6_LATENCY, V7, V7_BE32, V7_BE64, V7_LE32, V7_ZLIB, V7_ZSTD,
       V7_ZSTD_BE, V7_BUFFERS,
       V7_BUFFERS_ZSTD, V7_LATENCY, V7_LATENCY_ZSTD, V7_SPARSE, V7_LARGE_PAGES, V7_EMPTY };

static const struct form forms[] = {
	[V6]		  = { 6, TRACE_PLAIN, { 512, 8, false }, .pages = 3, .nr_cpus = 2 },
	[V6_BE32]	  = { 6, TRACE_PLAIN, { 512, 4, true }, .pages = 3, .nr_cpus = 2 },
	[V6_BUFFERS]	  = { 6, TRACE_PLAIN, { 512, 8, false }, .pages = 1, .nr_cpus = 2,
			      .buffers = true },
	[V6_LATENCY]	  = { 6, TRACE_PLAIN, { 4096, 8, false }, .nr_cpus = 2, .latency = true },
	[V7]		  = { 7, TRACE_PLAIN, { 512, 8, false }, .pages = 3, .nr_cpus = 2 },
	[V7_BE32]	  = { 7, TRACE_PLAIN, { 512, 4, true }, .pages = 3, .nr_cpus = 2 },
	[V7_BE64]	  = { 7, TRACE_PLAIN, { 512, 8, true }, .pages = 3, .nr_cpus = 2 },
	[V7_LE32]	  = { 7, TRACE_PLAIN, { 512, 4, false }, .pages = 3, .nr_cpus = 2 },
	[V7_ZLIB]	  = { 7, TRACE_ZLIB, { 512, 8, false }, .pages = 12, .nr_cpus = 2 },
	[V7_ZSTD]	  = { 7, TRACE_ZSTD, { 512, 8, false }, .pages = 12, .nr_cpus = 2 },
	[V7_ZSTD_BE]	  = { 7, TRACE_ZSTD, { 512, 4, true }, .pages = 3, .nr_cpus = 2 },
	[V7_BUFFERS]	  = { 7, TRACE_PLAIN, { 512, 8, false }, .pages = 1, .nr_cpus = 2,
			      .buffers = true },
	[V7_BUFFERS_ZSTD] = { 7, TRACE_ZSTD, { 512, 8, false }, .pages = 2, .nr_cpus = 2,
		.buffers = true },
	[V7_LATENCY]	  = { 7, TRACE_PLAIN, { 4096, 8, false }, .nr_cpus = 2, .latency = true },
	[V7_LATENCY_ZSTD] = { 7, TRACE_ZSTD, { 4096, 8, false }, .nr_cpus = 2, .latency = true },
	[V7_SPARSE]	  = { 7, TRACE_PLAIN, { 512, 8, false }, .pages = 1, .nr_cpus = 4,
			      .cpu_step = 37 },
	[V7_EMPTY]	  = { 7, TRACE_PLAIN, { 512, 8, false }, .nr_cpus = 2 },
	[V7_LARGE_PAGES]  = { 7, TRACE_PLAIN, { 65536, 8, false }, .pages = 2, .nr_cpus = 2 },
};

#define MAX_TRACES 3

/* Top buffer and instances of a generated sample.  Returns how many; for the caller to free. */
static unsigned int generate(const struct sample *sample, struct gen_trace *traces[MAX_TRACES])
{
	const struct form *form = &forms[sample->arg];
	unsigned int nr = form->buffers ? MAX_TRACES : 1;

	for (unsigned int i = 0; i < nr; i++) {
		const struct gen_options options = {
			.seed = sample->arg * 10 + i, .layout = form->layout,
			.features = GEN_ALL & ~GEN_EMPTY_CPUS,
			.nr_cpus = form->nr_cpus, .cpu_step = form->cpu_step, .pages = form->pages,
		};

		traces[i] = gen_trace_new(&options);
	}
	return nr;
}

static int make_generated(const struct sample *sample, const char *path, struct ft_error *err)
{
	static const char *const names[] = { "", "first", "second" };
	const struct form *form = &forms[sample->arg];
	const struct gen_file file = { .version = form->version, .compression = form->compression,
				       .latency_text = form->latency ? latency_text : NULL };
	struct gen_trace *traces[MAX_TRACES];
	unsigned int nr = generate(sample, traces);
	int ret = gen_write(path, &file, (const struct gen_trace *const *)traces, names, nr, err);

	for (unsigned int i = 0; i < nr; i++)
		gen_trace_free(traces[i]);
	return ret;
}

bool sample_list(const struct sample *sample, FILE *out)
{
	struct gen_trace *traces[MAX_TRACES];
	unsigned int nr, number = 0;

	if (sample->make != make_generated || forms[sample->arg].latency)
		return false;
	nr = generate(sample, traces);
	for (unsigned int i = 0; i < nr; i++) {
		for (uint32_t k = 0; k < traces[i]->nr_streams; k++, number++)
			for (uint32_t n = 0; n < traces[i]->streams[k].nr_events; n++)
				fprintf(out, "%u %" PRIu64 "\n", number,
					traces[i]->streams[k].events[n].ts);
		gen_trace_free(traces[i]);
	}
	return true;
}

/* --- written by hand --------------------------------------------------------------------- */

static const struct gen_layout usual = { 4096, 8, false };

static struct trace_writer *begin(const char *path, int version, const char *cmdlines,
				  struct ft_error *err)
{
	const struct trace_writer_options options = { .version = version,
						      .long_size = 8,
						      .page_size = 4096 };
	struct trace_writer *w = trace_writer_new(path, &options, err);

	if (!w)
		return NULL;
	gen_write_metadata(w, &usual);
	trace_writer_text(w, TRACE_TEXT_CMDLINES, cmdlines, strlen(cmdlines));
	trace_writer_cpu_count(w, 1);
	return w;
}

static int end(struct trace_writer *w, const void *page, struct ft_error *err)
{
	if (trace_writer_pages(w, trace_writer_buffer(w, "", NULL, 0), 0, page, 4096, err)) {
		trace_writer_abort(w);
		return -1;
	}
	return trace_writer_finish(w, err);
}

static void option_text(struct trace_writer *w, uint16_t id, const char *text)
{
	trace_writer_option(w, id, text, (uint32_t)strlen(text) + 1);
}

static void put(struct text *t, uint64_t v, size_t size)
{
	for (size_t i = 0; i < size; i++)
		text_char(t, (char)(v >> (8 * i)));
}

/* Host and guest clocks: two samples for CPU 0, one for CPU 1, with fractions. */
static void option_time_shift(struct trace_writer *w)
{
	struct text t = { 0 };

	put(&t, 0x1234567890abcdefull, 8);	/* peer */
	put(&t, 1, 4);				/* interpolate */
	put(&t, 2, 4);				/* CPUs */
	put(&t, 2, 4);
	put(&t, 1000, 8), put(&t, 2000000000000ull, 8);
	put(&t, 50, 8), put(&t, (uint64_t)-50, 8);
	put(&t, 1, 8), put(&t, 1, 8);
	put(&t, 1, 4);
	put(&t, 1000, 8), put(&t, 7, 8), put(&t, 2, 8);
	put(&t, 0, 8), put(&t, 1, 8), put(&t, 3, 8);	/* fractions */
	trace_writer_option(w, TRACE_OPTION_TIME_SHIFT, t.data, (uint32_t)t.len);
	text_fini(&t);
}

static void option_guest(struct trace_writer *w)
{
	struct text t = { 0 };

	text_bytes(&t, "guest", 6);
	put(&t, 42, 8);
	put(&t, 2, 4);
	put(&t, 0, 4), put(&t, 100, 4);
	put(&t, 1, 4), put(&t, 101, 4);
	trace_writer_option(w, TRACE_OPTION_GUEST, t.data, (uint32_t)t.len);
	text_fini(&t);
}

/* Every option that is not about where things lie. */
static int make_options(const struct sample *sample, const char *path, struct ft_error *err)
{
	struct trace_writer *w = begin(path, (int)sample->arg, "5 five\n", err);
	uint8_t page[4096], payload[64];
	struct text t = { 0 };
	struct gen_page p;

	if (!w)
		return -1;
	option_text(w, TRACE_OPTION_DATE, "0x5a1b2c3d4e5f");
	option_text(w, TRACE_OPTION_CPUSTAT, "CPU: 0\nentries: 1\noverrun: 0\n");
	option_text(w, TRACE_OPTION_UNAME, "Linux host 6.1.0 x86_64");
	option_text(w, TRACE_OPTION_HOOK, "sched_switch,prev_pid/sched_wakeup,pid");
	option_text(w, TRACE_OPTION_OFFSET, "-1000000");
	option_text(w, TRACE_OPTION_VERSION, "3.4 sample");
	option_text(w, TRACE_OPTION_PROCMAPS, "5 1 five\n400000 500000 /bin/five\n");
	put(&t, 0xfeed, 8);
	trace_writer_option(w, TRACE_OPTION_TRACEID, t.data, 8);
	option_time_shift(w);
	option_guest(w);
	text_clear(&t);
	put(&t, 1u << 20, 4), put(&t, 21, 4), put(&t, 0, 8);
	trace_writer_option(w, TRACE_OPTION_TSC2NSEC, t.data, 16);
	option_text(w, TRACE_OPTION_LAST_BOOT_INFO, "boot:1000 kernel\n");
	option_text(w, 999, "an option of the future");
	text_fini(&t);
	gen_page_begin(&p, &usual, page, 5000000000ull);
	gen_page_record(&p, 0, payload, gen_payload(&usual, payload, GEN_TYPE_BARE, 5, NULL, 0),
			false);
	gen_page_end(&p, GEN_LOST_NONE, 0);
	return end(w, page, err);
}

/*
 * What a terminal would obey: colours, clearing, title, C1, bidi, bytes that are not UTF-8, ends of
 * lines.
 */
#define HOSTILE_COLOUR	"\033[31mred\033[0m"
#define HOSTILE_TITLE	"\033]0;pwned\007"
#define HOSTILE_CLEAR	"\033[2J\033[H"
#define HOSTILE_C1	"\302\233" "31m \233" "31m"
#define HOSTILE_BIDI	"\342\200\256desrever"
#define HOSTILE_BYTES	"\377\376\300\257"
#define HOSTILE_LINES	"one\rtwo\nthree\bfour\v\177"

static int make_hostile(const struct sample *sample, const char *path, struct ft_error *err)
{
	static const char *const texts[] = { HOSTILE_COLOUR, HOSTILE_TITLE, HOSTILE_CLEAR,
					     HOSTILE_C1, HOSTILE_BIDI,
					     HOSTILE_BYTES, HOSTILE_LINES };
	static const char cmdlines[] = "1 " HOSTILE_COLOUR "\n2 " HOSTILE_TITLE
				       "\n3 a" HOSTILE_CLEAR "\n4 " HOSTILE_C1 "\n5 " HOSTILE_BIDI
				       "\n6 " HOSTILE_BYTES "\n7 tab\tand\rreturn\n";
	static const char kallsyms[] = "ffffffff81000000 T sym" HOSTILE_COLOUR "\n";
	struct trace_writer *w = begin(path, 7, cmdlines, err);
	uint8_t page[4096], payload[128];
	struct gen_page p;
	uint32_t size;

	(void)sample;
	if (!w)
		return -1;
	trace_writer_text(w, TRACE_TEXT_KALLSYMS, kallsyms, sizeof(kallsyms) - 1);
	option_text(w, TRACE_OPTION_UNAME, "Linux " HOSTILE_TITLE);
	option_text(w, TRACE_OPTION_VERSION, HOSTILE_COLOUR);
	gen_page_begin(&p, &usual, page, 5000000000ull);
	for (int i = 0; i < 7; i++) {
		size = gen_payload_text(&usual, payload, i + 1, texts[i]);
		gen_page_record(&p, 1000, payload, size, false);
		size = gen_payload_print(&usual, payload, i + 1, texts[i]);
		gen_page_record(&p, 1000, payload, size, false);
	}
	gen_page_end(&p, GEN_LOST_NONE, 0);
	return end(w, page, err);
}

/* Stamps whose 59 bits wrap, and lost marks of both kinds. */
static int make_wrap(const struct sample *sample, const char *path, struct ft_error *err)
{
	const struct gen_options options = {
		.seed = sample->arg, .layout = { 512, 8, false }, .nr_cpus = 2, .pages = 8,
		.features = GEN_WRAP | GEN_ABSOLUTE | GEN_EXTEND | GEN_LOST_MARKS | GEN_LOST_COUNTS,
	};
	const struct gen_file file = { .version = 7 };
	struct gen_trace *trace = gen_trace_new(&options);
	const struct gen_trace *traces[] = { trace };
	int ret = gen_write(path, &file, traces, NULL, 1, err);

	gen_trace_free(trace);
	return ret;
}

static const struct sample samples[] = {
	{ "v6", "version 6, two CPUs", make_generated, V6 },
	{ "v6-be32", "version 6, big endian, 32 bits", make_generated, V6_BE32 },
	{ "v6-buffers", "version 6, two instances", make_generated, V6_BUFFERS },
	{ "v6-latency", "version 6, latency text", make_generated, V6_LATENCY },
	{ "v6-options", "version 6, many options", make_options, 6 },
	{ "v7", "version 7, two CPUs", make_generated, V7 },
	{ "v7-be32", "version 7, big endian, 32 bits", make_generated, V7_BE32 },
	{ "v7-be64", "version 7, big endian", make_generated, V7_BE64 },
	{ "v7-le32", "version 7, 32 bits", make_generated, V7_LE32 },
	{ "v7-zlib", "version 7, zlib", make_generated, V7_ZLIB },
	{ "v7-zstd", "version 7, zstd", make_generated, V7_ZSTD },
	{ "v7-zstd-be", "version 7, zstd, big endian, 32 bits", make_generated, V7_ZSTD_BE },
	{ "v7-buffers", "version 7, two instances", make_generated, V7_BUFFERS },
	{ "v7-buffers-zstd", "version 7, two instances, zstd", make_generated, V7_BUFFERS_ZSTD },
	{ "v7-latency", "version 7, latency text", make_generated, V7_LATENCY },
	{ "v7-latency-zstd", "version 7, latency text, zstd", make_generated, V7_LATENCY_ZSTD },
	{ "v7-sparse", "version 7, CPUs 0, 37, 74, 111", make_generated, V7_SPARSE },
	{ "v7-empty", "version 7, no events", make_generated, V7_EMPTY },
	{ "v7-large-pages", "version 7, sub-buffers of 64 KiB", make_generated, V7_LARGE_PAGES },
	{ "v7-options", "version 7, every option", make_options, 7 },
	{ "wrap", "stamps above 2^63, lost events", make_wrap, 1 },
	{ "hostile", "escape sequences in every text", make_hostile, 0 },
};

unsigned int samples_nr(void)
{
	return sizeof(samples) / sizeof(samples[0]);
}

const struct sample *sample_at(unsigned int i)
{
	return i < samples_nr() ? &samples[i] : NULL;
}

const struct sample *sample_find(const char *name)
{
	for (unsigned int i = 0; i < samples_nr(); i++)
		if (!strcmp(samples[i].name, name))
			return &samples[i];
	return NULL;
}

int sample_write(const struct sample *sample, const char *path, struct ft_error *err)
{
	return sample->make(sample, path, err);
}
