/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PAGES_TEXT_BLOCKS_H
#define FTOP_PARSERS_PAGES_TEXT_BLOCKS_H
/*
 * text_blocks - divides a text trace into blocks of lines, which the page directory counts like
 * sub-buffers: a line is a row, with the lines of its stack.  Comments are no rows.
 *
 * A line without a time has that of the line before it; lines at the top have that of the first
 * line with one.
 */
#include <stdint.h>
#include "parsers/pages/page_index.h"
#include "parsers/file/sub_buffer.h"

#define TEXT_BLOCK_LINES	128u	/* rows in a block */
/* times in text may be negative: raw stamp = time + this */
#define TEXT_TIME_BIAS		(1ull << 62)

struct text_block {
	uint64_t	start;		/* byte offset in the text */
	uint64_t	ts;		/* raw, the time before its first row */
};

struct text_blocks {
	const char	*text;		/* borrowed */
	uint64_t	 size;
	uint64_t	 nr;
	struct text_block *blocks;	/* owned, [nr] */
};

/*
 * Divide a text into blocks, and fill in the whole directory.  @text is borrowed.  Cost grows with
 * the text.
 */
void text_blocks_init(struct text_blocks *blocks, const char *text, uint64_t size,
		      struct page_index *index);
void text_blocks_fini(struct text_blocks *blocks);

/* Walk over the rows of a block, like sub_buffer_open() and sub_buffer_next(). */
void text_blocks_open(const struct text_blocks *blocks, uint64_t nr, struct sub_buffer *walk);
bool text_blocks_next(struct sub_buffer *walk, struct record *rec);
#endif
