/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_BLOCKS_H
#define FTOP_PARSERS_TEXT_BLOCKS_H
/*
 * text_blocks - a text trace cut into blocks of lines, which the page directory
 * counts as it counts sub-buffers: a line is a row.
 *
 * A line without a time of its own has that of the line before it; at the top,
 * that of the first line that has one.
 */
#include <stdint.h>
#include "parsers/pages/page_index.h"
#include "parsers/file/sub_buffer.h"

#define TEXT_BLOCK_LINES	128u
#define TEXT_TIME_BIAS		(1ull << 62)	/* times of text may be negative: raw stamp = time + this */

struct text_block {
	uint64_t	start;		/* byte of the text */
	uint64_t	ts;		/* raw, before its first line */
};

struct text_blocks {
	const char	*text;		/* borrowed */
	uint64_t	 size;
	uint64_t	 nr;
	struct text_block *blocks;	/* owned, [nr] */
};

/* Cut a text, and fill in its directory to the end.  @text is borrowed.  Cost grows with the text. */
void text_blocks_init(struct text_blocks *blocks, const char *text, uint64_t size, struct page_index *index);
void text_blocks_fini(struct text_blocks *blocks);

/* A walk over the lines of a block: as sub_buffer_open() and sub_buffer_next(). */
void text_blocks_open(const struct text_blocks *blocks, uint64_t nr, struct sub_buffer *walk);
bool text_blocks_next(struct sub_buffer *walk, struct record *rec);
#endif
