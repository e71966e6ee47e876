/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_FUNCTIONS_FUNCTIONS_FLAME_H
#define FTOP_UI_FUNCTIONS_FUNCTIONS_FLAME_H
/*
 * functions_flame - the flame graph of the Functions view: functions_flame.c (which frames
 * are shown, keys), functions_flame_draw.c (boxes and words).
 *
 * The top frame has the full width; the cursor is on it or on a frame below it. Both are kept as
 * paths of functions, so that they are found again after the table, the scope or the measure
 * changes.
 */
#include "src/functions/flame.h"
#include "ui/view/view.h"

#define FLAME_ROWS	512u		/* levels shown below the top frame */
/* a frame is wide if its own part is at least 1 / FLAME_WIDE of what is shown */
#define FLAME_WIDE	50u

struct view;			/* view_functions.h */

struct flame_view {
	struct flame	*flame;		/* owned; NULL: not made from the table yet */
	const struct call_paths *paths;	/* borrowed: what it is made of */
	enum flame_measure measure;	/* what is measured of calls */
	bool		 by_waits;	/* stacks of waits show their number, not their time */
	struct flame_layout layout;	/* owned */
	bool		 laid_out;
	bool		 grew;		/* the trace did: a frame that was under the cursor may be
					 * gone */
	uint32_t	 at, top;	/* frames: under the cursor, the top frame */
	uint64_t	*way;		/* owned, [nr_way] functions from the
					   outermost one to the cursor's */
	uint32_t	 nr_way, cap_way;
	uint32_t	 top_level;	/* number of them that lead to the top frame */
	uint32_t	 came[16];	/* earlier top frames, newest last */
	uint32_t	 nr_came;
	uint32_t	 scroll;	/* rows above the screen */
	uint32_t	 rows, cols;	/* size of its area on the screen */
	uint32_t	*functions;	/* owned, by path: row of the table, or NO_FUNCTION;
					 * NULL for stacks */
	/* The comparison; NULL if there is none: */
	struct flame	*other;		/* owned */
	uint32_t	*others;	/* owned, by path: the same path in `other`, or 0 */
	uint64_t	 saved_row;	/* for S t: the last row saved, */
	uint32_t	 saved_path;	/* and its frame */
	char		*sought;	/* owned: the pattern of `found`; NULL: none */
	uint64_t	 found;		/* value of the matching frames; nested ones count once */
};

#define NO_FUNCTION	UINT32_MAX

/* functions_flame.c */
void functions_flame_fini(struct view *view);
void functions_flame_drop(struct view *view);		/* call when the table changes */
/* makes the flame graph and its layout; false: nothing to show */
bool functions_flame_refresh(struct view *view);
void functions_flame_size(struct view *view, uint32_t rows, uint32_t cols);
bool functions_flame_request(struct view *view, enum request request, char letter);
bool functions_flame_find(struct view *view, bool forward);
void functions_flame_click(struct view *view, int row, int col, bool twice);
/* moves the cursor to the function's widest frame, unless it is on one */
void functions_flame_function(struct view *view, uint64_t address);
bool functions_flame_save_row(struct view *view, uint64_t i, struct text *out);

/* functions_flame_compare.c */
void functions_flame_match(struct view *view);	/* call after the flame graph is made */
/* How much more of a second it takes here: 0.5 is half as much again.  False: it is only here. */
bool functions_flame_change(const struct view *view, uint32_t path, double *change);
enum role functions_flame_role(const struct view *view, uint32_t path);	/* while comparing */

/* functions_flame_draw.c */
void functions_flame_draw(struct view *view, const struct view_area *area);
void functions_flame_draw_detail(struct view *view, const struct view_area *area);
/* the name of a frame, printable; "all" for the root */
void functions_flame_name(const struct view *view, uint32_t path, struct text *out);
bool functions_flame_matches(const struct view *view, uint32_t path);	/* by its name */

/* functions_shown.c */
enum flame_measure functions_flame_by(const struct view *view);
const char *functions_flame_measure(const struct view *view);	/* "self time" */
void functions_flame_value(const struct view *view, uint64_t value, struct text *out);
#endif
