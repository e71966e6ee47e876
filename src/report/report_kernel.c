/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_kernel.h"

#include "parsers/file/trace_file.h"
#include "src/kernel/kernel_lines.h"

struct kernel_report {
	struct trace		*trace;
	const struct report_options *options;
	const struct report_window *window;
	struct report_filter	*filter;	/* or NULL */
	struct output		*out;
	int64_t			 counted;	/* selected records so far */
	struct kernel_lines	*lines;		/* owned: lines of the current buffer */
};

/* --- which records ---------------------------------------------------------- */

static bool is_wanted(const struct kernel_report *r, const struct trace_event *e)
{
	return e->kind == TRACE_ROW_EVENT && report_window_has(r->window, e->ts) &&
	       report_window_wants(r->options, e->cpu, e->flags);
}

/* --- the lines of a buffer ------------------------------------------------ */

/* Where the last N events of the window begin. */
static trace_ref find_tail(struct kernel_report *r)
{
	struct trace_cursor *cursor = trace_cursor_new(r->trace);
	trace_ref first = TRACE_REF_NONE;
	struct trace_event e;

	trace_cursor_only_streams(cursor, kernel_lines_streams(r->lines),
				  trace_nr_streams(r->trace));
	trace_cursor_seek(cursor, TRACE_REF_NONE);
	for (int64_t left = r->window->tail; left > 0 && trace_cursor_prev(cursor, &e);) {
		if (r->window->has_from && e.key < r->window->from)
			break;
		if (!is_wanted(r, &e) || (r->filter && !report_filter_matches(r->filter, &e)))
			continue;
		first = e.ref;
		left--;
	}
	trace_cursor_free(cursor);
	return first;
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
	kernel_lines_add(r->lines, record, out);
	if (r->filter &&
	    !report_filter_greps(r->filter, NULL, text_str(out) + start, out->len - start)) {
		out->len = start;
		return false;
	}
	if (r->options->count)
		out->len = start;
	return counted;
}

static int print_lines(struct kernel_report *r, struct ft_error *err)
{
	int64_t left = r->window->head >= 0 ? r->window->head : INT64_MAX;
	struct kernel_record record;
	int ret = 0;

	if (r->window->tail >= 0)
		kernel_lines_seek_row(r->lines, find_tail(r));
	else
		kernel_lines_seek(r->lines, r->window->has_from ? r->window->from : INT64_MIN, 0);
	while (left > 0 && !r->out->closed && !ret && kernel_lines_next(r->lines, &record)) {
		if (r->window->has_to && record.event.key > r->window->to)
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

/* --- buffers -------------------------------------------------------------- */

static int print_buffer(struct kernel_report *r, const struct kernel_texts *texts,
			unsigned int file, unsigned int buffer, bool named, struct ft_error *err)
{
	const struct trace_file_buffer *b = trace_file_buffer(trace_file_of(r->trace, file),
							      buffer);
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
	unsigned int nr = trace_file_nr_buffers(trace_file_of(r->trace, file));
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
