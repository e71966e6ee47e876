/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/report/report_text.h"

#include <inttypes.h>
#include <string.h>

#include "parsers/lines/text_trace.h"
#include "src/base/json_out.h"
#include "src/base/text.h"

static bool in_time(const struct report_window *window, const struct text_line *line)
{
	if (line->time_kind == TEXT_TIME_NONE)
		return !window->has_from && !window->has_to;
	return (!window->has_from || line->time >= window->from) &&
	       (!window->has_to || line->time <= window->to);
}

static void add_json(const struct text_line *line, struct text *out)
{
	json_out_object(out, NULL);
	if (line->time_kind == TEXT_TIME_RELATIVE || line->time_kind == TEXT_TIME_ABSOLUTE)
		json_out_i64(out, "ts_ns", line->time);
	else if (line->time_kind == TEXT_TIME_COUNT)
		json_out_i64(out, "ts", line->time);
	if (line->cpu >= 0)
		json_out_i64(out, "cpu", line->cpu);
	if (line->pid >= 0) {
		json_out_i64(out, "pid", line->pid);
		json_out_bytes(out, "comm", line->comm.s, line->comm.len);
	}
	json_out_bytes(out, "text", line->text.s, line->text.len);
	json_out_end_line(out);
}

static void add_csv(const struct text_line *line, struct text *out)
{
	if (line->time_kind != TEXT_TIME_NONE)
		text_printf(out, "%" PRId64, line->time);
	text_char(out, ',');
	if (line->cpu >= 0)
		text_printf(out, "%d", line->cpu);
	text_char(out, ',');
	if (line->pid >= 0)
		text_printf(out, "%d", line->pid);
	text_char(out, ',');
	text_csv(out, line->comm.s, line->comm.len);
	text_add(out, ",,,");
	text_csv(out, line->text.s, line->text.len);
	text_char(out, '\n');
}

static void add_line(const struct text_line *line, const struct report_options *options,
		     struct text *out)
{
	if (options->count)
		return;
	switch (options->format) {
	case FORMAT_TEXT:
		if (options->terminal)
			text_terminal(out, line->line.s, line->line.len, false);
		else
			text_bytes(out, line->line.s, line->line.len);
		text_char(out, '\n');
		break;
	case FORMAT_JSON:
		add_json(line, out);
		break;
	case FORMAT_CSV:
		add_csv(line, out);
		break;
	}
}

static bool is_wanted(const struct report_window *window, struct report_filter *filter,
		      const struct text_line *line)
{
	return text_line_entries(line) && in_time(window, line) &&
	       (!filter || report_filter_wants_line(filter, line));
}

/* Number of events before the window's tail. */
static int64_t skipped(const char *text, uint64_t size, const struct report_window *window,
		       struct report_filter *filter)
{
	struct text_line line;
	int64_t nr = 0;

	if (window->tail < 0)
		return 0;
	for (uint64_t pos = 0; pos < size;) {
		pos = text_trace_line(text, size, pos, &line);
		if (is_wanted(window, filter, &line))
			nr += text_line_entries(&line);
	}
	return nr > window->tail ? nr - window->tail : 0;
}

static int add_window(const char *text, uint64_t size, const struct report_options *options,
		      const struct report_window *window, struct report_filter *filter,
		      struct output *out, int64_t *counted, struct ft_error *err)
{
	int64_t skip = skipped(text, size, window, filter), nr = 0;
	/* Was the previous line shown?  A line that is not an event follows it. */
	bool inside = !skip && !window->has_from && window->head != 0 && !filter;

	for (uint64_t pos = 0; pos < size && !out->closed;) {
		unsigned int entries;
		struct text_line line;

		pos = text_trace_line(text, size, pos, &line);
		if (line.kind == TEXT_LINE_COMMENT) {
			if (options->format == FORMAT_TEXT)
				add_line(&line, options, &out->block);
			continue;
		}
		entries = text_line_entries(&line);
		if (entries) {
			bool wanted = is_wanted(window, filter, &line);

			/* the first of its entries decides */
			inside = wanted && nr >= skip && (window->head < 0 || nr < window->head);
			if (inside)
				*counted += window->head < 0 || window->head - nr > entries ?
						    entries :
						    window->head - nr;
			if (wanted)
				nr += entries;
		}
		if (inside)
			add_line(&line, options, &out->block);
		if (output_more(out, err))
			return -1;
	}
	return 0;
}

int report_text(const char *text, uint64_t size, bool in_trace_dat,
		const struct report_options *options, const struct report_window *window,
		struct report_filter *filter, struct output *out, int64_t *counted,
		struct ft_error *err)
{
	bool whole = !window->has_from && !window->has_to && window->head < 0 && window->tail < 0 &&
		     !filter && !options->count;

	if (options->format == FORMAT_TEXT && whole)
		text_bytes(&out->block, text, size);
	else if (add_window(text, size, options, window, filter, out, counted, err))
		return -1;
	if (options->format == FORMAT_TEXT && !options->count && in_trace_dat)
		text_char(&out->block, '\n');	/* like trace-cmd */
	return output_more(out, err);
}
