/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_rows - the rows of a page: which lines belong together, their times, CPUs and tasks. */
#include <stdlib.h>
#include <string.h>

#include "parsers/io/read_at.h"
#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"

/* the byte before a page tells whether a line begins there */
#define BEFORE	1u
#define ORDER_MAX	999u		/* lines of one µs that a stamp can tell apart */

struct line_reader *line_reader_new(const struct line_file *file)
{
	struct line_reader *r = mem_alloc(sizeof(*r));

	r->file = file;
	r->page = UINT64_MAX;
	r->text = mem_array(1, BEFORE + LINE_PAGE_BYTES + LINE_ROW_BYTES);
	return r;
}

void line_reader_free(struct line_reader *r)
{
	if (!r)
		return;
	free(r->text);
	free(r->rows);
	free(r);
}

/* --- rows ----------------------------------------------------------------------------------- */

static bool begins_row(const struct text_line *line)
{
	return line->kind == TEXT_LINE_EVENT || line->kind == TEXT_LINE_LOST ||
	       (line->kind == TEXT_LINE_GRAPH && line->time_kind != TEXT_TIME_NONE);
}

/* Stamps of lines of the same µs increase, in the order of the text. */
static uint64_t stamp_of(const struct line_file_info *info, const struct text_line *line,
			 uint64_t last)
{
	uint64_t ts = (uint64_t)line->time;

	if (line->time_kind == TEXT_TIME_NONE)
		return last;
	if (info->is_relative)
		ts = line->time > -(int64_t)LINE_TIME_BIAS ? ts + LINE_TIME_BIAS : 0;
	if (info->is_count || info->has_ns)
		return ts;
	if (last / 1000 == ts / 1000)
		return last % 1000 < ORDER_MAX ? last + 1 : last;
	return ts - ts % 1000;
}

static struct line_row *add_row(struct line_reader *r, const struct text_line *line)
{
	struct line_row *row;

	mem_grow(&r->rows, r->nr_rows, &r->cap_rows);
	row = &r->rows[r->nr_rows++];
	*row = (struct line_row){ .line = *line, .all = line->line };
	r->has_events |= line->kind != TEXT_LINE_LOST;
	row->ts = stamp_of(&r->file->info, line, r->after.ts);
	row->cpu = line->cpu >= 0 && line->cpu <= LINE_MAX_CPU ? line->cpu : r->after.cpu;
	row->pid = line->pid >= 0 ? line->pid : line->kind == TEXT_LINE_LOST ? 0 : r->after.pid;
	r->after.ts = row->ts;
	r->after.cpu = row->cpu;
	r->after.pid = row->pid;
	return row;
}

/* A line that begins no row belongs to the row above. */
static void add_line(struct line_reader *r, const struct text_line *line, const char *end)
{
	struct line_row *row = r->nr_rows ? &r->rows[r->nr_rows - 1] : NULL;

	if (!row && !r->from && line_is_cpus(line))
		return;
	r->unknown += line->kind == TEXT_LINE_PLAIN && line->line.len;
	if (!row) {
		if (line->line.len && line->kind != TEXT_LINE_STACK &&
		    line->kind != TEXT_LINE_COMMENT)
			add_row(r, line);
		return;
	}
	if ((size_t)(end - row->all.s) <= LINE_ROW_BYTES)
		row->all.len = (size_t)(end - row->all.s);
	else
		r->cut++;
}

/* Rows before the first one with a time have its time, CPU and task. */
static void date_first(struct line_reader *r)
{
	unsigned int i = 0;

	if (r->from)
		return;
	while (i < r->nr_rows && r->rows[i].line.time_kind == TEXT_TIME_NONE)
		i++;
	if (i == r->nr_rows)
		return;
	for (unsigned int k = 0; k < i; k++) {
		r->rows[k].ts = r->rows[i].ts;
		r->rows[k].cpu = r->rows[i].cpu;
		r->rows[k].pid = r->rows[i].pid;
	}
}

/* --- pages ---------------------------------------------------------------------------------- */

/* Where the first line of the page begins in the text read; @len: none does. */
static uint64_t first_line(const struct line_reader *r, uint64_t len)
{
	const char *newline;

	if (!r->from)
		return 0;
	newline = memchr(r->text, '\n', len);
	return newline ? (uint64_t)(newline + 1 - r->text) : len;
}

/*
 * The lines up to the end of the page.  Return: where the page ends: if @cut, before lost events
 * that are not its beginning, since a sub-buffer tells of such only there.
 */
static uint64_t parse_rows(struct line_reader *r, uint64_t pos, uint64_t end, uint64_t len,
			   bool cut)
{
	while (pos < len) {
		bool is_inside = pos < end;
		struct text_line line;
		uint64_t next = text_trace_line(r->text, len, pos, &line);

		/* the stack of the last row may reach into the next page */
		if (!is_inside && line.kind != TEXT_LINE_STACK)
			break;
		if (cut && is_inside && line.kind == TEXT_LINE_LOST && r->has_events)
			return pos;
		r->cut += line.line.len >= LINE_ROW_BYTES;
		if (begins_row(&line))
			add_row(r, &line);
		else
			add_line(r, &line, line.line.s + line.line.len);
		pos = next;
	}
	return end;
}

bool line_reader_read(struct line_reader *r, const struct line_state *state, uint64_t end, bool cut)
{
	uint64_t skip = state->from ? BEFORE : 0;
	int64_t got;

	r->page = UINT64_MAX;
	r->nr_rows = 0;
	r->has_events = false;
	r->unknown = r->cut = 0;
	r->after = *state;
	r->from = state->from;
	got = read_at(r->file->fd, r->text, skip + (end - state->from) + LINE_ROW_BYTES,
		      state->from - skip);
	if (got < 0)
		return false;
	r->after.from = state->from - skip +
			parse_rows(r, first_line(r, (uint64_t)got), skip + (end - state->from),
				   (uint64_t)got, cut);
	date_first(r);
	return true;
}

bool line_reader_load(struct line_reader *r, uint64_t page)
{
	const struct line_file *file = r->file;

	if (r->page == page)
		return true;
	if (page >= file->nr_pages ||
	    !line_reader_read(r, &file->pages[page],
			      page + 1 < file->nr_pages ? file->pages[page + 1].from : file->size,
			      false))
		return false;
	r->page = page;
	return true;
}
