/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/pages/text_blocks.h"

#include <stdlib.h>
#include <string.h>

#include "parsers/lines/text_trace.h"
#include "src/base/memory.h"

static bool has_time(const struct text_line *line)
{
	return line->time_kind != TEXT_TIME_NONE && line->time < (int64_t)TEXT_TIME_BIAS &&
	       line->time > -(int64_t)TEXT_TIME_BIAS;
}

bool text_blocks_next(struct sub_buffer *walk, struct record *rec)
{
	const char *text = (const char *)walk->pos;
	uint64_t left = walk->end - walk->pos, from, line_end, end = 0, len;
	struct text_line line;

	do {
		from = end;
		if (from >= left)
			return false;
		end = text_trace_line(text, left, from, &line);
	} while (line.kind == TEXT_LINE_COMMENT);
	line_end = end;
	end = text_trace_stack_end(text, left, end);
	rec->data = walk->pos + from;
	rec->offset = rec->data - walk->page;
	walk->pos += end;
	len = end == line_end ? line.line.len : end - from - (text[end - 1] == '\n');
	rec->size = len > UINT32_MAX ? UINT32_MAX : len;
	if (has_time(&line))
		walk->ts = (uint64_t)line.time + TEXT_TIME_BIAS;
	rec->ts = walk->ts;
	return true;
}

static uint64_t block_end(const struct text_blocks *blocks, uint64_t nr)
{
	return nr + 1 < blocks->nr ? blocks->blocks[nr + 1].start : blocks->size;
}

void text_blocks_open(const struct text_blocks *blocks, uint64_t nr, struct sub_buffer *walk)
{
	const uint8_t *start = (const uint8_t *)blocks->text + blocks->blocks[nr].start;

	*walk = (struct sub_buffer){ .page = start, .pos = start,
				     .end = (const uint8_t *)blocks->text + block_end(blocks, nr),
				     .ts = blocks->blocks[nr].ts };
}

/* The first time in the text, for the lines before it. */
static uint64_t first_time(const struct text_blocks *blocks)
{
	struct text_line line;

	for (uint64_t pos = 0; pos < blocks->size;) {
		pos = text_trace_line(blocks->text, blocks->size, pos, &line);
		if (has_time(&line))
			return (uint64_t)line.time + TEXT_TIME_BIAS;
	}
	return TEXT_TIME_BIAS;
}

static void cut_blocks(struct text_blocks *blocks)
{
	struct sub_buffer walk = { .page = (const uint8_t *)blocks->text,
				   .pos = (const uint8_t *)blocks->text,
				   .end = (const uint8_t *)blocks->text + blocks->size,
				   .ts = first_time(blocks) };
	uint64_t lines = 0, cap = 0;
	struct record rec;

	for (;;) {
		struct text_block block = { walk.pos - walk.page, walk.ts };

		if (!text_blocks_next(&walk, &rec))
			break;
		if (lines++ % TEXT_BLOCK_LINES)
			continue;
		mem_grow(&blocks->blocks, blocks->nr, &cap);
		blocks->blocks[blocks->nr++] = block;
	}
}

void text_blocks_init(struct text_blocks *blocks, const char *text, uint64_t size,
		      struct page_index *index)
{
	struct page_range *range;
	uint64_t run = 0;

	*blocks = (struct text_blocks){ .text = text, .size = size };
	cut_blocks(blocks);
	while ((range = page_index_claim(index, blocks->nr))) {
		for (uint64_t nr = range->from; nr < range->to; nr++) {
			uint32_t i = nr % range->slab_pages;
			struct sub_buffer walk;
			struct record rec;

			text_blocks_open(blocks, nr, &walk);
			while (text_blocks_next(&walk, &rec)) {
				run = rec.ts > run ? rec.ts : run;
				if (!range->slab->count[i]++)
					range->slab->first[i] = run;
			}
			range->last[nr - range->from] = run;
			range->slab->span[i] = run - range->slab->first[i] > UINT32_MAX ?
						       UINT32_MAX :
						       run - range->slab->first[i];
			if (run - range->slab->first[i] > UINT32_MAX)
				range->slab->count[i] |= PAGE_WIDE;
		}
		page_index_commit(index, range);
	}
}

void text_blocks_fini(struct text_blocks *blocks)
{
	free(blocks->blocks);
}
