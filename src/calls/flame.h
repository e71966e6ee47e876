/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FLAME_H
#define FTOP_SRC_FLAME_H
/*
 * flame - a flame graph: how wide each function under its callers is, and which columns
 * of a screen it has, the outermost on top:
 *
 *   row 0  |all----------------------------------------|
 *   row 1  |schedule---------------------|do_nanosleep-|
 *   row 2  |pick_next-----|deque|.......  |schedule----|	.....  narrow ones, in one box
 *
 * A frame is as wide as its figure and those of its callees say:
 *   total, net   its own sum; its callees' together where these are more (calls without an
 *                end, or out of the scope, have no time; interrupts are not in net)
 *   self, calls  its own sum and its callees'
 * What is not covered by callees is its own part.  Callees stand from the left, the widest
 * first; of equal ones that with the lower address.
 */
#include <stdint.h>
#include "src/calls/call_paths.h"

enum flame_measure { FLAME_TOTAL, FLAME_SELF, FLAME_NET, FLAME_CALLS, NR_FLAME_MEASURES };

struct flame;				/* opaque */

/* @paths: borrowed.  Time and memory are those of its paths. */
struct flame *flame_new(const struct call_paths *paths, enum flame_measure measure);
void flame_free(struct flame *flame);	/* NULL is allowed */

uint64_t flame_value(const struct flame *flame, uint32_t path);	/* its width, in ns or calls; ends at UINT64_MAX */
uint64_t flame_own(const struct flame *flame, uint32_t path);	/* of that not covered by callees */

/* Callees in their order; borrowed. */
const uint32_t *flame_callees(const struct flame *flame, uint32_t path, uint32_t *nr);

/* The next frame in reading order (callees before what stands beside) within @top; CALL_PATH_ROOT: there is none. */
uint32_t flame_next(const struct flame *flame, uint32_t top, uint32_t path);
uint32_t flame_before(const struct flame *flame, uint32_t top, uint32_t path);	/* and back; @top has none */
uint32_t flame_last(const struct flame *flame);		/* the last one of all */

/* The frame beside it, of the same caller; or itself. */
uint32_t flame_beside(const struct flame *flame, uint32_t path, bool right);

struct flame_box {
	uint32_t	 path;		/* the frame; of several the widest */
	uint32_t	 nr;		/* neighbours of less than a column each in one box; else 1 */
	uint32_t	 parent;	/* number of the box above; of box 0: 0 */
	uint32_t	 first, nr_boxes;	/* boxes of its callees */
	uint32_t	 row;		/* 0: the frame on top */
	uint32_t	 left, width;	/* columns */
};

struct flame_layout {
	struct flame_box *boxes;	/* owned, [nr]: row by row, from the left */
	uint32_t	 nr, cap;
	bool		 cut;		/* there are frames below the last row */
};

/**
 * flame_lay_out() - the boxes of a frame and what it called
 * @top: it has all columns
 * @columns: at least 1
 * @rows: at most so many, at least 1
 *
 * Frames stand where their share of the columns begins, rounded down.  Those of a column or more have a box each,
 * narrower ones behind them share one; without a whole column for them they have none.
 */
void flame_lay_out(const struct flame *flame, uint32_t top, uint32_t columns, uint32_t rows, struct flame_layout *layout);
void flame_layout_fini(struct flame_layout *layout);

/* The box that a frame is in, or else the nearest one above. */
uint32_t flame_box_of(const struct flame *flame, const struct flame_layout *layout, uint32_t path);
#endif
