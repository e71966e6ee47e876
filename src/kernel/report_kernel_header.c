/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/report_kernel_header.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/event_types.h"
#include "parsers/source/source.h"

#define MIGRATE_SINCE	(5u << 16 | 15)	/* first release that shows migrate-disable */
#define HALVES_SINCE	(5u << 16 | 19)	/* first release that shows bottom halves */

#define LOOK_AT		100000u		/* rows of a buffer examined to find its tracer */

/* --- facts about the trace ------------------------------------------------ */

/* The tracer that writes records of a type. */
static const char *tracer_of(const char *name)
{
	static const char *const pairs[][2] = {
		{ "function", "function" },	  { "func_repeats", "function" },
		{ "funcgraph_entry", "function_graph" },
		{ "funcgraph_exit", "function_graph" },
		{ "fgraph_retaddr_entry", "function_graph" },
		{ "hwlat", "hwlat" },		  { "osnoise", "osnoise" },	     { "timerlat",
			"timerlat" },
		{ "branch", "branch" },		  { "mmiotrace_rw", "mmiotrace" },
		{ "mmiotrace_map", "mmiotrace" },
		{ "blktrace", "blk" },
	};

	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++)
		if (!strcmp(pairs[i][0], name))
			return pairs[i][1];
	return NULL;
}

static const char *tracer_of_type(const struct event_type *type)
{
	return type && !strcmp(type->system, "ftrace") ? tracer_of(type->name) : NULL;
}

/*
 * The only tracer that wrote records of a file with one buffer; NULL if there is none, or several.
 */
static const char *only_tracer(struct trace *trace, unsigned int file)
{
	struct trace_type_count *counts;
	unsigned int nr = trace_type_counts(trace, &counts);
	bool several = source_nr_buffers(trace_file_of(trace, file)) > 1;
	const char *tracer = NULL;

	for (unsigned int i = 0; i < nr; i++) {
		const char *found = counts[i].file == file ? tracer_of_type(counts[i].type) : NULL;

		several |= found && tracer && strcmp(found, tracer);
		tracer = found ? found : tracer;
	}
	free(counts);
	return several ? NULL : tracer;
}

/*
 * A trace.dat does not name its tracer, but the tracer's records show it; they may be few and late
 * (osnoise: one a second).
 */
static const char *find_tracer(struct trace *trace, unsigned int file, const bool *streams)
{
	const char *tracer = only_tracer(trace, file);
	struct trace_cursor *cursor;
	struct trace_event e;

	if (tracer)
		return tracer;
	cursor = trace_cursor_new(trace);
	trace_cursor_only_streams(cursor, streams, trace_nr_streams(trace));
	trace_cursor_seek_time(cursor, INT64_MIN);
	for (unsigned int n = 0; n < LOOK_AT && !tracer && trace_cursor_next(cursor, &e); n++)
		if (e.kind == TRACE_ROW_EVENT)
			tracer = tracer_of_type(e.type);
	trace_cursor_free(cursor);
	return tracer ? tracer : "nop";
}

/* "Linux vm 6.1.192 x86_64": major << 16 | minor. */
static unsigned int read_release(struct report_kernel_header *h, const struct source *file)
{
	unsigned int major = 0, minor = 0;

	h->release[0] = '\0';
	if (sscanf(source_info(file)->uname, "%*s %*s %63s", h->release) != 1)
		return UINT32_MAX;
	if (sscanf(h->release, "%u.%u", &major, &minor) != 2 || major > 0xffff || minor > 0xffff)
		return UINT32_MAX;
	return major << 16 | minor;
}

/* PREEMPT_RT stored a count of lazy preemption in every event. */
static bool has_lazy_count(struct trace *trace, unsigned int file)
{
	const struct source *f = trace_file_of(trace, file);
	const struct source_format *format = source_nr_formats(f) ? source_format(f, 0) : NULL;
	const struct event_type *type = format ? event_types_find(trace_event_types(trace, file),
								  format->id) :
						 NULL;

	return type && event_type_field(type, "common_preempt_lazy_count");
}

void report_kernel_header_init(struct report_kernel_header *h, struct trace *trace,
			       unsigned int file, const bool *streams, uint64_t events,
			       uint64_t overruns)
{
	const struct source *f = trace_file_of(trace, file);
	unsigned int release = read_release(h, f);

	h->tracer = find_tracer(trace, file, streams);
	h->columns = has_lazy_count(trace, file) ? REPORT_KERNEL_SEVEN :
		     release < MIGRATE_SINCE     ? REPORT_KERNEL_FOUR :
						   REPORT_KERNEL_FIVE;
	h->bottom_half = release >= HALVES_SINCE;
	h->nr_cpus = source_info(f)->cpu_count > 0 ? (unsigned int)source_info(f)->cpu_count :
						     trace_nr_cpus(trace);
	h->entries = events;
	h->written = events + overruns;
}

/* --- its lines ------------------------------------------------------------ */

#define BARS	"||||||||"

struct legend {
	bool	rt;		/* with the flags of PREEMPT_RT */
	bool	halves;		/* irqs-off is shown for disabled bottom halves, too */
	bool	cpu;		/* the CPU's column comes first */
	int	nr;		/* lines */
	int	indent, width;	/* blanks before each line; cells of a name */
};

/* The legend of the flags: each line ends with a column's name. */
static void add_legend(struct legend l, struct text *out)
{
	static const char *const five[] = { "CPU#", "irqs-off", "need-resched", "hardirq/softirq",
					    "preempt-depth",
					    "migrate-disable" };
	static const char *const seven[] = { "CPU#", "irqs-off", "need-resched",
					     "need-resched-lazy", "hardirq/softirq",
					     "preempt-depth", "preempt-lazy-depth",
					     "migrate-disable" };
	int first = l.cpu ? 0 : 1, most = l.rt ? 8 : 6;

	for (int i = first; i < first + l.nr; i++) {
		const char *name = i == 1 && l.halves ? "irqs-off/BH-disabled" :
				   l.rt               ? seven[i] :
							five[i];
		int bars = i > first ? i - first - 1 : 0;

		text_printf(out, "#%*s%.*s%s_%.*s=> %-*s\n", l.indent, "", bars, BARS,
			    i > first ? " / " : "  ", most - i, "--------", l.width, name);
	}
}

static void add_columns(const struct report_kernel_header *h, struct text *out)
{
	static const char *const names[] = { "||||   TIMESTAMP  FUNCTION",
					     "|||||  TIMESTAMP  FUNCTION",
					     "|||||||  TIMESTAMP  FUNCTION" };
	static const char *const bars[] = { "||||      |         |", "|||||     |         |",
					    "|||||||      |         |" };

	int nr = h->columns == REPORT_KERNEL_FOUR ? 4 :
		 h->columns == REPORT_KERNEL_FIVE ? 5 :
						    7,
	    indent = h->tgid ? 40 : 30;

	text_printf(out,
		    "# entries-in-buffer/entries-written: %" PRIu64 "/%" PRIu64 "   #P:%u\n#\n",
		    h->entries, h->written, h->nr_cpus);
	if (!h->no_flags) {
		add_legend((struct legend){ .rt = nr == 7,
					    .halves = h->bottom_half,
					    .nr = nr,
					    .indent = indent },
			   out);
		text_printf(out, "#%*s%.*s /     delay\n", indent, "", nr - 1, BARS);
	}
	text_printf(out, "#           TASK-PID  %s CPU#  %s\n", h->tgid ? "     TGID   " : "  ",
		    h->no_flags ? "   TIMESTAMP  FUNCTION" : names[h->columns]);
	text_printf(out, "#              | |    %s   |   %s\n", h->tgid ? "       |    " : "  ",
		    h->no_flags ? "      |         |" : bars[h->columns]);
}

static void add_latency(const struct report_kernel_header *h, bool bare, struct text *out)
{
	bool rt = h->columns == REPORT_KERNEL_SEVEN;
	int nr = rt ? 8 : 6;

	text_printf(out,
		    "# %s latency trace v1.1.5 on %s\n"
		    "# --------------------------------------------------------------------\n"
		    "# latency: 0 us, #%" PRIu64 "/%" PRIu64
		    ", CPU#0 | (M:unknown VP:0, KP:0, SP:0 HP:0 #P:%u)\n"
		    "#    -----------------\n"
		    "#    | task: -0 (uid:0 nice:0 policy:0 rt_prio:0)\n"
		    "#    -----------------\n"
		    "#\n",
		    h->tracer, h->release, h->entries, h->written, h->nr_cpus);
	if (bare)
		return;
	add_legend((struct legend){ .rt = rt,
				    .halves = h->bottom_half,
				    .cpu = true,
				    .nr = nr,
				    .indent = 18,
				    .width = 16 },
		   out);
	text_printf(out, "#%18s%.*s /     delay           \n", "", nr - 1, BARS);
	text_printf(out, "#  cmd     pid     %.*s time  |   caller     \n", nr, BARS);
	text_printf(out, "#     \\   /        %.*s  \\    |    /       \n", nr, BARS);
}

/* osnoise and timerlat have their own columns. */
static void add_osnoise(bool rt, struct text *out)
{
	int bars = rt ? 7 : 5;

	add_legend((struct legend){ .rt = rt, .nr = rt ? 7 : 4, .indent = 30 }, out);
	text_add(
		out,
		rt ? "#                              |||||| /                                               MAX\n"
		     "#                              ||||| /                                             SINGLE" :
		     "#                              ||| / _-=> migrate-disable                         MAX\n"
		     "#                              |||| /     delay                                   SINGLE");
	text_add(out, "      Interference counters:\n");
	text_printf(
		out,
		"#%30s%.*s               RUNTIME      NOISE  %%%% OF CPU  NOISE    +-----------------------------+\n",
		"", bars, BARS);
	text_printf(
		out,
		"#           TASK-PID      CPU# %.*s   TIMESTAMP    IN US       IN US  AVAILABLE  IN US     "
		"HW    NMI    IRQ   SIRQ THREAD\n",
		bars, BARS);
	text_printf(
		out,
		"#              | |         |   %.*s      |           |             |    |            |      "
		"|      |      |      |      |\n",
		bars, BARS);
}

static void add_timerlat(bool rt, struct text *out)
{
	add_legend((struct legend){ .rt = rt, .nr = rt ? 7 : 5, .indent = 30 }, out);
	text_add(
		out,
		rt ? "#                              |||||| /\n"
		     "#                              |||||||             ACTIVATION\n"
		     "#           TASK-PID      CPU# |||||||   TIMESTAMP    ID            CONTEXT                LATENCY\n"
		     "#              | |         |   |||||||" :
		     "#                              |||| /     delay\n"
		     "#                              |||||            ACTIVATION\n"
		     "#           TASK-PID      CPU# |||||   TIMESTAMP   ID            CONTEXT                 LATENCY\n"
		     "#              | |         |   |||||");
	text_add(out, "      |         |                  |                       |\n");
}

/* A function_graph trace in latency format has its own legend, aligned with its columns. */
static void add_graph(const struct report_kernel_header *h, const struct kernel_graph_options *o,
		      struct text *out)
{
	int size = (o->abstime ? 16 : 0) + (o->cpu ? 4 : 0) + (o->proc ? 17 : 0);

	if (o->latency && o->context && h->entries) {
		add_latency(h, true, out);
		add_legend((struct legend){ .nr = 4, .indent = size, .width = 16 }, out);
		text_printf(out, "#%*s||| /%22s\n", size, "", "");
	}
	kernel_graph_header(o, out);
}

void report_kernel_header_add(const struct report_kernel_header *h,
			      const struct kernel_graph_options *graph, struct text *out)
{
	text_printf(out, "# tracer: %s\n#\n", h->tracer);
	if (!strcmp(h->tracer, "osnoise"))
		add_osnoise(h->columns == REPORT_KERNEL_SEVEN, out);
	else if (!strcmp(h->tracer, "timerlat"))
		add_timerlat(h->columns == REPORT_KERNEL_SEVEN, out);
	else if (!strcmp(h->tracer, "function_graph"))
		add_graph(h, graph, out);
	else if (!strcmp(h->tracer, "branch"))
		text_add(out, "#           TASK-PID    CPU#    TIMESTAMP  CORRECT  FUNC:FILE:LINE\n"
			      "#              | |       |          |         |       |\n");
	else if (!strcmp(h->tracer, "blk") && h->classic)
		text_add(
			out,
			"# DEV   CPU TIMESTAMP     PID ACT FLG\n#  |     |     |           |   |   |\n");
	else if (!strcmp(h->tracer, "blk") || h->bare)
		return;
	else if (h->latency && h->entries)
		add_latency(h, h->verbose, out);
	else if (!h->latency && !h->verbose)
		add_columns(h, out);
}
