/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COUNTS_COUNTS_BLOCK_H
#define FTOP_SRC_COUNTS_COUNTS_BLOCK_H
/*
 * counts_block - requests to block devices: how many were in flight, and how long they took from
 * queue (Q2C) and issue (D2C) to completion.  A request is what has one device and first sector: of
 * bios that were merged, the first one counts.
 */
#include "src/counts/counts.h"

struct block_moves {			/* zero it; free .list */
	struct block_move {
		int64_t		ts;
		uint64_t	sector, rwbs;	/* rwbs: letters, "WS"; 0: not known */
		uint32_t	device, row;
		enum block_step { BLOCK_COMPLETE, BLOCK_QUEUE, BLOCK_ISSUE } step;
	}		*list;		/* owned, [nr] */
	uint32_t	nr, cap;
	bool		is_full;	/* there were more: the figures are not known */
};

void block_moves_add(struct block_moves *moves, struct block_move move);
/* Set the figures of the rows: .in_flight of issues, the others of completions. */
void block_moves_sum(struct block_moves *moves, struct counts_row *rows);
#endif
