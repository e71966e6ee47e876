/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_kernel.h"

#include <string.h>

#include "parsers/file/trace_file.h"
#include "parsers/source/source.h"
#include "parsers/lines/line_file.h"
#include "parsers/lines/line_record.h"
#include "parsers/lines/line_source.h"
#include "src/kernel/kernel_lines.h"
#include "src/report/report_search.h"

struct kernel_report {
	struct trace		*trace;
	const struct report_options *options;
	const struct report_window *window;
	struct report_filter	*filter;	/* or NULL */
	struct output		*out;
	int64_t			 counted;	/* selected records so far */
	struct kernel_lines	*lines;		/* owned: lines of the current buffer */
	struct trace_cursor	*cursor;	/* owned: of a text trace, instead of lines */
	bool			 is_trace_cmd;	/* the text is one of trace-cmd */
};

/* --- which records ---------------------------------------------------------- */

static bool is_wanted(const struct kernel_report *r, const struct trace_event *e)
{
	return e->kind == TRACE_ROW_EVENT && report_window_has(r->window, e->ts) &&
	       report_window_wants(r->options, e->cpu, e->flags);
}

static bool is_selected(const struct kernel_report *r, const struct trace_event *e)
{
	return is_wanted(r, e) && (!r->filter || report_filter_matches(r->filter, e));
}

/* --- the lines of a buffer ------------------------------------------------ */

/* Where the last N events of the window begin. */
static trace_ref find_tail(struct kernel_report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	trace_ref first = TRACE_REF_NONE;
	struct trace_event e;

	if (r->lines)
		trace_cursor_only_streams(cursor, kernel_lines_streams(r->lines),
					  trace_nr_streams(r->trace));
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (int64_t left = r->window->tail; left > 0 && trace_cursor_prev(cursor, &e);) {
		if (r->window->has_from && e.key < r->window->from)
			break;
		if (!is_selected(r, &e))
			continue;
		first = e.ref;
		left--;
	}
	trace_cursor_free(cursor);
	return first;
}

static void add_text(const struct kernel_report *r, const char *s, uint64_t len)
{
	if (r->options->terminal)
		text_terminal(&r->out->block, s, len, true);
	else
		text_bytes(&r->out->block, s, len);
}

/*
 * Add the line as the text has it.  The exit of a call in one line has the line of its entry, which
 * is the record before: it is added here if it was not for the entry's sake.
 */
static void add_line(const struct kernel_report *r, const struct trace_event *e)
{
	struct text_slice line = line_record_lines(e->data, e->size);
	struct trace_event entry;

	if (!line.len) {
		if (!trace_event_at(r->trace, e->ref - 1, &entry) || is_selected(r, &entry))
			return;
		line = line_record_lines(entry.data, entry.size);
	}
	add_text(r, line.s, line.len);
	text_char(&r->out->block, '\n');
}

/* Add the line about lost events as the kernel or trace-cmd writes it. */
static void add_lost(const struct kernel_report *r, const struct trace_event *e)
{
	struct text *out = &r->out->block;

	if (r->filter || r->options->count || !report_window_has(r->window, e->ts))
		return;
	if (!r->is_trace_cmd) {
		kernel_lines_lost(e, out);
		return;
	}
	text_printf(out, "CPU:%d [", e->cpu);
	if (e->lost_known)
		text_printf(out, "%llu ", (unsigned long long)e->lost_count);
	text_add(out, "EVENTS DROPPED]\n");
}

/* Print the line of a record if it is selected. Return: whether it counts as a match. */
static bool show_record(struct kernel_report *r, struct kernel_record *record)
{
	struct text *out = &r->out->block;
	size_t start = out->len;
	bool counted = true;

	if (r->filter && !report_filter_wants(r->filter, &record->event, &counted))
		return false;
	if (r->options->count && !r->options->grep)
		return counted;
	if (r->lines)
		kernel_lines_add(r->lines, record, out);
	else
		add_line(r, &record->event);
	if (r->filter &&
	    !report_filter_greps(r->filter, NULL, text_str(out) + start, out->len - start)) {
		out->len = start;
		return false;
	}
	if (r->options->count)
		out->len = start;
	return counted;
}

static void seek(struct kernel_report *r)
{
	int64_t from = r->window->has_from ? r->window->from : INT64_MIN;

	if (r->window->tail >= 0 && r->lines)
		kernel_lines_seek_row(r->lines, find_tail(r));
	else if (r->window->tail >= 0)
		trace_cursor_seek(r->cursor, find_tail(r));
	else if (r->lines)
		kernel_lines_seek(r->lines, from, 0);
	else
		trace_cursor_seek_time(r->cursor, from);
}

static bool next_record(struct kernel_report *r, struct kernel_record *record)
{
	return r->lines ? kernel_lines_next(r->lines, record) :
			  trace_cursor_next(r->cursor, &record->event);
}

static int print_lines(struct kernel_report *r, struct ft_error *err)
{
	int64_t left = r->window->head >= 0 ? r->window->head : INT64_MAX;
	struct kernel_record record;
	int ret = 0;

	seek(r);
	while (left > 0 && !r->out->closed && !ret && next_record(r, &record)) {
		if (record.event.kind == TRACE_ROW_LOST)
			add_lost(r, &record.event);
		if (r->window->has_to && trace_row_time(r->trace, &record.event) > r->window->to)
			break;
		if (!is_wanted(r, &record.event))
			continue;
		if (show_record(r, &record)) {
			r->counted++;
			left--;
		}
		ret = output_more(r->out, err);
	}
	return ret;
}

/*
 * What trace-cmd prints of a trace.dat with a text: all of it, with any options.  False: only some
 * lines are wanted.
 */
static bool add_whole_text(const struct kernel_report *r)
{
	const struct report_window *w = r->window;
	uint64_t size;
	const char *text;

	if (r->filter || r->options->count || w->has_from || w->has_to || w->head >= 0 ||
	    w->tail >= 0)
		return false;
	text = trace_file_latency_text(trace_file_of(r->trace, 0), 0, &size);
	add_text(r, text, size);
	return true;
}

int report_lines(struct trace *trace, const struct report_options *o,
		 const struct report_window *window, struct report_filter *filter,
		 struct output *out, int64_t *counted, struct ft_error *err)
{
	struct kernel_report r = {
		.trace = trace, .options = o, .window = window, .filter = filter, .out = out
	};
	const struct source *file = trace_file_of(trace, 0);
	struct text_slice head = line_file_info(line_source_file(file))->comments;
	bool in_trace_dat = source_info(file)->version && !o->count;
	int ret;

	if (in_trace_dat)
		text_printf(&out->block, "cpus=%d\n", source_buffer(file, 0)->nr_cpus);
	if (in_trace_dat && add_whole_text(&r)) {
		text_char(&out->block, '\n');
		return output_more(out, err) ? -1 : 1;
	}
	if (!o->count)
		for (size_t i = 0; i < head.len; i++)
			if (head.s[i] != '\r')
				text_char(&out->block, head.s[i]);
	if (trace_is_head(trace))
		return report_search(trace, o, filter, out, counted, err);
	r.is_trace_cmd = head.len && memmem(head.s, head.len, "cpus=", 5);
	r.cursor = trace_cursor_new(trace);
	ret = print_lines(&r, err);
	trace_cursor_free(r.cursor);
	if (in_trace_dat)
		text_char(&out->block, '\n');	/* like trace-cmd */
	*counted = r.counted;
	return ret ? -1 : 1;
}

/* --- buffers -------------------------------------------------------------- */

static int print_buffer(struct kernel_report *r, const struct kernel_texts *texts,
			unsigned int file, unsigned int buffer, bool named, struct ft_error *err)
{
	const struct source_buffer *b = source_buffer(trace_file_of(r->trace, file), buffer);
	int ret;

	r->lines = kernel_lines_new(texts, buffer);
	if (named && !r->options->count)
		text_printf(&r->out->block, "# buffer: %s\n", b->name[0] ? b->name : "(top)");
	if (!r->options->count)
		kernel_lines_header(r->lines, &r->out->block);
	ret = print_lines(r, err);
	kernel_lines_free(r->lines);
	r->lines = NULL;
	return ret;
}

static int print_file(struct kernel_report *r, unsigned int file,
		      const struct kernel_options *options, struct ft_error *err)
{
	unsigned int nr = source_nr_buffers(trace_file_of(r->trace, file));
	bool named = nr > 1 || trace_nr_files(r->trace) > 1;
	struct kernel_texts *texts = kernel_texts_new(r->trace, file, options);
	int ret = 0;

	if (trace_nr_files(r->trace) > 1 && !r->options->count)
		text_printf(&r->out->block, "# file: %s\n", trace_path(r->trace, file));
	for (unsigned int i = 0; i < nr && !ret; i++)
		ret = print_buffer(r, texts, file, i, named, err);
	kernel_texts_free(texts);
	return ret;
}

int report_kernel(struct trace *trace, const struct report_options *o,
		  const struct report_window *window, struct report_filter *filter,
		  struct output *out, int64_t *counted, struct ft_error *err)
{
	struct kernel_report r = {
		.trace = trace, .options = o, .window = window, .filter = filter, .out = out
	};
	struct kernel_options options;
	int ret = 0;

	kernel_options_init(&options);
	for (unsigned int i = 0; i < o->nr_plugin_options; i++)
		if (kernel_options_choose(&options, o->plugin_options[i], err))
			return -1;
	trace_wait(trace);		/* the header shows the number of events */
	for (unsigned int i = 0; i < trace_nr_files(trace) && !ret; i++)
		ret = print_file(&r, i, &options, err);
	*counted = r.counted;
	return ret;
}
