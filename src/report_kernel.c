/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report_kernel.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/btf.h"
#include "parsers/kernel_graph.h"
#include "parsers/kernel_text.h"
#include "parsers/printer.h"
#include "parsers/record_text.h"
#include "parsers/trace_file.h"
#include "src/kernel_order.h"
#include "src/memory.h"
#include "src/report_kernel_header.h"

#define FLAG_HARDIRQ	0x08
#define FLAG_SOFTIRQ	0x10

/* --- options ------------------------------------------------------------- */

enum {
	OPT_ANNOTATE, OPT_CONTEXT_INFO, OPT_ABSTIME, OPT_ARGS, OPT_CPU, OPT_DURATION, OPT_IRQS, OPT_OVERHEAD, OPT_OVERRUN,
	OPT_PROC, OPT_RETADDR, OPT_RETVAL, OPT_RETVAL_HEX, OPT_TAIL, OPT_IRQ_INFO, OPT_LATENCY_FORMAT, OPT_PRINT_PARENT,
	OPT_SYM_ADDR, OPT_SYM_OFFSET, OPT_VERBOSE, NR_OPTIONS,
};

static const struct report_kernel_option options[NR_OPTIONS] = {
	[OPT_ANNOTATE]	     = { "annotate", "say where a CPU's events begin, if some were overwritten (on)" },
	[OPT_CONTEXT_INFO]   = { "context-info", "task, CPU, flags and time before each event (on)" },
	[OPT_ABSTIME]	     = { "funcgraph-abstime", "the time of each line of a graph" },
	[OPT_ARGS]	     = { "funcgraph-args", "arguments of calls, where they were recorded" },
	[OPT_CPU]	     = { "funcgraph-cpu", "the column of CPUs (on)" },
	[OPT_DURATION]	     = { "funcgraph-duration", "the column of durations (on)" },
	[OPT_IRQS]	     = { "funcgraph-irqs", "what ran in interrupts (on)" },
	[OPT_OVERHEAD]	     = { "funcgraph-overhead", "marks of long durations (on)" },
	[OPT_OVERRUN]	     = { "funcgraph-overrun", "calls that were too deep to be traced" },
	[OPT_PROC]	     = { "funcgraph-proc", "the task of each line" },
	[OPT_RETADDR]	     = { "funcgraph-retaddr", "where calls came from, where that was recorded" },
	[OPT_RETVAL]	     = { "funcgraph-retval", "return values, where they were recorded" },
	[OPT_RETVAL_HEX]     = { "funcgraph-retval-hex", "errors in hexadecimal, too" },
	[OPT_TAIL]	     = { "funcgraph-tail", "the function's name at its end" },
	[OPT_IRQ_INFO]	     = { "irq-info", "the column of flags (on)" },
	[OPT_LATENCY_FORMAT] = { "latency-format", "times from the first event on, with marks of the delays" },
	[OPT_PRINT_PARENT]   = { "print-parent", "the callers of traced functions (on)" },
	[OPT_SYM_ADDR]	     = { "sym-addr", "addresses behind the symbols" },
	[OPT_SYM_OFFSET]     = { "sym-offset", "offsets in functions" },
	[OPT_VERBOSE]	     = { "verbose", "with latency-format: all in words; types of system calls' arguments" },
};

const struct report_kernel_option *report_kernel_options(unsigned int *nr)
{
	*nr = NR_OPTIONS;
	return options;
}

static int find_option(const char *name)
{
	for (int i = 0; i < NR_OPTIONS; i++)
		if (!strcmp(options[i].name, name))
			return i;
	return -1;
}

static int set_options(bool set[NR_OPTIONS], const struct report_options *o, struct ft_error *err)
{
	static const int on[] = { OPT_ANNOTATE, OPT_CONTEXT_INFO, OPT_IRQ_INFO, OPT_PRINT_PARENT, OPT_CPU, OPT_DURATION,
				  OPT_IRQS, OPT_OVERHEAD };

	for (size_t i = 0; i < sizeof(on) / sizeof(on[0]); i++)
		set[on[i]] = true;
	for (unsigned int i = 0; i < o->nr_plugin_options; i++) {
		const char *name = o->plugin_options[i];
		bool no = !strncmp(name, "no", 2) && find_option(name) < 0;
		int found = find_option(name + (no ? 2 : 0));

		if (found < 0)
			return ft_error_set(err, FT_E_USAGE, -1,
					    "-O %s: the kernel's text has no such option; -O list shows those it has", name);
		set[found] = !no;
	}
	return 0;
}

/* --- one buffer ---------------------------------------------------------- */

struct file_text {
	struct kernel_text	*text;		/* owned: what the kernel prints by code of its own */
	struct record_text	*texts;		/* owned: what it prints by formats */
	struct printer		*printer;	/* borrowed: for formats that cannot be read */
	struct btf		*btf;		/* owned, or NULL */
	bool			 counts;	/* its clock is no time */
};

struct kernel_report {
	struct trace		*trace;
	const struct report_options *options;
	const struct report_window *window;
	struct report_filter	*filter;	/* or NULL */
	struct output		*out;
	int64_t			 counted;	/* records that were wanted */
	bool			 set[NR_OPTIONS];
	struct file_text	*files;		/* owned, by file */
	/* the buffer that is being printed */
	struct report_kernel_header header;
	unsigned int		 file;
	bool			*streams;	/* owned, [trace_nr_streams()] */
	bool			*started;	/* owned, by stream: its first event was shown */
	struct kernel_graph_options graph_options;
	struct kernel_graph	*graph;		/* owned; NULL: the tracer is another one */
	bool			 annotate;
	uint64_t		 nr_printed;
	int64_t			 origin;	/* latency-format: time of the first event */
};

/* "overrun: 1113" of a CPU's statistics; the first ones are those of the top buffer. */
static uint64_t count_overruns(const struct trace_file *file, unsigned int nr_cpus)
{
	uint64_t sum = 0;

	for (unsigned int i = 0; i < trace_file_nr_options(file) && nr_cpus; i++) {
		const struct trace_file_option *o = trace_file_option(file, i);
		const char *at;
		struct text t = { 0 };

		if (o->id != TRACE_OPTION_CPUSTAT)
			continue;
		nr_cpus--;
		text_bytes(&t, (const char *)o->data, o->size);
		at = strstr(text_str(&t), "\noverrun:");
		if (at)
			sum += strtoull(at + strlen("\noverrun:"), NULL, 10);
		text_fini(&t);
	}
	return sum;
}

static bool is_wanted(const struct kernel_report *r, const struct trace_event *e)
{
	const struct report_options *o = r->options;

	if (e->kind != TRACE_ROW_EVENT)
		return false;
	if (o->cpus && (e->cpu < 0 || (unsigned int)e->cpu >= o->nr_cpus || !o->cpus[e->cpu]))
		return false;
	if (o->no_irqs && (e->flags & FLAG_HARDIRQ))
		return false;
	return !o->no_softirqs || !(e->flags & FLAG_SOFTIRQ);
}

static bool in_time(const struct kernel_report *r, const struct trace_event *e)
{
	return (!r->window->has_from || e->ts >= r->window->from) && (!r->window->has_to || e->ts <= r->window->to);
}

/* --- a line -------------------------------------------------------------- */

static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static void add_time(const struct kernel_report *r, uint64_t ts, struct text *out)
{
	if (r->files[r->file].counts) {
		text_printf(out, " %12" PRIu64, ts);
		return;
	}
	ts = to_us(ts);
	text_printf(out, " %5" PRIu64 ".%06" PRIu64, ts / 1000000, ts % 1000000);
}

static void add_flags(const struct kernel_report *r, const struct trace_event *e, struct text *out)
{
	size_t begin = out->len;

	trace_latency_flags(e, out);
	if (r->header.columns != REPORT_KERNEL_FOUR || out->len - begin < 5)
		return;
	/* Before migrate-disable was told the whole count was printed as one number. */
	out->len = begin + 3;
	if (e->preempt_count)
		text_printf(out, "%x", e->preempt_count);
	else
		text_char(out, '.');
}

/* "            bash-1234    [001] d..2.    12.345678: " */
static void add_context(struct kernel_report *r, const struct kernel_record *record, struct text *out)
{
	const struct trace_event *e = &record->event;

	text_printf(out, "%16s-%-7d [%03d] ", kernel_text_comm(r->files[r->file].text, e->pid), e->pid, e->cpu);
	if (r->set[OPT_IRQ_INFO])
		add_flags(r, e, out);
	add_time(r, (uint64_t)record->ts, out);
	text_add(out, ": ");
}

/* "    bash-1234      1d..2.   12us+: ", in words with `verbose` */
static void add_latency_context(struct kernel_report *r, const struct kernel_record *record, struct text *out)
{
	const struct trace_event *e = &record->event;
	const char *comm = kernel_text_comm(r->files[r->file].text, e->pid);
	uint64_t since = (uint64_t)(record->ts - r->origin), delay = (uint64_t)(record->next_ts - record->ts);
	bool verbose = r->set[OPT_VERBOSE], counts = r->files[r->file].counts;

	if (!counts) {
		since = to_us(since);
		delay = to_us(delay);
	}
	if (verbose) {
		text_printf(out, "%16s %7d %3d %d %08x %08" PRIx64 " ", comm, e->pid, e->cpu, e->flags, e->preempt_count & 0xfu,
			    r->nr_printed);
		if (counts)
			text_printf(out, "[%016" PRIx64 "] %" PRIu64 " (+%" PRIu64 "): ", (uint64_t)record->ts, since, delay);
		else
			text_printf(out, "[%08" PRIx64 "] %" PRIu64 ".%03" PRIu64 "ms (+%" PRIu64 ".%03" PRIu64 "ms): ",
				    to_us((uint64_t)record->ts), since / 1000, since % 1000, delay / 1000, delay % 1000);
		return;
	}
	text_printf(out, "%8.8s-%-7d %3d", comm, e->pid, e->cpu);
	add_flags(r, e, out);
	if (counts)
		text_printf(out, " %4" PRIu64 ": ", since);
	else
		text_printf(out, " %4" PRIu64 "us%c: ", since, text_duration_mark(delay * 1000));
}

static void add_body(struct kernel_report *r, const struct trace_event *e, const struct print_record *rec, struct text *out)
{
	struct file_text *file = &r->files[r->file];
	size_t begin = out->len;

	if (kernel_text_add(file->text, rec, out) == KERNEL_TEXT_WHOLE)
		return;
	out->len = begin;
	if (!e->type) {
		text_printf(out, "Unknown type %d\n", e->type_id);
		return;
	}
	text_printf(out, "%s: ", e->type->name);
	if (!record_text_add(file->texts, TEXT_KERNEL, rec, NULL, NULL, out))
		printer_text(file->printer, PRINT_TRACE_CMD, rec, NULL, NULL, out);
	text_char(out, '\n');
}

static void add_plain_line(struct kernel_report *r, const struct kernel_record *record, const struct print_record *rec,
			   struct text *out)
{
	const struct trace_event *e = &record->event;

	if (r->annotate && !r->started[e->stream] && r->nr_printed)
		text_printf(out, "##### CPU %d buffer started ####\n", e->cpu);
	r->started[e->stream] = true;
	if (r->set[OPT_CONTEXT_INFO] && !kernel_text_stands_alone(r->files[r->file].text, rec)) {
		if (r->set[OPT_LATENCY_FORMAT])
			add_latency_context(r, record, out);
		else
			add_context(r, record, out);
	}
	add_body(r, e, rec, out);
}

static struct print_record print_record_of(const struct trace_event *e, int64_t ts)
{
	return (struct print_record){ .type = e->type, .data = e->data, .size = e->size, .room = e->room, .ts = (uint64_t)ts,
				      .cpu = e->cpu };
}

/* A record of a function_graph trace: a call, its end, or a comment between. */
static void add_graph_line(struct kernel_report *r, struct kernel_order *order, const struct kernel_record *record,
			   const struct print_record *rec, struct text *out)
{
	struct kernel_graph_record g = { .rec = *rec, .pid = record->event.pid };
	struct print_record next;
	struct text flags = { 0 };
	size_t begin;

	if (record->next)
		next = print_record_of(record->next, record->next->ts);
	if (r->graph_options.latency) {
		add_flags(r, &record->event, &flags);
		g.flags = text_str(&flags);
	}
	switch (kernel_graph_add(r->graph, &g, record->next ? &next : NULL, record->next ? record->next->pid : 0, out)) {
	case KERNEL_GRAPH_DONE:
		break;
	case KERNEL_GRAPH_MERGED:
		kernel_order_skip_next(order, record);
		break;
	case KERNEL_GRAPH_COMMENT:
		begin = out->len;
		if (!kernel_text_message(r->files[r->file].text, rec, out))
			add_body(r, &record->event, rec, out);
		kernel_graph_end_comment(out, begin);
		break;
	case KERNEL_GRAPH_PLAIN:
		add_plain_line(r, record, rec, out);
		break;
	}
	text_fini(&flags);
}

static void add_line(struct kernel_report *r, struct kernel_order *order, const struct kernel_record *record, struct text *out)
{
	struct print_record rec = print_record_of(&record->event, record->ts);

	if (r->graph)
		add_graph_line(r, order, record, &rec, out);
	else
		add_plain_line(r, record, &rec, out);
	r->nr_printed++;
}

/* --- the lines of a buffer ------------------------------------------------ */

/* Where the window's last N events begin. */
static trace_ref find_tail(struct kernel_report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	trace_ref first = TRACE_REF_NONE;
	struct trace_event e;

	trace_cursor_only_streams(cursor, r->streams, trace_nr_streams(r->trace));
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (int64_t left = r->window->tail; left > 0 && trace_cursor_prev(cursor, &e);) {
		if (r->window->has_from && e.key < r->window->from)
			break;
		if (!is_wanted(r, &e) || !in_time(r, &e) || (r->filter && !report_filter_matches(r->filter, &e)))
			continue;
		first = e.ref;
		left--;
	}
	trace_cursor_free(cursor);
	return first;
}

/* The line of a record, if it is wanted.  True: it counts as one of those asked for. */
static bool show_record(struct kernel_report *r, struct kernel_order *order, const struct kernel_record *record)
{
	struct text *out = &r->out->block;
	size_t start = out->len;
	bool counted = true;

	if (r->filter && !report_filter_wants(r->filter, &record->event, &counted))
		return false;
	if (r->options->count && !r->options->grep)
		return counted;
	add_line(r, order, record, out);
	if (r->filter && !report_filter_greps(r->filter, NULL, text_str(out) + start, out->len - start)) {
		out->len = start;
		return false;
	}
	if (r->options->count)
		out->len = start;
	return counted;
}

static int print_lines(struct kernel_report *r, struct ft_error *err)
{
	struct kernel_order *order = kernel_order_new(r->trace, r->streams);
	int64_t left = r->window->head >= 0 ? r->window->head : INT64_MAX, last;
	struct kernel_record record;
	int ret = 0;

	trace_span(r->trace, &r->origin, &last);
	if (r->window->tail >= 0)
		kernel_order_seek(order, find_tail(r));
	else
		kernel_order_seek_time(order, r->window->has_from ? r->window->from : INT64_MIN);
	while (left > 0 && !r->out->closed && !ret && kernel_order_next(order, &record)) {
		if (r->window->has_to && record.event.key > r->window->to)
			break;
		if (!is_wanted(r, &record.event) || !in_time(r, &record.event))
			continue;
		if (show_record(r, order, &record)) {
			r->counted++;
			left--;
		}
		ret = output_more(r->out, err);
	}
	kernel_order_free(order);
	return ret;
}

/* --- buffers -------------------------------------------------------------- */

static uint64_t take_streams(struct kernel_report *r, unsigned int file, unsigned int buffer)
{
	uint64_t events = 0;

	for (unsigned int i = 0; i < trace_nr_streams(r->trace); i++) {
		struct trace_stream_info info = trace_stream_info(r->trace, i);

		r->streams[i] = info.file == file && info.buffer == buffer;
		r->started[i] = false;
		if (r->streams[i])
			events += info.events;
	}
	return events;
}

static int print_buffer(struct kernel_report *r, unsigned int file, unsigned int buffer, bool named, struct ft_error *err)
{
	const struct trace_file *f = trace_file_of(r->trace, file);
	const struct trace_file_buffer *b = trace_file_buffer(f, buffer);
	uint64_t events = take_streams(r, file, buffer);
	uint64_t overruns = buffer ? 0 : count_overruns(f, (unsigned int)b->nr_cpus);
	int ret;

	r->file = file;
	r->nr_printed = 0;
	r->annotate = r->set[OPT_ANNOTATE] && overruns;
	r->header.latency = r->set[OPT_LATENCY_FORMAT];
	r->header.verbose = r->set[OPT_VERBOSE];
	r->header.no_flags = !r->set[OPT_IRQ_INFO];
	r->header.bare = !r->set[OPT_CONTEXT_INFO];
	report_kernel_header_init(&r->header, r->trace, file, r->streams, events, overruns);
	if (named && !r->options->count)
		text_printf(&r->out->block, "# buffer: %s\n", b->name[0] ? b->name : "(top)");
	if (!r->options->count)
		report_kernel_header_add(&r->header, &r->graph_options, &r->out->block);
	if (!strcmp(r->header.tracer, "function_graph"))
		r->graph = kernel_graph_new(r->files[file].text, trace_event_types(r->trace, file),
					    printer_kallsyms(r->files[file].printer), r->header.nr_cpus,
					    &r->graph_options);
	ret = print_lines(r, err);
	kernel_graph_free(r->graph);
	r->graph = NULL;
	return ret;
}

static int print_file(struct kernel_report *r, unsigned int file, struct ft_error *err)
{
	const struct trace_file *f = trace_file_of(r->trace, file);
	unsigned int nr = trace_file_nr_buffers(f);
	bool named = nr > 1 || trace_nr_files(r->trace) > 1;

	if (trace_nr_files(r->trace) > 1 && !r->options->count)
		text_printf(&r->out->block, "# file: %s\n", trace_path(r->trace, file));
	for (unsigned int i = 0; i < nr; i++)
		if (print_buffer(r, file, i, named, err))
			return -1;
	return 0;
}

int report_kernel(struct trace *trace, const struct report_options *o, const struct report_window *window,
		  struct report_filter *filter, struct output *out, int64_t *counted, struct ft_error *err)
{
	struct kernel_report r = { .trace = trace, .options = o, .window = window, .filter = filter, .out = out };
	unsigned int nr_files = trace_nr_files(trace), nr_streams = trace_nr_streams(trace);
	int ret = 0;

	if (set_options(r.set, o, err))
		return -1;
	trace_wait(trace);		/* the header counts the events */
	r.graph_options = (struct kernel_graph_options){
		.cpu = r.set[OPT_CPU], .overhead = r.set[OPT_OVERHEAD], .duration = r.set[OPT_DURATION], .irqs = r.set[OPT_IRQS],
		.proc = r.set[OPT_PROC], .abstime = r.set[OPT_ABSTIME], .tail = r.set[OPT_TAIL], .overrun = r.set[OPT_OVERRUN],
		.retval = r.set[OPT_RETVAL], .retval_hex = r.set[OPT_RETVAL_HEX], .retaddr = r.set[OPT_RETADDR],
		.args = r.set[OPT_ARGS], .latency = r.set[OPT_LATENCY_FORMAT], .context = r.set[OPT_CONTEXT_INFO],
	};
	r.streams = mem_array(nr_streams + 1, sizeof(*r.streams));
	r.started = mem_array(nr_streams + 1, sizeof(*r.started));
	r.files = mem_array(nr_files, sizeof(*r.files));
	for (unsigned int i = 0; i < nr_files; i++) {
		struct printer *printer = trace_printer(trace, i);
		uint64_t size;
		const char *btf = trace_file_section_text(trace_file_of(trace, i), TRACE_TEXT_BTF, &size);
		struct btf *names = btf_new(btf, size);
		struct kernel_text_options how = { .sym_offset = r.set[OPT_SYM_OFFSET], .sym_addr = r.set[OPT_SYM_ADDR],
						   .no_print_parent = !r.set[OPT_PRINT_PARENT],
						   .verbose = r.set[OPT_VERBOSE],
						   .counts = trace_unit(trace) == TRACE_UNIT_COUNT, .btf = names };

		r.files[i] = (struct file_text){ .printer = printer, .counts = how.counts, .btf = names };
		r.files[i].texts = record_text_new(trace_file_of(trace, i), trace_event_types(trace, i),
						   printer_kallsyms(printer), NULL);
		r.files[i].text = kernel_text_new(trace_file_of(trace, i), trace_event_types(trace, i),
						  printer_kallsyms(printer), &how);
	}
	for (unsigned int i = 0; i < nr_files && !ret; i++)
		ret = print_file(&r, i, err);
	*counted = r.counted;
	for (unsigned int i = 0; i < nr_files; i++) {
		kernel_text_free(r.files[i].text);
		record_text_free(r.files[i].texts);
		btf_free(r.files[i].btf);
	}
	free(r.files);
	free(r.streams);
	free(r.started);
	return ret;
}
