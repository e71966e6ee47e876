/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_GRAPH_H
#define FTOP_UI_VIEW_GRAPH_H
/*
 * view_graph - what the parts of the Graph view share: view_graph.c (its life, and
 * slow places), graph_window.c (which calls it shows), graph_cursor.c (which row it is on), graph_move.c (requests), graph_draw.c
 * (rows), graph_columns.c (their figures), graph_detail.c (what the selected one says),
 * graph_compare.c (two calls beside each other).
 */
#include "src/calls/away_story.h"
#include "src/calls/call_text.h"
#include "src/calls/call_window.h"
#include "src/calls/graph_rows.h"
#include "src/calls/slow_places.h"
#include "ui/view/view.h"

#define GRAPH_WIDE	100		/* columns of a screen that has room for more */

/* ARGS, RETURN and CALLER stand in the call's own text. */
enum graph_column {
	GRAPH_COLUMN_START, GRAPH_COLUMN_CPU, GRAPH_COLUMN_TASK, GRAPH_COLUMN_CONTEXT, GRAPH_COLUMN_SELF, GRAPH_COLUMN_NET,
	GRAPH_COLUMN_ARGS, GRAPH_COLUMN_RETURN, GRAPH_COLUMN_CALLER, NR_GRAPH_COLUMNS
};

struct graph_layout {			/* of the columns, in cells */
	int		 left[NR_GRAPH_COLUMNS], cells[NR_GRAPH_COLUMNS];	/* 0 cells: not shown */
	int		 mark, duration_left, duration, name;
	uint32_t	 hidden;	/* levels left of the edge */
};

struct graph_compare;			/* graph_compare.c */

struct view {
	struct app	*app;
	struct shared	*shared;	/* borrowed */
	bool		 known;		/* whether there are calls, and where: */
	bool		 has_calls;
	unsigned int	 file, buffer;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct call_text *text;		/* owned */
	struct call_window *window;	/* owned; NULL: nothing was looked at yet */
	struct graph_scope scope;	/* the filters, owned; of this key: */
	struct text	 scope_key;
	int		*stream_cpus;	/* owned, [streams] */
	bool		 by_cpu;	/* the list: calls by CPU, else of a task */
	int32_t		 pid;
	int		 cpu;		/* by_cpu; of pid 0 */
	struct graph_rows rows;
	uint64_t	 version;	/* of the window that the rows are made of */
	bool		 stale;		/* folds or filters are others since */
	int8_t		 columns[NR_GRAPH_COLUMNS];	/* 1, -1: the user wants it, or not; 0: as the width says */
	unsigned int	 at, top, height;	/* row of the cursor, first row shown, rows of the screen */
	int		 side;		/* cells that the calls' texts are moved to the left */
	int		 side_step;	/* half of what they have, at the last drawing */
	int		 beyond;	/* -1, 1: there were no more rows where the cursor was to go */
	bool		 upward;	/* it was moved up last */
	trace_ref	 here;		/* what is under the cursor: first record of the call, or of one of the siblings in a row */
	uint8_t		 here_kind;	/* enum graph_row_kind */
	bool		 replaced;	/* the task wanted had no calls */
	struct place	 wanted;	/* to be shown when it is there; not set: nothing */
	int64_t		 sought;	/* the moment that the window was made around */
	struct place	 last;		/* of the row that was under the cursor last */
	struct slow_places *slow;	/* owned; NULL: not looked for yet */
	bool		 slow_net;	/* by net time */
	int		 slow_step;	/* 1, -1: to go on when they are found */
	struct graph_compare *compare;	/* owned; NULL: nothing is compared */
	struct away_story story;	/* of this time off the CPU: */
	trace_ref	 story_of;
	uint64_t	 story_start;	/* 0: of none */
	bool		 has_cost;
	uint64_t	 cost;		/* the tracer's for each call: call_cost_estimate() */
	int		 body_top;	/* first row on the canvas, for the mouse */
};

/* view_graph.c */
void graph_look_for_slow(struct view *view, bool forward);	/* goes there when it is found */

/* graph_window.c */
void graph_find_calls(struct view *view);		/* those of the first file and buffer that have some, as far as is known yet */
void graph_drop(struct view *view);			/* all that was made of a file's calls */
bool graph_take_filters(struct view *view);		/* true: they are others now, and what was made with the old ones is gone */
void graph_seek(struct view *view, int64_t ts);		/* a window around a moment, in slices of graph_work() */
void graph_extend(struct view *view);			/* the window, where the cursor is near to one of its ends */
const struct graph_row *graph_here(struct view *view);	/* under the cursor, or NULL */
void graph_refresh(struct view *view);			/* rows are those of the window, folds and filters now */
void graph_show_call(struct view *view, uint32_t call);	/* opens what it stands in, and goes there */
bool graph_go(struct view *view, const struct place *asked);	/* view_ops.go; false: no calls for it */

/* graph_cursor.c */
const struct call *graph_call(const struct view *view, const struct graph_row *row);
void graph_select(struct view *view, unsigned int row);	/* the cursor */
void graph_find_here(struct view *view);		/* to what was selected before the rows were made anew */

/* The number of the call that begins with a record, or has it as its exit; CALL_NONE: it is not there. */
uint32_t graph_find_record(const struct view *view, trace_ref ref);

/* The innermost call of the trees shown that contains a moment; else the first one behind it, else the last. */
uint32_t graph_find_moment(const struct view *view, int64_t ts);

struct place graph_place(const struct view *view, const struct graph_row *row, bool end);
bool graph_span(struct view *view, bool end, struct place *place);	/* view_ops.span: of the row under the cursor */

/* graph_move.c */
bool graph_request(struct view *view, enum request request, char letter);
bool graph_find(struct view *view, const struct find *find);

/* graph_draw.c */
void graph_draw(struct view *view, const struct view_area *area);
void graph_row_text(struct view *view, const struct graph_row *row, struct text *out);	/* what its call says, uncut */
void graph_task_name(const struct view *view, int32_t pid, int cpu, struct text *out);
void graph_add_us(struct text *out, uint64_t ns);	/* "12.345" */
void graph_add_told(const struct view *view, const struct call *call, struct text *out);	/* "  ret=-2 ENOENT  <-caller", as far as recorded */
bool graph_began_before(const struct view *view, const struct call *call);	/* what was read, so that its entry is not lost */

/* graph_compare.c */
void graph_compare_begin(struct view *view);		/* the row under the cursor with A; says what stands in the way */
void graph_compare_end(struct view *view);
bool graph_compare_request(struct view *view, enum request request);	/* false: not for it */
void graph_compare_draw(struct view *view, const struct view_area *area);

bool graph_before_trace(const struct view *view, const struct call *call);	/* it began then, so that its entry is not there */

/* graph_columns.c */
bool graph_column_shown(const struct view *view, enum graph_column column);
const char *graph_column(struct view *view, unsigned int i, bool *shown, const char **help);	/* its name */
void graph_toggle_column(struct view *view, unsigned int i);
void graph_lay_out(const struct view *view, int cols, struct graph_layout *layout);
void graph_draw_headings(struct view *view, struct canvas *canvas, int y, const struct graph_layout *layout);
void graph_draw_figures(struct view *view, struct canvas *canvas, int y, const struct graph_row *row,
			const struct graph_layout *layout);

/* graph_detail.c */
void graph_draw_detail(struct view *view, const struct view_area *area, int max_rows);
#endif
