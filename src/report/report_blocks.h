/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_BLOCKS_H
#define FTOP_SRC_REPORT_BLOCKS_H
/*
 * report_blocks - items of a report go in, in the order of records; workers make
 * text of them, a block at a time; it is written in that order.
 *
 *   one thread: report_blocks_add() -> block -> worker: report_form_make() -> one thread: written
 *
 * There are a few blocks only, used in turn, so that memory stays small and a reader
 * that has gone away stops all of it soon.  The bytes of records stay in the windows
 * they were read into, which are used again once the last block with a record in them
 * is written.
 */
#include "src/base/output.h"
#include "src/report/report_form.h"
#include "src/base/workers.h"

struct report_blocks;			/* opaque */

struct report_blocks_options {
	const struct report_form *form;	/* borrowed */
	struct workers		*workers;	/* NULL: this thread does it all */
	struct output		*out;
	int64_t			 head;		/* write what belongs to so many counted items; -1: all */
	unsigned int		 block_items;	/* 0: as is good; tests */
};

/* @lines: as they are before the first item. */
struct report_blocks *report_blocks_new(const struct report_blocks_options *options, const struct report_lines *lines);
void report_blocks_free(struct report_blocks *blocks);	/* ends what workers are at; NULL is allowed */

/* What the order of records is to be read with. */
const struct cursor_keeper *report_blocks_keeper(struct report_blocks *blocks);

/* One more item; its contents are the caller's to fill. */
struct report_item *report_blocks_add(struct report_blocks *blocks);

/* Items that may be added until the block is full; at least one. */
unsigned int report_blocks_room(const struct report_blocks *blocks);

/* Texts that libtraceevent makes of items of this block. */
struct text *report_blocks_side(struct report_blocks *blocks);

/**
 * report_blocks_end() - all items of a record are there; also to be called of records that bring none
 * @lines: as they are behind it
 *
 * May make, hand out and write blocks.  To be called no more once report_blocks_done().  Return: 0; -1 with FT_E_IO.
 */
int report_blocks_end(struct report_blocks *blocks, const struct report_lines *lines, struct ft_error *err);

/* Nobody reads any more, or .head is written: stop. */
bool report_blocks_done(const struct report_blocks *blocks);

/* Write what is left.  -1 with FT_E_IO. */
int report_blocks_finish(struct report_blocks *blocks, struct ft_error *err);

/* Items that were counted and printed, of what is written. */
int64_t report_blocks_counted(const struct report_blocks *blocks);
#endif
