/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FLAME_H
#define FTOP_SRC_FUNCTIONS_FLAME_H
/*
 * flame - lays out a flame graph: the width of each function below its callers, and its columns on
 * a screen, the outermost on top:
 *
 *   row 0  |all----------------------------------------|
 *   row 1  |schedule---------------------|do_nanosleep-|
 *   row 2  |pick_next-----|deque|.......  |schedule----|	.....  narrow ones, in one box
 *
 * The width of a frame is:
 *   total, net   its own sum; its callees' together where these are more (calls without an
 *                end, or out of the scope, have no time).  By net, interrupts of timed calls
 *                have no frames, since they are not in the net of these calls
 *   self, calls  its own sum and its callees'
 * The part not covered by callees is its own.  Callees are placed from the left, the widest first;
 * callees of equal width by address.
 */
#include <stdint.h>
#include "src/functions/call_paths.h"

enum flame_measure { FLAME_TOTAL, FLAME_SELF, FLAME_NET, FLAME_CALLS, NR_FLAME_MEASURES };

struct flame;				/* opaque */

/* @paths: borrowed.  Time and memory grow with their number. */
struct flame *flame_new(const struct call_paths *paths, enum flame_measure measure);
void flame_free(struct flame *flame);	/* NULL is allowed */

uint64_t flame_value(const struct flame *flame, uint32_t path); /* its width, in ns or calls;
								 * saturates at UINT64_MAX */
uint64_t flame_own(const struct flame *flame, uint32_t path);	/* the part without callees */

/* Callees in order of width; borrowed. */
const uint32_t *flame_callees(const struct flame *flame, uint32_t path, uint32_t *nr);

/* The next frame below @top, callees before siblings; CALL_PATH_ROOT: there is none. */
uint32_t flame_next(const struct flame *flame, uint32_t top, uint32_t path);
/* the previous one; @top has none */
uint32_t flame_before(const struct flame *flame, uint32_t top, uint32_t path);
uint32_t flame_last(const struct flame *flame, uint32_t top);	/* the last one in reading order */

/* The neighbouring frame of the same caller; itself if there is none. */
uint32_t flame_beside(const struct flame *flame, uint32_t path, bool right);

struct flame_box {
	uint32_t	 path;		/* the frame; the widest of several */
	uint32_t	 nr;		/* neighbours in it, each narrower than a column; else 1 */
	uint32_t	 parent;	/* index of the box above; 0 for box 0 */
	uint32_t	 first, nr_boxes;	/* boxes of its callees */
	uint32_t	 row;		/* 0 = the top frame */
	uint32_t	 left, width;	/* columns */
};

struct flame_layout {
	struct flame_box *boxes;	/* owned, [nr]: by row, from the left */
	uint32_t	 nr, cap;
	bool		 cut;		/* there are frames below the last row */
};

/**
 * flame_lay_out() - make the boxes of a frame and its callees
 * @top: gets all columns
 * @columns: at least 1
 * @rows: maximum number of rows, at least 1
 *
 * Frames begin where their share of the columns begins, rounded down.  Frames of at least one
 * column have a box each; narrower ones after them share a box, or have none if they do not fill a
 * column together.
 */
void flame_lay_out(const struct flame *flame, uint32_t top, uint32_t columns, uint32_t rows,
		   struct flame_layout *layout);
void flame_layout_fini(struct flame_layout *layout);

/* The box that contains a frame, or the nearest one above. */
uint32_t flame_box_of(const struct flame *flame, const struct flame_layout *layout, uint32_t path);
#endif
