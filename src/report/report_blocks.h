/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_REPORT_REPORT_BLOCKS_H
#define FTOP_SRC_REPORT_REPORT_BLOCKS_H
/*
 * report_blocks - takes the items of a report in the order of records, lets workers make their
 * text, a block at a time, and writes the blocks in order.
 *
 *   one thread: report_blocks_add() -> block -> worker: report_form_make() -> one thread: written
 *
 * There are only a few blocks, used in turn, so memory stays small, and everything stops soon after
 * the reader has gone.  The bytes of records stay in the windows they were read into; a window is
 * reused once the last block with a record in it is written.
 */
#include "src/base/output.h"
#include "src/report/report_form.h"
#include "src/base/workers.h"

struct report_blocks;			/* opaque */

struct report_blocks_options {
	const struct report_form *form;	/* borrowed */
	struct workers		*workers;	/* NULL: this thread does everything */
	struct output		*out;
	int64_t			 head;		/* stop after this many counted items; -1: all */
	unsigned int		 block_items;	/* for tests; 0 = a good default */
	/* Called before a block ends: has the rest of its items filled in. */
	void			 (*complete)(void *arg);
	void			 *arg;
};

/* @lines: state before the first item. */
struct report_blocks *report_blocks_new(const struct report_blocks_options *options,
					const struct report_lines *lines);
void report_blocks_free(struct report_blocks *blocks);	/* stops the workers; NULL is allowed */

/* The keeper for reading the records in order. */
const struct cursor_keeper *report_blocks_keeper(struct report_blocks *blocks);

/* Add an item, for the caller to fill in. */
struct report_item *report_blocks_add(struct report_blocks *blocks);

/* Number of items until the block is full; at least one. */
unsigned int report_blocks_room(const struct report_blocks *blocks);

/* Buffer, until the block ends, for texts that libtraceevent makes for its items. */
struct text *report_blocks_side(struct report_blocks *blocks);

/**
 * report_blocks_end() - call it after the items of each record, even if it has none
 * @lines: state after the record
 *
 * May make, queue and write blocks.  Do not call it after report_blocks_done() was true.  Return:
 * 0; -1 with FT_E_IO.
 */
int report_blocks_end(struct report_blocks *blocks, const struct report_lines *lines,
		      struct ft_error *err);

/* Has the reader gone, or .head been reached?  Then stop. */
bool report_blocks_done(const struct report_blocks *blocks);

/* Write the rest.  -1 with FT_E_IO. */
int report_blocks_finish(struct report_blocks *blocks, struct ft_error *err);

/* Number of counted items among those written. */
int64_t report_blocks_counted(const struct report_blocks *blocks);
#endif
