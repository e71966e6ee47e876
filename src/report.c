/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "parsers/graph_text.h"
#include "parsers/trace_file.h"
#include "src/memory.h"
#include "src/notes.h"
#include "src/output.h"
#include "src/report_filter.h"
#include "src/report_kernel.h"
#include "src/report_line.h"
#include "src/report_order.h"
#include "src/report_rows.h"
#include "src/report_text.h"
#include "src/text.h"
#include "src/time_option.h"
#include "src/trace.h"
#include "src/workers.h"

#define FLAG_HARDIRQ	0x08
#define FLAG_SOFTIRQ	0x10

#define LOOK_BACK	100000u		/* rows looked at for the entry whose exit begins a window */

/* A buffer of a file: what trace-cmd calls a handle. */
struct handle {
	unsigned int	file, buffer;
	const char	*name;		/* instance, or the file's base name with several inputs; NULL = none */
	struct text	prefix;		/* of its lines */
	bool		exit_is_merged;	/* its first record is the exit of a leaf before the window */
	bool		first_seen;
};

struct report {
	const struct report_options *options;
	struct trace		*trace;
	struct output		*out;
	struct report_window	window;
	struct report_filter	*filter;	/* owned; NULL: none was asked for */
	struct matches		*matches;	/* of the filter: where they are is known; or NULL */
	unsigned int		nr_files;
	struct report_file	*files;		/* owned, [nr_files]; text and CSV only */
	struct graph_text	*graphs;	/* owned, [nr_files] */
	struct report_lines	lines;
	unsigned int		nr_handles;
	struct handle		*handles;	/* owned */
	unsigned int		nr_lanes;
	struct report_lane	*lanes;		/* owned; in the order of handles */
	int			*lane_of;	/* owned, [streams]; -1 = not read */
	unsigned int		nr_cpus;	/* --cpu may ask for the numbers below */
	int			*shown_cpu;	/* owned, [nr_lanes]: the number that --cpu asks for; see number_lanes() */
	trace_ref		*tail_start;	/* owned, [nr_lanes]: first ref in the window, with --tail; else NULL */
	bool			leaves;		/* entries look at the record that follows */
	bool			multi, any_instance;
	struct report_csv_sources sources;
	size_t			name_width;
	int64_t			counted;	/* events of the window so far */
	uint64_t		damaged;	/* sub-buffers that were read */
	struct text		line, scratch;
};

/* --- windows ------------------------------------------------------------- */

static int set_window(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;

	r->window.head = o->head;
	r->window.tail = o->tail;
	if (o->head >= 0 && o->tail >= 0)
		return ft_error_set(err, FT_E_USAGE, -1, "--head and --tail exclude each other");
	if (o->from && time_option_parse(r->trace, "from", o->from, &r->window.from, err))
		return -1;
	if (o->to && time_option_parse(r->trace, "to", o->to, &r->window.to, err))
		return -1;
	r->window.has_from = o->from != NULL;
	r->window.has_to = o->to != NULL;
	return 0;
}

/* Is the record shown at all?  As trace-cmd's skip_record(). */
static bool is_wanted(const struct report *r, const struct trace_event *e)
{
	const struct report_options *o = r->options;
	int cpu = r->shown_cpu[r->lane_of[e->stream]];

	if (o->cpus && (cpu < 0 || (unsigned int)cpu >= o->nr_cpus || !o->cpus[cpu]))
		return false;
	if (o->no_irqs && (e->flags & FLAG_HARDIRQ))
		return false;
	return !o->no_softirqs || !(e->flags & FLAG_SOFTIRQ);
}

static bool in_window(const struct report *r, const struct report_event *event)
{
	const struct report_window *w = &r->window;

	return (!w->has_from || event->event.ts >= w->from) && (!w->has_to || event->event.ts <= w->to) &&
	       (!r->tail_start || event->event.ref >= r->tail_start[event->lane]);
}

/* Walk back from the window's end to where its last N events begin, and note the place in each stream. */
static void find_tail(struct report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	struct trace_event e;
	int64_t left = r->window.tail;

	r->tail_start = mem_array(r->nr_lanes, sizeof(*r->tail_start));
	for (unsigned int i = 0; i < r->nr_lanes; i++)
		r->tail_start[i] = TRACE_REF_NONE;
	if (r->window.has_to && r->window.to < INT64_MAX)
		trace_cursor_seek_time(cursor, r->window.to + 1);
	else
		trace_cursor_seek(cursor, TRACE_REF_NONE);
	while (left > 0 && trace_cursor_prev(cursor, &e)) {
		int lane = r->lane_of[e.stream];

		if (r->window.has_from && e.key < r->window.from)
			break;
		if (lane < 0 || (e.kind != TRACE_ROW_EVENT && e.kind != TRACE_ROW_LOST))
			continue;
		r->tail_start[lane] = e.ref;
		if (e.kind == TRACE_ROW_EVENT && is_wanted(r, &e) && (!r->filter || report_filter_matches(r->filter, &e)) &&
		    (!r->window.has_from || e.ts >= r->window.from) && (!r->window.has_to || e.ts <= r->window.to))
			left--;
	}
	/* What was lost before the first of them belongs to it. */
	if (r->window.tail > 0 && trace_cursor_prev(cursor, &e) && e.kind == TRACE_ROW_LOST && r->lane_of[e.stream] >= 0)
		r->tail_start[r->lane_of[e.stream]] = e.ref;
	trace_cursor_free(cursor);
}

/* Place the lanes at the window's begin. */
static void place_lanes(struct report *r)
{
	if (r->window.tail >= 0)
		find_tail(r);
	for (unsigned int i = 0; i < r->nr_lanes; i++) {
		struct report_lane *lane = &r->lanes[i];

		lane->by_time = !r->tail_start || r->options->exact;
		if (lane->by_time)
			lane->time = r->window.has_from && !r->options->exact ? r->window.from : INT64_MIN;
		else
			lane->start = r->tail_start[i];
	}
}

/*
 * The first record of a handle in the window may be the exit of a leaf whose entry lies before it: the entry's line
 * holds it.  @cursor stands at the window's begin.
 */
static void look_before(struct report *r, struct trace_cursor *cursor)
{
	bool *done = mem_array(r->nr_handles, sizeof(*done));
	unsigned int left = r->nr_handles;
	struct trace_event e, first;
	struct print_record entry, exit;

	for (unsigned int n = 0; left && n < LOOK_BACK && trace_cursor_prev(cursor, &e); n++) {
		int lane = r->lane_of[e.stream];
		struct handle *h;

		if (lane < 0 || e.kind != TRACE_ROW_EVENT || done[r->lanes[lane].handle])
			continue;
		h = &r->handles[r->lanes[lane].handle];
		done[r->lanes[lane].handle] = true;
		left--;
		if (!is_wanted(r, &e) || (r->filter && !report_filter_matches(r->filter, &e)) || !report_line_is_entry(&r->files[h->file], e.type_id))
			continue;
		/* The record behind it in the same handle. */
		struct trace_cursor *ahead = trace_cursor_new(r->trace);
		uint8_t *copy = mem_array(e.size + 1, 1);

		memcpy(copy, e.data, e.size);
		entry = report_print_record(&e);
		entry.data = copy;
		entry.room = 0;
		trace_cursor_seek(ahead, e.ref);
		trace_cursor_next(ahead, &first);
		while (trace_cursor_next(ahead, &first)) {
			if (first.kind != TRACE_ROW_EVENT || r->lane_of[first.stream] < 0 ||
			    r->lanes[r->lane_of[first.stream]].handle != r->lanes[lane].handle)
				continue;
			exit = report_print_record(&first);
			h->exit_is_merged = graph_text_is_leaf(&r->graphs[h->file], &entry, &exit);
			break;
		}
		free(copy);
		trace_cursor_free(ahead);
	}
	free(done);
}

static void find_merged_exits(struct report *r)
{
	struct trace_cursor *cursor;
	trace_ref first = TRACE_REF_NONE;

	if (!r->leaves || r->options->exact || (!r->tail_start && !r->window.has_from))
		return;
	cursor = trace_cursor_new(r->trace);
	if (r->tail_start) {
		for (unsigned int i = 0; i < r->nr_lanes; i++)
			if (r->tail_start[i] != TRACE_REF_NONE &&
			    (first == TRACE_REF_NONE || trace_compare(r->trace, r->tail_start[i], first) < 0))
				first = r->tail_start[i];
		trace_cursor_seek(cursor, first);
	} else {
		trace_cursor_seek_time(cursor, r->window.from);
	}
	look_before(r, cursor);
	trace_cursor_free(cursor);
}

/* --- handles ------------------------------------------------------------- */

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

static void add_handle(struct report *r, unsigned int file, unsigned int buffer, const char *name)
{
	unsigned int nr_streams = trace_nr_streams(r->trace), cap = r->nr_lanes;
	struct handle *h;

	r->handles = mem_resize(r->handles, r->nr_handles + 1, sizeof(*r->handles));
	h = &r->handles[r->nr_handles];
	*h = (struct handle){ .file = file, .buffer = buffer, .name = name };
	for (unsigned int i = 0; i < nr_streams; i++) {
		struct trace_stream_info info = trace_stream_info(r->trace, i);

		if (info.file != file || info.buffer != buffer)
			continue;
		if (r->nr_lanes >= cap) {
			cap = cap ? cap * 2 : 16;
			r->lanes = mem_resize(r->lanes, cap, sizeof(*r->lanes));
		}
		r->lane_of[i] = (int)r->nr_lanes;
		r->lanes[r->nr_lanes++] = (struct report_lane){ .stream = i, .handle = r->nr_handles };
	}
	r->nr_handles++;
	if (name && strlen(name) > r->name_width)
		r->name_width = strlen(name);
}

/* "  name: ", blanks of that width and two more for a buffer without a name. */
static void add_prefix(const struct report *r, const char *name, struct text *out)
{
	size_t len = name ? strlen(name) : 0;

	if (len < r->name_width)
		text_pad(out, r->name_width - len);
	text_bytes(out, name ? name : "", len);
	text_add(out, len ? ": " : "  ");
}

/*
 * trace-cmd's order of handles: the files, then the instances of each.  The line cpus=N stands where a file's turn
 * comes: it has a name with several inputs only, in the width of the names known by then.
 */
static int add_handles(struct report *r, struct ft_error *err)
{
	unsigned int nr_streams = trace_nr_streams(r->trace);

	r->lane_of = mem_array(nr_streams, sizeof(*r->lane_of));
	for (unsigned int i = 0; i < nr_streams; i++)
		r->lane_of[i] = -1;
	for (unsigned int f = 0; f < r->nr_files; f++)
		add_handle(r, f, 0, r->multi ? base_name(trace_path(r->trace, f)) : NULL);
	for (unsigned int f = 0; f < r->nr_files; f++) {
		const struct trace_file *file = trace_file_of(r->trace, f);
		const struct trace_file_buffer *top = trace_file_buffer(file, 0);

		if (r->options->format == REPORT_TEXT && !r->options->count) {
			if (r->multi)
				add_prefix(r, r->handles[f].name, &r->out->block);
			text_printf(&r->out->block, "cpus=%d\n", top ? top->nr_cpus : 0);
		}
		if (top && top->is_text && r->multi)
			return ft_error_set(err, FT_E_UNSUPPORTED, -1,
					    "%s holds a latency tracer's text, which has no place among other files",
					    trace_path(r->trace, f));
		for (unsigned int b = 1; b < trace_file_nr_buffers(file); b++) {
			add_handle(r, f, b, base_name(trace_file_buffer(file, b)->name));
			r->any_instance = true;
		}
	}
	for (unsigned int i = 0; i < r->nr_handles && (r->multi || r->any_instance); i++)
		add_prefix(r, r->handles[i].name, &r->handles[i].prefix);
	return 0;
}

/*
 * trace-cmd numbers the CPUs of all handles in one row, each handle taking as many numbers as its file has CPUs, and
 * its --cpu means these: in an instance not the CPU's own.  Its text is copied; JSON and CSV go by the true ones.
 */
static void number_lanes(struct report *r)
{
	unsigned int lane = 0;
	int base = 0;			/* CSV and JSON: the most CPUs of a file */

	r->shown_cpu = mem_array(r->nr_lanes, sizeof(*r->shown_cpu));
	for (unsigned int i = 0; i < r->nr_handles; i++) {
		const struct trace_file *file = trace_file_of(r->trace, r->handles[i].file);
		int nr = trace_file_nr_buffers(file) ? trace_file_buffer(file, 0)->nr_cpus : 0;

		for (; lane < r->nr_lanes && r->lanes[lane].handle == i; lane++) {
			int cpu = trace_stream_info(r->trace, r->lanes[lane].stream).cpu;

			r->shown_cpu[lane] = r->options->format == REPORT_TEXT ? base + cpu : cpu;
			nr = cpu < nr ? nr : cpu + 1;
		}
		base = r->options->format == REPORT_TEXT ? base + nr : base < nr ? nr : base;
	}
	r->nr_cpus = (unsigned int)base;
}

/* CPUs that --cpu asks for in vain. */
static void tell_missing_cpus(const struct report *r)
{
	const struct report_options *o = r->options;
	struct text list = { 0 };

	for (unsigned int cpu = r->nr_cpus; o->cpus && cpu < o->nr_cpus; cpu++) {
		unsigned int first = cpu;

		if (!o->cpus[cpu])
			continue;
		while (cpu + 1 < o->nr_cpus && o->cpus[cpu + 1])
			cpu++;
		text_printf(&list, cpu > first ? "%s%u-%u" : "%s%u", list.len ? "," : "", first, cpu);
	}
	if (list.len)
		fprintf(stderr, "ftop-trace: --cpu: no CPU %s in the trace, which has %u\n", text_str(&list), r->nr_cpus);
	text_fini(&list);
}

static int open_files(struct report *r, struct ft_error *err)
{
	r->files = mem_array(r->nr_files, sizeof(*r->files));
	r->graphs = mem_array(r->nr_files, sizeof(*r->graphs));
	for (unsigned int f = 0; f < r->nr_files; f++) {
		const struct trace_file *file = trace_file_of(r->trace, f);
		struct event_types *types = trace_event_types(r->trace, f);
		struct printer *printer;

		if (r->options->format == REPORT_JSON)
			continue;	/* JSON needs no printer */
		printer = trace_printer(r->trace, f);
		if (!printer)
			return ft_error_set(err, FT_E_NOMEM, -1, "libtraceevent has no memory");
		report_file_init(&r->files[f], file, printer, event_types_common(types), &r->lines.style);
		printer_set_time(printer, r->files[f].time);
		graph_text_init(&r->graphs[f], types, r->files[f].swap);
	}
	return 0;
}

/* --- records ------------------------------------------------------------- */

static bool is_stack(const struct event_type *type)
{
	return type && !strcmp(type->system, "ftrace") && (!strcmp(type->name, "kernel_stack") || !strcmp(type->name, "user_stack"));
}

/* The lines of a record, if --grep has nothing against them.  False: nothing was printed. */
static bool print_text(struct report *r, const struct report_event *event, const struct report_event *next, bool *merged)
{
	const struct handle *h = &r->handles[event->handle];
	bool terminal = r->options->terminal;
	struct text *out = terminal ? &r->line : &r->out->block;
	size_t start, text;

	if (terminal)
		text_clear(&r->line);
	start = out->len;
	text_bytes(out, text_str(&h->prefix), h->prefix.len);
	report_line_lost(event, out);
	text = event->lost ? out->len : start;
	*merged = report_line(&r->lines, &r->files[h->file], event, next, out);
	if (r->filter && !report_filter_greps(r->filter, text_str(out) + text, out->len - text)) {
		out->len = start;
		return false;
	}
	if (terminal) {
		/* The lines of a stack are lines; a newline that a text brings along is not. */
		report_terminal_line(&r->out->block, text_str(out), text - start, true);
		report_terminal_line(&r->out->block, text_str(out) + text, out->len - text, is_stack(event->event.type));
	}
	text_char(&r->out->block, '\n');
	return true;
}

static struct report_row row_of(const struct report *r, const struct report_event *event)
{
	const struct trace_event *e = &event->event;
	const struct handle *h = &r->handles[event->handle];
	struct report_row row = { .event = event };

	row.comm = trace_comm(r->trace, e->file, e->pid, e->ts);
	row.clock = trace_unit(r->trace) == TRACE_UNIT_COUNT ? trace_clock(r->trace) : NULL;
	row.file = r->multi ? trace_path(r->trace, e->file) : NULL;
	row.instance = h->buffer ? trace_file_buffer(trace_file_of(r->trace, h->file), h->buffer)->name : NULL;
	return row;
}

/* What was lost before a record that is not shown, where lost events are asked for. */
static void print_loss(struct report *r, const struct report_event *event)
{
	const struct handle *h = &r->handles[event->handle];
	struct text *out = &r->out->block;
	struct report_row row;

	if (r->options->count)
		return;
	switch (r->options->format) {
	case REPORT_TEXT:
		text_bytes(out, text_str(&h->prefix), h->prefix.len);
		report_line_lost(event, out);
		break;
	case REPORT_JSON:
		row = row_of(r, event);
		report_row_loss_json(&row, out);
		break;
	case REPORT_CSV:
		row = row_of(r, event);
		report_row_loss_csv(&row, r->sources, out);
		break;
	}
}

static bool print_row(struct report *r, const struct report_event *event)
{
	size_t before = r->out->block.len;
	const struct trace_event *e = &event->event;
	const struct handle *h = &r->handles[event->handle];
	struct report_row row = row_of(r, event);

	if (r->options->format == REPORT_JSON) {
		report_row_json(&row, &r->out->block);
	} else {
		struct print_record rec = report_print_record(e);
		size_t start;

		text_clear(&r->line);
		printer_text(r->files[h->file].printer, r->options->raw ? PRINT_TRACE_CMD_RAW : PRINT_TRACE_CMD, &rec, NULL,
			     NULL, &r->line);
		start = r->out->block.len;
		report_row_csv(&row, text_str(&r->line), r->line.len, r->sources, &r->out->block);
		if (r->options->terminal)
			report_terminal_tail(&r->out->block, start);
	}
	if (!r->filter || report_filter_greps(r->filter, text_str(&r->out->block) + before, r->out->block.len - before))
		return true;
	r->out->block.len = before;
	return false;
}

/* Does printing it change what later lines hold?  The function plugin's indent, names told by sched events. */
static bool is_history(const struct event_type *type)
{
	if (!type)
		return false;
	if (!strcmp(type->system, "ftrace"))
		return !strcmp(type->name, "function") || !strcmp(type->name, "func_repeats");
	return !strcmp(type->system, "sched") && (!strcmp(type->name, "sched_switch") ||
						  !strcmp(type->name, "sched_wakeup") ||
						  !strcmp(type->name, "sched_wakeup_new"));
}

/* --exact: records before the window are printed nowhere, as far as that leaves traces. */
static void remember(struct report *r, struct report_order *order, const struct report_event *event)
{
	struct report_file *file = &r->files[r->handles[event->handle].file];
	struct print_record rec = report_print_record(&event->event), next;

	if (r->leaves && report_line_is_entry(file, event->event.type_id)) {
		const struct report_event *following = report_order_peek(order);

		rec = report_print_record(&event->event);
		if (!following)
			return;
		next = report_print_record(&following->event);
		if (graph_text_is_leaf(&r->graphs[r->handles[event->handle].file], &rec, &next))
			report_order_consume(order);
	} else if (is_history(event->event.type)) {
		text_clear(&r->scratch);
		printer_comm(file->printer, event->event.pid);
		printer_text(file->printer, r->options->raw ? PRINT_TRACE_CMD_RAW : PRINT_TRACE_CMD, &rec, NULL, NULL,
			     &r->scratch);
	}
}

/* A record of the window; @counted: it is one of those asked for. */
static void show(struct report *r, struct report_order *order, const struct report_event *event, bool counted)
{
	struct handle *h = &r->handles[event->handle];
	const struct report_event *next = NULL;
	bool merged = false, first = !h->first_seen, printed;

	h->first_seen = true;
	if (r->options->count && !r->options->grep) {
		r->counted += counted;
		return;
	}
	if (r->options->format != REPORT_TEXT) {
		r->counted += print_row(r, event) && counted;
		return;
	}
	if (first && h->exit_is_merged) {
		r->counted += counted;
		return;
	}
	if (r->leaves && report_line_is_entry(&r->files[h->file], event->event.type_id))
		next = report_order_peek(order);
	printed = print_text(r, event, next, &merged);
	r->counted += printed && counted;
	if (!merged)
		return;
	if (printed && is_wanted(r, &next->event) && in_window(r, next) &&
	    (!r->filter || report_filter_matches(r->filter, &next->event)))
		r->counted++;
	report_order_consume(order);
}

/* Is it one of those that -F keeps?  *counted: in its own right. */
static bool is_kept(struct report *r, const struct report_event *event, bool *counted)
{
	bool kept;

	*counted = true;
	if (!r->filter)
		return true;
	kept = report_filter_wants(r->filter, &event->event, counted);
	if (!kept && report_filter_wants_loss(r->filter, event))
		print_loss(r, event);
	return kept;
}

static int print_records(struct report *r, struct ft_error *err)
{
	struct report_order *order = report_order_new(r->trace, r->lanes, r->nr_lanes);
	const struct report_event *event;
	bool counted;
	int ret = 0;

	while ((r->window.head < 0 || r->counted < r->window.head) && (event = report_order_next(order))) {
		/* Behind this one an earlier stamp can only stand where a clock goes back. */
		if (r->window.has_to && event->event.key > r->window.to && !r->options->exact) {
			report_order_end_lane(order, event->lane);
			continue;
		}
		if (!is_wanted(r, &event->event)) {
			if (!r->options->exact || in_window(r, event))
				r->handles[event->handle].first_seen = true;
			continue;
		}
		if (!in_window(r, event)) {
			if (r->options->exact && r->options->format == REPORT_TEXT)
				remember(r, order, event);
			continue;
		}
		if (!is_kept(r, event, &counted)) {
			r->handles[event->handle].first_seen = true;
			continue;
		}
		show(r, order, event, counted);
		if (r->options->count)
			r->out->block.len = 0;
		ret = output_more(r->out, err);
		if (ret || r->out->closed)
			break;
	}
	if (r->matches && !r->out->closed)
		matches_wait(r->matches);
	r->damaged = r->matches ? matches_damaged(r->matches) : report_order_damaged(order);
	report_order_free(order);
	return ret;
}

/* --- the command --------------------------------------------------------- */

/* Options of the text that rows have no place for. */
/* The kernel's text has its own options, and none of trace-cmd's. */
static int check_style(const struct report_options *o, struct ft_error *err)
{
	const char *option = o->format != REPORT_TEXT ? "--format" : o->latency ? "-l" : o->nanoseconds ? "-t" : o->raw ? "-R" :
			     o->ts_diff ? "--ts-diff" : o->raw_ts ? "--raw-ts" : o->compat ? "--compat" : NULL;

	if (o->text_style != REPORT_KERNEL || !option)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "--style=kernel and %s exclude each other", option);
}

static int check_format(const struct report_options *o, struct ft_error *err)
{
	bool json = o->format == REPORT_JSON;
	const char *option = o->latency ? "-l" : o->ts_diff ? "--ts-diff" : o->raw_ts ? "--raw-ts" :
			     json && o->raw ? "-R" : NULL;

	if (o->format == REPORT_TEXT || !option)
		return 0;
	return ft_error_set(err, FT_E_USAGE, -1, "--format=%s and %s exclude each other", json ? "json" : "csv", option);
}

/* The text of trace-cmd 3.3 and 3.4. */
static bool is_34(const struct report_options *o)
{
	return o->compat && !strcmp(o->compat, "3.4");
}

static int check_options(const struct report_options *o, struct ft_error *err)
{
	if (o->compat && strcmp(o->compat, "3.1") != 0 && !is_34(o))
		return ft_error_set(err, FT_E_USAGE, -1, "--compat %s: not 3.1 or 3.4", o->compat);
	if (!o->nr_inputs)
		return ft_error_set(err, FT_E_USAGE, -1, "no file to report on");
	if (check_style(o, err))
		return -1;
	return check_format(o, err);
}

static int make_filter(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	struct report_filter_options options = { .sources = o->filters, .nr_sources = o->nr_filters, .compat = o->compat_filter,
						 .grep = o->grep };

	r->filter = report_filter_new(r->trace, &options, err);
	return r->filter ? 0 : -1;
}

/*
 * With a filter, and all of the trace asked for: let workers find what matches.  Return: whether that was all that was
 * asked for.
 */
static bool look_ahead(struct report *r)
{
	const struct report_options *o = r->options;
	bool part = o->head >= 0 || o->tail >= 0 || o->from || o->to;
	struct matches *m = r->filter && !part ? report_filter_look_ahead(r->filter, r->leaves) : NULL;

	for (unsigned int i = 0; m && i < r->nr_lanes; i++)
		r->lanes[i].matches = m;
	r->matches = m;
	if (!m || !o->count || o->grep || o->cpus || o->no_irqs || o->no_softirqs)
		return false;
	matches_wait(m);
	r->counted = (int64_t)matches_status(m).events;
	r->damaged = matches_damaged(m);
	return true;
}

static int run(struct report *r, struct ft_error *err)
{
	const struct report_options *o = r->options;
	const struct trace_file_buffer *top;
	uint64_t size;

	if (open_files(r, err) || set_window(r, err))
		return -1;
	if ((o->nr_filters || o->grep) && make_filter(r, err))
		return -1;
	if (o->text_style == REPORT_KERNEL && !trace_is_text(r->trace))
		return report_kernel(r->trace, o, &r->window, r->filter, r->out, &r->counted, err);
	if (add_handles(r, err))
		return -1;
	top = trace_file_buffer(trace_file_of(r->trace, 0), 0);
	r->sources.buffer = r->any_instance && !(top && top->is_text);
	r->sources.file = r->multi;
	if (o->format == REPORT_CSV && !o->count)
		report_row_csv_header(trace_unit(r->trace) == TRACE_UNIT_COUNT, r->sources, &r->out->block);
	if (top && top->is_text) {
		const char *text = trace_file_latency_text(trace_file_of(r->trace, 0), 0, &size);

		return report_text(text, size, o, &r->window, r->filter, r->out, &r->counted, err);
	}
	/* Names of the time come from the whole trace; so does the order of a CPU whose clock went back. */
	if (o->format != REPORT_TEXT || o->exact)
		trace_wait(r->trace);
	r->leaves = o->format == REPORT_TEXT && (!o->count || o->grep) && !o->raw && !o->no_plugins && !o->no_system_plugins;
	number_lanes(r);
	tell_missing_cpus(r);
	place_lanes(r);
	if (look_ahead(r))
		return 0;
	find_merged_exits(r);
	return print_records(r, err);
}

/* A part must not pass for the whole, nor nothing for an empty trace. */
static int tell_damage(const struct report *r, struct ft_error *err)
{
	int64_t first, last;

	if (!notes_show(r->trace, r->damaged, stderr) || trace_span(r->trace, &first, &last))
		return 0;
	return ft_error_set(err, FT_E_FORMAT, -1, "%s: no event could be read", trace_path(r->trace, 0));
}

int report_run(const struct report_options *o, int fd, struct ft_error *err)
{
	bool kernel = o->text_style == REPORT_KERNEL;
	struct printer_options printer = { .no_plugins = o->no_plugins || kernel, .era_34 = is_34(o), .no_system_plugins = o->no_system_plugins,
					   .plugin_options = o->plugin_options, .nr_plugin_options = kernel ? 0 : o->nr_plugin_options };
	struct trace_options options = { .nr_workers = workers_cpus(), .hold_permille = -1,
					 .no_index = o->format == REPORT_TEXT && !kernel && !o->exact,
					 .sequential_printer = true, .printer = &printer };
	struct report r = { .options = o, .nr_files = o->nr_inputs, .multi = o->nr_inputs > 1 };
	struct output out;
	int ret;

	if (check_options(o, err))
		return -1;
	r.trace = trace_open(o->inputs, o->nr_inputs, o->format == REPORT_TEXT, &options, err);
	if (!r.trace)
		return -1;
	r.lines.style = (struct report_style){ .latency = o->latency, .nanoseconds = o->nanoseconds, .raw = o->raw,
					       .raw_ts = o->raw_ts, .ts_diff = o->ts_diff, .era_34 = is_34(o) };
	output_init(&out, fd);
	r.out = &out;
	ret = run(&r, err);
	if (!ret && o->count)
		text_printf(&out.block, "%" PRId64 "\n", r.counted);
	if (output_end(&out, ret ? NULL : err))
		ret = -1;
	if (!ret && r.filter)
		report_filter_tell(r.filter, r.counted > 0);
	if (!ret)
		ret = tell_damage(&r, err);
	report_filter_free(r.filter);
	for (unsigned int f = 0; f < r.nr_files && r.files; f++)
		report_file_fini(&r.files[f]);
	for (unsigned int i = 0; i < r.nr_handles; i++)
		text_fini(&r.handles[i].prefix);
	free(r.files);
	free(r.graphs);
	free(r.handles);
	free(r.lanes);
	free(r.lane_of);
	free(r.tail_start);
	free(r.shown_cpu);
	text_fini(&r.line);
	text_fini(&r.scratch);
	trace_close(r.trace);
	return ret;
}
