/* SPDX-License-Identifier: GPL-2.0-or-later */
/* line_rows - the rows of a text: which lines belong together, their times, CPUs and tasks. */
#include <stdlib.h>
#include <string.h>

#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"

/* the byte before a block tells whether a line begins there */
#define BEFORE		1u
/* bytes behind a block that are read with it: the end of its last row is mostly there */
#define BEHIND		(4u << 10)
#define ALIGNMENT	64u		/* the block itself: so the kernel copies it fastest */

void line_text_init(struct line_text *text)
{
	/* not zeroed: many readers need only the first pages */
	text->block = mem_resize(NULL,
				 ALIGNMENT + LINE_PAGE_BYTES + LINE_ROW_BYTES + BEHIND + ALIGNMENT,
				 1);
	text->s = text->block + ALIGNMENT - (uintptr_t)text->block % ALIGNMENT + ALIGNMENT - BEFORE;
}

void line_text_fini(struct line_text *text)
{
	free(text->block);
}

bool line_text_read(const struct line_file *file, struct line_text *text, uint64_t bytes)
{
	int64_t got = line_file_read(file, text->s + text->len, bytes - text->len,
				     text->from + text->len);

	if (got > 0)
		text->len += (uint64_t)got;
	return got >= 0;
}

struct line_rows *line_rows_new(const struct line_file *file, struct line_pass *pass)
{
	struct line_rows *r = mem_alloc(sizeof(*r));

	r->file = file;
	r->pass = pass;
	r->calls = line_calls_new(file, pass);
	line_text_init(&r->text);
	return r;
}

void line_rows_free(struct line_rows *r)
{
	if (!r)
		return;
	line_text_fini(&r->text);
	line_calls_free(r->calls);
	free(r);
}

/* --- rows ----------------------------------------------------------------------------------- */

/* Does it tell nothing without the lines above? */
static bool is_below(const struct text_line *line)
{
	return line->kind == TEXT_LINE_STACK || line->kind == TEXT_LINE_COMMENT ||
	       line->kind == TEXT_LINE_SWITCH || !line->line.len;
}

static int task_of(const struct line_rows *r, const struct text_line *line, int cpu)
{
	if (line->pid >= 0)
		return line->pid;
	if (line->kind == TEXT_LINE_LOST)
		return 0;
	return line->kind == TEXT_LINE_PLAIN ? r->after.pid : line_calls_pid(r->calls, cpu);
}

/* False: the page ends before the line. */
static bool add_row(struct line_rows *r, const struct text_line *line)
{
	struct line_row *row = &r->row;
	uint64_t ts;
	int cpu;

	cpu = line->cpu >= 0 && line->cpu <= LINE_MAX_CPU ? line->cpu :
	      line->pid >= 0 ? line_calls_cpu(r->calls, line->pid, r->after.cpu) :
			       r->after.cpu;
	ts = line_stamp(&r->file->info, line,
			r->after.is_before && line->time_kind != TEXT_TIME_NONE ? 0 : r->after.ts);
	if (line_pass_ends(r->pass, cpu, ts))
		return false;
	line_pass_end_row(r->pass);
	r->has_row = true;
	r->has_events |= line->kind != TEXT_LINE_LOST;
	row->kind = line->kind;
	row->all = line->line;
	row->lost = line->lost;
	row->ts = ts;
	row->own_ts = line_stamp(&r->file->info, line, 0);
	row->cpu = cpu;
	row->pid = task_of(r, line, cpu);
	row->own_pid = line->pid;
	row->is_sample = line->is_sample;
	row->stacks[LINE_KERNEL] = row->stacks[LINE_USER] = 0;
	row->call = line->kind == TEXT_LINE_GRAPH ?
			    line_calls_add(r->calls, line, cpu, row->pid, r->file->info.is_untimed,
					   &row->ts) :
			    NULL;
	if (__builtin_expect(r->is_irqentry, 0) && row->call)
		line_pass_irqentry(r->pass, row->call->symbol);
	r->is_irqentry = false;
	line_pass_row(r->pass, line, row);
	r->after.is_before &= line->time_kind == TEXT_TIME_NONE;
	r->after.ts = row->ts;
	r->after.cpu = row->cpu;
	r->after.pid = row->pid;
	return true;
}

static bool is_kernels(const struct text_call *frame)
{
	return (frame->value.len == 16 && digit_of(*frame->value.s) >= 8 &&
		!slice_is(frame->caller, "[vsyscall]")) ||
	       begins_with(frame->caller, "[kernel");
}

/* A line of a call chain of perf script: the kernel's part comes first. */
static void add_frame(struct line_rows *r, struct line_row *row, const struct text_line *line)
{
	enum line_stack stack = is_kernels(&line->call) ? LINE_KERNEL : LINE_USER;
	bool is_first = row->is_sample && !row->stacks[stack] && !row->stacks[LINE_USER];

	if (is_first)
		row->stacks[stack] = (uint32_t)(line->line.s - row->all.s);
	if (row->is_sample)
		line_pass_frame(r->pass, row, is_first ? line_stack_names[stack] : NULL,
				&line->call);
}

/* A line that begins no row belongs to the row above.  False: the page ends before the line. */
static bool add_line(struct line_rows *r, const struct text_line *line)
{
	struct line_row *row = r->has_row ? &r->row : NULL;
	const char *end = line->line.s + line->line.len;

	if (!row && !r->text.from && line_is_preamble(line))
		return true;
	r->is_irqentry |= line->kind == TEXT_LINE_COMMENT &&
			  memmem(line->line.s, line->line.len, "==========>", 11);
	if (line->kind == TEXT_LINE_SWITCH) {
		line_calls_switch(r->calls, line);
		line_pass_switch(r->pass, line, r->after.ts);
		if (line->cpu <= LINE_MAX_CPU)
			r->after.cpu = line->cpu;	/* the CPU of following lines without one */
	}
	if (!row && !is_below(line) && !add_row(r, line))
		return false;
	if (line->kind == TEXT_LINE_PLAIN && line->line.len) {
		r->unknown++;
		line_pass_unknown(r->pass, line->line);
	}
	if (!row)
		return true;
	if ((size_t)(end - row->all.s) > LINE_ROW_BYTES) {
		r->cut++;
		return true;
	}
	row->all.len = (size_t)(end - row->all.s);
	if (line->kind == TEXT_LINE_STACK && line->call.value.len)
		add_frame(r, row, line);
	else if (line->kind == TEXT_LINE_STACK)
		line_pass_symbol(r->pass, line->text);
	return true;
}

/* --- blocks --------------------------------------------------------------------------------- */

/* A block may begin within a line; else the byte before it is read, too. */
static uint64_t skipped_bytes(const struct line_state *state)
{
	return state->from && !state->is_joined ? BEFORE : 0;
}

/* Where the first line of the block begins in the text read; behind it, if none does. */
static uint64_t first_line(const struct line_rows *r, const struct line_state *state)
{
	const char *newline;

	if (!skipped_bytes(state))
		return 0;
	newline = memchr(r->text.s, '\n', r->text.len);
	return newline ? (uint64_t)(newline + 1 - r->text.s) : r->text.len;
}

/* The line at @pos; if its end was not read yet, that is read first.  *next: behind it. */
static struct text_line *read_line(struct line_rows *r, uint64_t pos, uint64_t most, uint64_t *next)
{
	struct line_text *text = &r->text;
	struct text_line *line = text_trace_next(&r->memory, text->s, text->len, pos, next);

	if (*next < text->len || text->len == most || text->from + text->len >= r->file->size)
		return line;
	line_text_read(r->file, text, most);
	return text_trace_next(&r->memory, text->s, text->len, pos, next);
}

/* A page can tell only of lost events before all others. */
static bool is_late_loss(const struct line_rows *r, const struct text_line *line)
{
	return line->kind == TEXT_LINE_LOST && r->has_events;
}

/* Does a line begin within another one? */
static bool is_joined(const struct line_rows *r, uint64_t pos)
{
	return pos && r->text.s[pos - 1] != '\n';
}

/* Read the lines up to the end of the block.  Return: the offset of its end. */
static uint64_t parse_rows(struct line_rows *r, uint64_t pos, uint64_t end)
{
	const uint64_t most = end + LINE_ROW_BYTES;
	uint64_t limit = end;	/* the block has the lines that begin before it */

	while (pos < r->text.len || (pos < most && r->text.from + pos < r->file->size)) {
		bool is_inside = pos < limit, begins_row;
		uint64_t next;
		struct text_line *line = read_line(r, pos, most, &next);

		if (next == pos)
			break;
		if (next >= end && next < r->text.len && is_joined(r, next))
			limit = next + 1;	/* else it was cut off */
		if (is_inside && line->seen && r->has_row && line_pass_known(r->pass, line)) {
			pos = next;
			continue;
		}
		line_adapt(r->file, line);
		/* what belongs to the last row may reach into the next block */
		if (!is_inside && !is_below(line))
			break;
		r->ends_part = is_late_loss(r, line) && r->cuts;
		begins_row = line->kind == TEXT_LINE_EVENT || line->kind == TEXT_LINE_GRAPH ||
			     (line->kind == TEXT_LINE_LOST && !is_late_loss(r, line));
		r->ends_part = r->ends_part ||
			       (begins_row ? !add_row(r, line) : !add_line(r, line));
		if (r->ends_part)
			return pos;
		r->cut += line->line.len >= LINE_ROW_BYTES;
		pos = next;
	}
	return end;
}

/* Bytes behind the end of the block that belong to its last row. */
static uint32_t bytes_above(const struct line_rows *r, uint64_t end)
{
	uint64_t row_end = r->has_row ? (uint64_t)(r->row.all.s - r->text.s) + r->row.all.len : 0;

	return row_end > end ? (uint32_t)(row_end - end) : 0;
}

bool line_rows_read(struct line_rows *r, const struct line_state *state, uint64_t end)
{
	uint64_t skip = skipped_bytes(state), bytes = skip + (end - state->from), at;

	r->has_row = r->ends_part = false;
	r->unknown = r->cut = 0;
	r->after = *state;
	line_calls_block(r->calls);
	r->text.from = state->from - skip;
	r->text.len = 0;
	if (!line_text_read(r->file, &r->text, bytes + BEHIND))
		return false;
	at = parse_rows(r, first_line(r, state), bytes);
	r->after.from = r->text.from + at;
	r->after.above = bytes_above(r, at);
	r->after.is_joined = at < bytes && is_joined(r, at);
	line_pass_end_row(r->pass);
	return true;
}
