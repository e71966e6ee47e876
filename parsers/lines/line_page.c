/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * line_page - where the rows of a CPU are in a part of a text, and what their lines do not tell: so
 * a page is read without the lines of other CPUs, and without those above it.
 *
 * A row is some numbers, in 7 bits a byte, the lower ones first; all but the last byte of a number
 * have the highest bit.  Most rows are the first two, of 3 or 4 bytes:
 *
 *   gap          bytes from the end of the page's row before, or from the start of the part
 *   size | bits  bytes of its lines, and which of the following there are
 *   ts, pid      less those of its line alone                  (HAS_MORE)
 *   stacks       where these begin, of a sample of perf script (IS_SAMPLE)
 *   symbol, from, to   of a call; times less ts                 (HAS_CALL)
 */
#include <stdlib.h>

#include "parsers/lines/line_file_private.h"
#include "src/base/memory.h"

#define SIZE_SHIFT	3
/* Bytes behind a row that are read, too: a joined line is to look as it did in the pass. */
#define BEHIND		512u
#define NEAR_BYTES	(8u << 10)	/* from row to row: all between them is read at once */

enum row_bits { HAS_MORE = 1, IS_SAMPLE = 2, HAS_CALL = 4 };
enum call_bits { IS_TIMED = 1, HAS_TIMES = 2 };

/* --- numbers -------------------------------------------------------------------------------- */

static inline void put(struct text *page, uint64_t v)
{
	for (; v >> 7; v >>= 7)
		text_char(page, (char)(v | 0x80));
	text_char(page, (char)v);
}

static void put_signed(struct text *page, uint64_t v)
{
	put(page, v << 1 ^ (v >> 63 ? UINT64_MAX : 0));
}

static inline uint64_t take(struct line_reader *r)
{
	uint64_t v = 0, byte = 0x80;

	for (unsigned int shift = 0; byte >> 7 && r->at < r->end && shift < 64; shift += 7) {
		byte = *r->at++;
		v |= (byte & 0x7f) << shift;
	}
	return v;
}

static uint64_t take_signed(struct line_reader *r)
{
	uint64_t v = take(r);

	return v >> 1 ^ (v & 1 ? UINT64_MAX : 0);
}

void line_page_put(struct text *page, uint64_t gap, const struct line_row *row)
{
	bool more = row->ts != row->own_ts || row->pid != row->own_pid;
	const struct line_row_call *call = row->call;

	put(page, gap);
	put(page, (uint64_t)row->all.len << SIZE_SHIFT | (more ? HAS_MORE : 0) |
			  (row->is_sample ? IS_SAMPLE : 0) | (call ? HAS_CALL : 0));
	if (more) {
		put_signed(page, row->ts - row->own_ts);
		put_signed(page, (uint64_t)((int64_t)row->pid - row->own_pid));
	}
	for (unsigned int i = 0; i < LINE_STACKS && row->is_sample; i++)
		put(page, row->stacks[i]);
	if (!call)
		return;
	put(page, (uint64_t)(uint32_t)(call->symbol + 1) << 2 | (call->to ? HAS_TIMES : 0) |
			  (call->is_timed ? IS_TIMED : 0));
	if (call->to) {
		put_signed(page, call->from - row->ts);
		put_signed(page, call->to - row->ts);
	}
}

/* --- rows ----------------------------------------------------------------------------------- */

struct line_reader *line_reader_new(const struct line_file *file)
{
	struct line_reader *r = mem_alloc(sizeof(*r));

	r->file = file;
	line_text_init(&r->text);
	return r;
}

void line_reader_free(struct line_reader *r)
{
	if (!r)
		return;
	line_text_fini(&r->text);
	free(r);
}

void line_page_begin(struct line_reader *r, uint64_t page, int cpu)
{
	const struct line_file *file = r->file;
	const struct line_page *p = &file->pages[line_file_page(file, page, cpu)];
	uint64_t from = line_file_offset(file, page, cpu), part = line_file_part(file, page, cpu);
	uint64_t end = part + 1 < file->info.nr_parts ? file->parts[part + 1].from : file->end;

	r->at = p->rows;
	r->end = p->rows + p->bytes;
	r->from = from;
	r->row.cpu = cpu;
	r->ahead = (end - from) / (p->sum.events + 1ul) < NEAR_BYTES ? LINE_PAGE_BYTES : 0;
}

/* Read the bytes of a row, if they are not there, and some behind it. */
static bool load(struct line_reader *r, uint64_t from, uint64_t bytes)
{
	struct line_text *text = &r->text;
	uint64_t left = r->file->size - from, most = bytes + BEHIND;

	if (from >= text->from && from + (most < left ? most : left) <= text->from + text->len)
		return true;
	text->from = from;
	text->len = 0;
	return line_text_read(r->file, text, most > r->ahead ? most : r->ahead);
}

/* The first line of the row.  It may have been cut, where another record begins in it. */
static struct text_line *first_line(struct line_reader *r, uint64_t pos, uint64_t bytes)
{
	struct line_text *text = &r->text;
	struct text_line *line = text_trace_next(&r->memory, text->s, text->len, pos, &r->next);

	if (line->line.len > bytes)
		line = text_trace_next(&r->memory, text->s, pos + bytes, pos, &r->next);
	line_adapt(r->file, line);
	return line;
}

static void take_call(struct line_reader *r, const struct text_line *line)
{
	struct line_row_call *call = &r->call;
	uint64_t v = take(r);

	*call = (struct line_row_call){ .parts = line->call, .is_timed = v & IS_TIMED,
					.symbol = (uint32_t)(v >> 2) - 1 };
	if (v & HAS_TIMES) {
		call->from = r->row.ts + take_signed(r);
		call->to = r->row.ts + take_signed(r);
	}
	r->row.call = call;
}

struct text_line *line_page_next(struct line_reader *r, bool *failed)
{
	uint64_t from, v, bytes, pos;
	struct line_row *row = &r->row;
	struct text_line *line;

	*failed = false;
	if (r->at >= r->end)
		return NULL;
	from = r->from + take(r);
	v = take(r);
	bytes = v >> SIZE_SHIFT;
	*failed = !load(r, from, bytes);
	pos = from - r->text.from;
	if (*failed || pos + bytes > r->text.len)	/* the file may have shrunk */
		return NULL;
	r->from = from + bytes;
	line = first_line(r, pos, bytes);
	*row = (struct line_row){ .kind = line->kind, .all = { r->text.s + pos, bytes },
				  .ts = line_stamp(&r->file->info, line, 0), .pid = line->pid,
				  .lost = line->lost, .is_sample = v & IS_SAMPLE,
				  .cpu = row->cpu };
	if (v & HAS_MORE) {
		row->ts += take_signed(r);
		row->pid = (int)(row->pid + (int64_t)take_signed(r));
	}
	for (unsigned int i = 0; i < LINE_STACKS && row->is_sample; i++)
		row->stacks[i] = (uint32_t)take(r);
	if (v & HAS_CALL)
		take_call(r, line);
	return line;
}
