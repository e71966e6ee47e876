/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "src/kernel/kernel_window.h"

#include <stdlib.h>
#include <string.h>

#include "src/kernel/kernel_lines.h"
#include "src/base/memory.h"
#include "src/trace/trace_streams.h"

#define LEAD		5000u
#define BEFORE		1000u
#define STEP		2000u
#define MAX_LINES	100000u		/* some 8 MB */

struct window_line {
	size_t		 at;		/* its text, within that of all lines */
	struct kernel_line shown;	/* .text: set by kernel_window_line() */
};

struct kernel_window {
	struct kernel_window_options options;
	struct kernel_texts *texts;	/* owned */
	struct kernel_lines *maker;	/* owned */
	struct trace_cursor *cursor;	/* owned: over the buffer's streams */
	struct text	 text;		/* owned: all lines */
	struct window_line *lines;	/* owned, [nr] */
	unsigned int	 nr, cap;
	bool		 at_start, at_end;
};

struct kernel_window *kernel_window_new(const struct kernel_window_options *o)
{
	struct kernel_window *w = mem_alloc(sizeof(*w));
	struct kernel_options options;

	*w = (struct kernel_window){ .options = *o };
	w->options.lead = o->lead ?: LEAD;
	w->options.before = o->before ?: BEFORE;
	w->options.step = o->step ?: STEP;
	w->options.max_lines = o->max_lines ?: MAX_LINES;
	kernel_options_init(&options);
	w->texts = kernel_texts_new(o->trace, o->file, &options);
	w->maker = kernel_lines_new(w->texts, o->buffer);
	w->cursor = trace_cursor_new(o->trace);
	trace_cursor_only_streams(w->cursor, kernel_lines_streams(w->maker),
				  trace_nr_streams(o->trace));
	return w;
}

void kernel_window_free(struct kernel_window *w)
{
	if (!w)
		return;
	kernel_lines_free(w->maker);
	kernel_texts_free(w->texts);
	trace_cursor_free(w->cursor);
	text_fini(&w->text);
	free(w->lines);
	free(w);
}

/* --- lines ------------------------------------------------------------------ */

/* Split what was appended to the text from @from on into lines of one record. */
static void cut_lines(struct kernel_window *w, size_t from, struct kernel_line line)
{
	while (from < w->text.len) {
		const char *begin = w->text.data + from,
			   *end = memchr(begin, '\n', w->text.len - from);

		line.len = end ? (size_t)(end - begin) : w->text.len - from;
		mem_grow(&w->lines, w->nr, &w->cap);
		w->lines[w->nr++] = (struct window_line){ from, line };
		from += line.len + 1;
	}
}

static void add_record(struct kernel_window *w, struct kernel_record *record)
{
	struct kernel_line line = { .ref = record->event.ref, .ts = record->event.ts,
				    .pid = record->event.pid, .cpu = record->event.cpu };
	size_t from = w->text.len;

	kernel_lines_add(w->maker, record, &w->text);
	line.merged = record->merged;
	cut_lines(w, from, line);
}

static void add_header(struct kernel_window *w, int64_t ts)
{
	const struct kernel_line line = {
		.ref = TRACE_REF_NONE, .merged = TRACE_REF_NONE, .ts = ts, .pid = -1, .cpu = -1
	};

	kernel_lines_header(w->maker, &w->text);
	cut_lines(w, 0, line);
}

/* --- where it begins ---------------------------------------------------------- */

/* The key of the record that is @nr records before a time; false if there are fewer. */
static bool key_before(struct kernel_window *w, int64_t ts, unsigned int nr, int64_t *key)
{
	struct trace_event event;

	trace_cursor_seek_time(w->cursor, ts);
	for (unsigned int i = 0; i < nr;) {
		if (!trace_cursor_prev(w->cursor, &event))
			return false;
		i += event.kind == TRACE_ROW_EVENT;
	}
	*key = event.key;
	return true;
}

static bool add_records(struct kernel_window *w, int64_t shown_from, int64_t moment)
{
	struct text unseen = { 0 };
	struct kernel_record record;
	unsigned int behind = 0;
	bool any = false;

	while (behind < w->options.step && w->nr < w->options.max_lines) {
		if (!kernel_lines_next(w->maker, &record)) {
			w->at_end = true;
			break;
		}
		behind += record.event.key >= moment;
		if (record.event.key < shown_from) {
			kernel_lines_add(w->maker, &record, &unseen);
			text_clear(&unseen);
			continue;
		}
		if (!any && w->at_start && !w->nr)
			add_header(w, record.event.ts);
		any = true;
		add_record(w, &record);
	}
	text_fini(&unseen);
	return any;
}

void kernel_window_seek(struct kernel_window *w, int64_t ts)
{
	int64_t shown_from = INT64_MIN;

	text_clear(&w->text);
	w->nr = 0;
	w->at_end = false;
	w->at_start = !key_before(w, ts, w->options.before, &shown_from);
	kernel_lines_seek(w->maker, w->at_start ? INT64_MIN : shown_from,
			  w->at_start ? 0 : w->options.lead);
	add_records(w, shown_from, ts);
}

bool kernel_window_more(struct kernel_window *w)
{
	return !w->at_end && add_records(w, INT64_MIN, INT64_MIN);
}

/* --- asking --------------------------------------------------------------------- */

bool kernel_window_at_start(const struct kernel_window *w)
{
	return w->at_start;
}

bool kernel_window_at_end(const struct kernel_window *w)
{
	return w->at_end;
}

unsigned int kernel_window_nr(const struct kernel_window *w)
{
	return w->nr;
}

struct kernel_line kernel_window_line(const struct kernel_window *w, unsigned int i)
{
	struct kernel_line line = w->lines[i].shown;

	line.text = w->text.data + w->lines[i].at;
	return line;
}

int kernel_window_find(const struct kernel_window *w, trace_ref ref, int64_t ts, int cpu)
{
	/* the line above a call shows whether the task has changed */
	bool last = w->maker && kernel_lines_is_graph(w->maker);
	int found = -1;

	for (unsigned int i = 0; i < w->nr && ref != TRACE_REF_NONE; i++) {
		if (w->lines[i].shown.ref != ref && w->lines[i].shown.merged != ref)
			continue;
		found = (int)i;
		if (!last)
			break;
	}
	for (unsigned int i = 0; i < w->nr && found < 0; i++) {
		const struct kernel_line *line = &w->lines[i].shown;

		if (line->ref != TRACE_REF_NONE && line->ts >= ts && (cpu < 0 || line->cpu == cpu))
			found = (int)i;
	}
	return found < 0 && w->nr ? (int)w->nr - 1 : found;
}
