/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_lines.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/types/btf.h"
#include "parsers/text/kernel_graph.h"
#include "parsers/text/kernel_text.h"
#include "parsers/printer/printer.h"
#include "parsers/text/record_text.h"
#include "parsers/file/trace_file.h"
#include "parsers/source/record_bound.h"
#include "parsers/source/source.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_record.h"
#include "parsers/lines/line_source.h"
#include "parsers/types/user_symbols.h"
#include "src/base/memory.h"
#include "src/kernel/kernel_fields.h"
#include "src/kernel/report_kernel_header.h"
#include "src/trace/trace_streams.h"
#include "src/trace/trace_user.h"

#define MOST_FRAMES	64u		/* of a user stack; the kernel records 8 */

struct kernel_texts {
	struct trace		*trace;
	unsigned int		 file;
	struct kernel_options	 options;
	struct kernel_text_options how;
	struct kernel_text	*text;		/* owned: for texts that the kernel prints by
						 * code */
	struct record_text	*texts;		/* owned: for texts that it prints by formats */
	struct printer		*printer;	/* borrowed: for formats that cannot be parsed */
	struct btf		*btf;		/* owned, or NULL */
	bool			 counts;	/* the clock does not count time */
};

struct kernel_lines {
	const struct kernel_texts *texts;	/* borrowed */
	struct report_kernel_header header;
	struct kernel_graph_options graph_options;
	struct kernel_graph	*graph;		/* owned; NULL with another tracer */
	struct kernel_order	*order;		/* owned */
	bool			*streams;	/* owned, [trace_nr_streams()]: is the stream in
						 * this buffer? */
	bool			*started;	/* owned, by stream: an event of it has been
						 * shown */
	bool			 annotate, mmio;	/* annotate: mark where CPUs begin; mmio:
							 * the tracer is mmiotrace */
	int			 long_size;	/* of the kernel */
	uint64_t		 nr_printed;
	int64_t			 origin;	/* latency-format: time of the first event */
	const struct line_file_info *own;	/* header and form of a text that a kernel wrote;
						 * NULL: it is none */
};

/* --- texts of a file ------------------------------------------------------ */

struct kernel_texts *kernel_texts_new(struct trace *trace, unsigned int file,
				      const struct kernel_options *options)
{
	struct kernel_texts *t = mem_alloc(sizeof(*t));
	const struct source *f = trace_file_of(trace, file);
	struct event_types *types = trace_event_types(trace, file);
	const bool *set = options->set;
	struct kernel_text_options how = { .sym_offset = set[KERNEL_OPT_SYM_OFFSET],
					   .sym_addr = set[KERNEL_OPT_SYM_ADDR],
					   .no_print_parent = !set[KERNEL_OPT_PRINT_PARENT],
					   .verbose = set[KERNEL_OPT_VERBOSE],
					   .bitmask_list = set[KERNEL_OPT_BITMASK_LIST],
					   .blk_classic = set[KERNEL_OPT_BLK_CLASSIC],
					   .counts = trace_unit(trace) == TRACE_UNIT_COUNT };
	const char *btf;
	uint64_t size;

	*t = (struct kernel_texts){
		.trace = trace, .file = file, .options = *options, .counts = how.counts
	};
	btf = source_text(f, TRACE_TEXT_BTF, &size);
	how.btf = t->btf = btf_new(btf, size);
	t->how = how;
	t->printer = trace_printer(trace, file);
	t->texts = record_text_new(f, types, printer_kallsyms(t->printer),
				   &(struct record_text_options){ .kernel = &t->how });
	t->text = kernel_text_new(f, types, printer_kallsyms(t->printer), &t->how);
	return t;
}

void kernel_texts_free(struct kernel_texts *t)
{
	if (!t)
		return;
	kernel_text_free(t->text);
	record_text_free(t->texts);
	btf_free(t->btf);
	free(t);
}

/* --- a line -------------------------------------------------------------- */

static uint64_t to_us(uint64_t ns)
{
	return (ns + 500) / 1000;
}

static void add_time(const struct kernel_lines *l, uint64_t ts, struct text *out)
{
	if (l->texts->counts) {
		text_printf(out, " %12" PRIu64, ts);
		return;
	}
	ts = to_us(ts);
	text_printf(out, " %5" PRIu64 ".%06" PRIu64, ts / 1000000, ts % 1000000);
}

static void add_flags(const struct kernel_lines *l, const struct trace_event *e, struct text *out)
{
	size_t begin = out->len;

	trace_latency_flags(e, out);
	if (l->header.columns != REPORT_KERNEL_FOUR || out->len - begin < 5)
		return;
	/* before migrate-disable existed, the whole count was printed as one number */
	out->len = begin + 3;
	if (e->preempt_count)
		text_printf(out, "%x", e->preempt_count);
	else
		text_char(out, '.');
}

static void add_tgid(const struct kernel_lines *l, int pid, struct text *out)
{
	int tgid = kernel_text_tgid(l->texts->text, pid);

	if (tgid)
		text_printf(out, "(%7d) ", tgid);
	else
		text_add(out, "(-------) ");
}

/*
 * "            bash-1234    [001] d..2.    12.345678: ", with "(   1234) " before the CPU if
 * record-tgid is set
 */
static void add_context(struct kernel_lines *l, const struct kernel_record *record,
			struct text *out)
{
	const struct trace_event *e = &record->event;

	text_printf(out, "%16s-%-7d ", kernel_text_comm(l->texts->text, e->pid), e->pid);
	if (l->header.tgid)
		add_tgid(l, e->pid, out);
	text_printf(out, "[%03d] ", e->cpu);
	if (l->texts->options.set[KERNEL_OPT_IRQ_INFO])
		add_flags(l, e, out);
	add_time(l, (uint64_t)record->ts, out);
	text_add(out, ": ");
}

/* "    bash-1234      1d..2.   12us+: ", or in words with `verbose` */
static void add_latency_context(struct kernel_lines *l, const struct kernel_record *record,
				struct text *out)
{
	const struct trace_event *e = &record->event;
	const char *comm = kernel_text_comm(l->texts->text, e->pid);
	uint64_t since = (uint64_t)(record->ts - l->origin),
		 delay = (uint64_t)(record->next_ts - record->ts);
	bool verbose = l->texts->options.set[KERNEL_OPT_VERBOSE], counts = l->texts->counts;

	if (!counts)
		since = to_us(since);
	if (verbose) {
		text_printf(out, "%16s %7d %3d %d %08x %08" PRIx64 " ", comm, e->pid, e->cpu,
			    e->flags, e->preempt_count & 0xfu, l->nr_printed);
		if (counts)
			text_printf(out, "[%016" PRIx64 "] %" PRIu64 " (+%" PRIu64 "): ",
				    (uint64_t)record->ts, since, delay);
		else
			text_printf(out,
				    "[%08" PRIx64 "] %" PRIu64 ".%03" PRIu64 "ms (+%" PRIu64
				    ".%03" PRIu64 "ms): ",
				    to_us((uint64_t)record->ts), since / 1000, since % 1000,
				    to_us(delay) / 1000, to_us(delay) % 1000);
		return;
	}
	text_printf(out, "%8.8s-%-7d %3d", comm, e->pid, e->cpu);
	add_flags(l, e, out);
	if (counts)
		text_printf(out, " %4" PRIu64 ": ", since);
	else
		text_printf(out, " %4" PRIu64 "us%c: ", since, text_delay_mark(delay));
}

/*
 * With sym-userobj: the files that had the addresses when these were recorded, and the distance
 * from the start of the mapping.  The kernel looks at the process when the text is read; if that
 * has ended, it prints addresses, as here where the trace has no mapping.
 */
static void add_user_stack(const struct kernel_lines *l, const struct trace_event *e,
			   struct text *out)
{
	struct trace *trace = l->texts->trace;
	const struct user_symbols *symbols = trace_user_symbols(trace, e->file);
	uint64_t addresses[MOST_FRAMES];
	unsigned int nr = trace_event_addresses(trace, e, addresses, MOST_FRAMES);
	struct user_place place;

	text_add(out, "<user stack trace>\n");
	for (unsigned int i = 0; i < nr; i++) {
		const struct user_map *map = trace_user_map(trace, e, addresses[i], NULL);
		bool has_file = user_symbols_place(symbols, map, addresses[i], &place) &&
				*place.file->path == '/' && !place.file->by_address;

		text_add(out, " => ");
		if (has_file)
			text_printf(out, "%s[+0x%" PRIx64 "]", place.file->path,
				    addresses[i] - map->from);
		if (!has_file || l->texts->how.sym_addr)
			text_printf(out,
				    l->long_size == 4 ? " <%08" PRIx64 ">" : " <%016" PRIx64 ">",
				    addresses[i]);
		text_char(out, '\n');
	}
}

static void add_body(struct kernel_lines *l, const struct trace_event *e,
		     const struct print_record *rec, struct text *out)
{
	const struct kernel_texts *texts = l->texts;
	size_t begin = out->len;

	if (texts->options.set[KERNEL_OPT_SYM_USEROBJ] && trace_event_is_stack(e) &&
	    !strcmp(e->type->name, "user_stack")) {
		add_user_stack(l, e, out);
		return;
	}
	if (kernel_text_add(texts->text, rec, out) == KERNEL_TEXT_WHOLE)
		return;
	text_cut(out, begin);
	if (!e->type) {
		text_printf(out, "Unknown type %d\n", e->type_id);
		return;
	}
	text_printf(out, "%s: ", e->type->name);
	if (source_info(trace_file_of(texts->trace, texts->file))->is_text ||
	    !record_text_add(texts->texts, TEXT_KERNEL, rec, NULL, NULL, out))
		printer_text(texts->printer, PRINT_TRACE_CMD, rec, NULL, NULL, out);
	text_char(out, '\n');
}

/* print_raw_fmt(), print_hex_fmt() of the kernel */
static void add_raw_line(struct kernel_lines *l, const struct kernel_record *record, bool hex,
			 const struct print_record *rec, struct text *out)
{
	const struct trace_event *e = &record->event;

	if (!l->header.bare)
		text_printf(out, hex ? "%08x %08x %016" PRIx64 " " : "%d %d %" PRIu64 " ", e->pid,
			    e->cpu, (uint64_t)record->ts);
	if (!kernel_text_raw(l->texts->text, rec, hex, out))
		text_printf(out, "type: %d\n", e->type_id);
	if (hex)
		text_char(out, '\n');
}

/*
 * With mmiotrace, the text has the format of its tools; of other events it only shows text written
 * to trace_marker.
 */
static void add_mmio_line(struct kernel_lines *l, const struct trace_event *e,
			  const struct print_record *rec, struct text *out)
{
	uint64_t us = to_us(rec->ts);

	if (kernel_text_stands_alone(l->texts->text, rec)) {
		add_body(l, e, rec, out);
	} else if (e->type && !strcmp(e->type->system, "ftrace") &&
		   !strcmp(e->type->name, "print")) {
		text_printf(out, "MARK %" PRIu64 ".%06" PRIu64 " ", us / 1000000, us % 1000000);
		kernel_text_message(l->texts->text, rec, out);
	}
}

static void add_plain_line(struct kernel_lines *l, const struct kernel_record *record,
			   const struct print_record *rec, struct text *out)
{
	const struct trace_event *e = &record->event;
	const bool *set = l->texts->options.set;

	if (set[KERNEL_OPT_PRINTK_MSG_ONLY] && kernel_text_message(l->texts->text, rec, out))
		return;
	if ((set[KERNEL_OPT_RAW] || set[KERNEL_OPT_HEX]) && !l->header.classic) {
		add_raw_line(l, record, set[KERNEL_OPT_HEX], rec, out);
		return;
	}
	if (l->annotate && !l->started[e->stream] && l->nr_printed)
		text_printf(out, "##### CPU %d buffer started ####\n", e->cpu);
	l->started[e->stream] = true;
	if (!l->header.bare) {
		if (set[KERNEL_OPT_LATENCY_FORMAT])
			add_latency_context(l, record, out);
		else
			add_context(l, record, out);
	}
	if (set[KERNEL_OPT_FIELDS] && e->type)
		kernel_fields_add(l->texts->text, printer_kallsyms(l->texts->printer), e->swap,
				  l->long_size, rec, out);
	else
		add_body(l, e, rec, out);
}

/* A record of a function_graph trace: a call, its end, or a comment in between. */
static void add_graph_line(struct kernel_lines *l, struct kernel_record *record,
			   const struct print_record *rec, struct text *out)
{
	struct kernel_graph_record g = { .rec = *rec, .pid = record->event.pid };
	struct print_record next;
	struct text flags = { 0 };
	size_t begin;

	if (record->next)
		next = trace_print_record(record->next);
	if (l->graph_options.latency) {
		add_flags(l, &record->event, &flags);
		g.flags = text_str(&flags);
	}
	switch (kernel_graph_add(l->graph, &g, record->next ? &next : NULL,
				 record->next ? record->next->pid : 0, out)) {
	case KERNEL_GRAPH_DONE:
		break;
	case KERNEL_GRAPH_MERGED:
		kernel_order_skip_next(l->order, record);
		break;
	case KERNEL_GRAPH_COMMENT:
		begin = out->len;
		if (!kernel_text_message(l->texts->text, rec, out))
			add_body(l, &record->event, rec, out);
		kernel_graph_end_comment(out, begin);
		break;
	case KERNEL_GRAPH_PLAIN:
		add_plain_line(l, record, rec, out);
		break;
	}
	text_fini(&flags);
}

void kernel_lines_lost(const struct trace_event *e, struct text *out)
{
	if (e->gap_is_start && !e->lost_known) {
		text_printf(out, "##### CPU %d buffer started ####\n", e->cpu);
		return;
	}
	text_printf(out, "CPU:%d [LOST ", e->cpu);
	if (e->lost_known)
		text_printf(out, "%llu ", (unsigned long long)e->lost_count);
	text_add(out, "EVENTS]\n");
}

/* The line as the text has it, below that about events that were lost. */
static void add_own_line(const struct kernel_lines *l, const struct trace_event *e,
			 struct text *out)
{
	struct text_slice lines = line_record_lines(e->data, e->size);
	struct trace_event lost;

	if (!lines.len)		/* an exit: its call is one line */
		return;
	if (trace_ref_item(e->ref) == 1 && trace_event_at(l->texts->trace, e->ref - 1, &lost) &&
	    lost.kind == TRACE_ROW_LOST)
		kernel_lines_lost(&lost, out);
	text_bytes(out, lines.s, lines.len);
	text_char(out, '\n');
}

void kernel_lines_add(struct kernel_lines *l, struct kernel_record *record, struct text *out)
{
	const struct source *file = trace_file_of(l->texts->trace, l->texts->file);
	struct print_record rec = trace_print_record(&record->event);
	bool begun = record_bound_begin(out);

	rec.ts = (uint64_t)record->ts;
	if (l->own)
		add_own_line(l, &record->event, out);
	else if (l->graph)
		add_graph_line(l, record, &rec, out);
	else if (l->mmio)
		add_mmio_line(l, &record->event, &rec, out);
	else
		add_plain_line(l, record, &rec, out);
	if (record_bound_end(out, begun, file, trace_event_system(&record->event),
			     trace_event_name(&record->event)))
		text_char(out, '\n');
	l->nr_printed++;
}

/* --- a buffer --------------------------------------------------------------- */

static void init_header(struct kernel_lines *l, unsigned int buffer, uint64_t events)
{
	const struct source *f = trace_file_of(l->texts->trace, l->texts->file);
	const bool *set = l->texts->options.set;
	uint64_t overruns = trace_file_cpu_stat(f, (int)buffer, -1, "\noverrun:");

	l->annotate = set[KERNEL_OPT_ANNOTATE] && overruns;
	l->long_size = source_buffer(f, buffer)->layout.long_size;
	l->header.latency = set[KERNEL_OPT_LATENCY_FORMAT];
	l->header.verbose = set[KERNEL_OPT_VERBOSE];
	l->header.no_flags = !set[KERNEL_OPT_IRQ_INFO];
	l->header.tgid = set[KERNEL_OPT_RECORD_TGID];
	l->header.classic = set[KERNEL_OPT_BLK_CLASSIC];
	/* in the kernel, one option clears the other, too */
	l->header.bare = !set[KERNEL_OPT_CONTEXT_INFO] || l->header.classic;
	report_kernel_header_init(&l->header, l->texts->trace, l->texts->file, l->streams, events,
				  overruns);
}

/* trace_pipe and remotes have no header; trace-cmd report begins with "cpus=2". */
static bool is_of_kernel(const struct line_file_info *info)
{
	return info->header.tracer.len ||
	       (!info->is_perf &&
		!(info->comments.len &&
		  memmem(info->comments.s, info->comments.len, "cpus=", strlen("cpus="))));
}

struct kernel_lines *kernel_lines_new(const struct kernel_texts *texts, unsigned int buffer)
{
	struct kernel_lines *l = mem_alloc(sizeof(*l));
	struct trace *trace = texts->trace;
	unsigned int nr = trace_nr_streams(trace);
	const struct line_file *lines = line_source_file(trace_file_of(trace, texts->file));
	const bool *set = texts->options.set;
	uint64_t events = 0;
	int64_t last;

	*l = (struct kernel_lines){ .texts = texts };
	l->streams = mem_array(nr + 1, sizeof(*l->streams));
	l->started = mem_array(nr + 1, sizeof(*l->started));
	for (unsigned int i = 0; i < nr; i++) {
		struct trace_stream_info info = trace_stream_info(trace, i);

		l->streams[i] = info.file == texts->file && info.buffer == buffer;
		if (l->streams[i])
			events += info.events;
	}
	if (lines && is_of_kernel(line_file_info(lines)))
		l->own = line_file_info(lines);
	init_header(l, buffer, events);
	l->mmio = !strcmp(l->header.tracer, "mmiotrace");
	l->graph_options = (struct kernel_graph_options){
		.cpu = set[KERNEL_OPT_CPU], .overhead = set[KERNEL_OPT_OVERHEAD],
		.duration = set[KERNEL_OPT_DURATION],
		.irqs = set[KERNEL_OPT_IRQS], .proc = set[KERNEL_OPT_PROC],
		.abstime = set[KERNEL_OPT_ABSTIME],
		.tail = set[KERNEL_OPT_TAIL], .overrun = set[KERNEL_OPT_OVERRUN],
		.retval = set[KERNEL_OPT_RETVAL],
		.retval_hex = set[KERNEL_OPT_RETVAL_HEX], .retaddr = set[KERNEL_OPT_RETADDR],
		.args = set[KERNEL_OPT_ARGS],
		.latency = set[KERNEL_OPT_LATENCY_FORMAT], .context = set[KERNEL_OPT_CONTEXT_INFO],
	};
	l->order = kernel_order_new(trace, l->streams);
	trace_span(trace, &l->origin, &last);
	kernel_lines_seek(l, INT64_MIN, 0);
	return l;
}

void kernel_lines_free(struct kernel_lines *l)
{
	if (!l)
		return;
	kernel_graph_free(l->graph);
	kernel_order_free(l->order);
	free(l->streams);
	free(l->started);
	free(l);
}

const bool *kernel_lines_streams(const struct kernel_lines *l)
{
	return l->streams;
}

bool kernel_lines_is_graph(const struct kernel_lines *l)
{
	return l->graph != NULL;
}

void kernel_lines_header(const struct kernel_lines *l, struct text *out)
{
	if (l->own) {
		text_bytes(out, l->own->comments.s, l->own->comments.len);
		return;
	}
	report_kernel_header_add(&l->header, &l->graph_options, out);
}

/* Forget what was printed so far. */
static void begin_lines(struct kernel_lines *l)
{
	const struct kernel_texts *t = l->texts;

	kernel_graph_free(l->graph);
	l->graph = NULL;
	if (!strcmp(l->header.tracer, "function_graph"))
		l->graph = kernel_graph_new(t->text, trace_event_types(t->trace, t->file),
					    printer_kallsyms(t->printer), l->header.nr_cpus,
					    &l->graph_options);
	l->nr_printed = 0;
	memset(l->started, 0, trace_nr_streams(t->trace) * sizeof(*l->started));
}

void kernel_lines_seek(struct kernel_lines *l, int64_t ts, unsigned int before)
{
	begin_lines(l);
	kernel_order_seek_time(l->order, ts, before);
}

void kernel_lines_seek_row(struct kernel_lines *l, trace_ref ref)
{
	begin_lines(l);
	kernel_order_seek(l->order, ref);
}

bool kernel_lines_next(struct kernel_lines *l, struct kernel_record *record)
{
	return kernel_order_next(l->order, record);
}
