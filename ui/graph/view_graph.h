/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_GRAPH_VIEW_GRAPH_H
#define FTOP_UI_GRAPH_VIEW_GRAPH_H
/*
 * view_graph - what the parts of the Graph view share: view_graph.c (its life), graph_window.c
 * (which calls it shows), graph_cursor.c (which row it is on), graph_move.c (requests),
 * graph_slow.c (slow calls), graph_draw.c (rows), graph_text.c (their text), graph_names.c (times
 * and tasks), graph_columns.c (their figures), graph_detail.c (describes the selected row),
 * graph_compare.c (two calls side by side).
 */
#include "src/calls/away_story.h"
#include "src/calls/call_text.h"
#include "src/calls/call_window.h"
#include "src/calls/graph_rows.h"
#include "src/calls/slow_places.h"
#include "ui/rows/call_scope.h"
#include "ui/screen/list_window.h"
#include "ui/view/view.h"

#define GRAPH_WIDE	100		/* cells: wider screens show more columns */

/* ARGS, RETURN and CALLER are part of the call's text. */
enum graph_column {
	GRAPH_COLUMN_START, GRAPH_COLUMN_CPU, GRAPH_COLUMN_TASK, GRAPH_COLUMN_CONTEXT,
	GRAPH_COLUMN_SELF, GRAPH_COLUMN_NET,
	GRAPH_COLUMN_ARGS, GRAPH_COLUMN_RETURN, GRAPH_COLUMN_CALLER, NR_GRAPH_COLUMNS
};

struct graph_layout {			/* positions of the columns, in cells */
	/* 0 cells: not shown */
	int		 left[NR_GRAPH_COLUMNS], cells[NR_GRAPH_COLUMNS];
	int		 mark, duration_left, duration, name;
	uint32_t	 hidden;	/* outer levels scrolled off the left edge */
	bool		 has_net;	/* graph_has_net() */
};

struct graph_compare;			/* graph_compare.c */

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	bool		 known;		/* Does the trace have calls, and where? */
	bool		 has_calls;
	unsigned int	 file, buffer;
	struct graph_types *types;	/* owned; NULL: no calls */
	struct call_text *text;		/* owned */
	struct call_window *window;	/* owned; NULL: no place was shown yet */
	struct call_scope scope;	/* owned: the filters */
	int		*stream_cpus;	/* owned, [streams] */
	bool		 by_cpu;	/* true: the list of calls by CPU; false: of a task */
	int32_t		 pid;
	int		 cpu;		/* the CPU shown, if by_cpu or for pid 0 */
	struct graph_rows rows;
	uint64_t	 version;	/* version of the window from which the rows were made */
	bool		 stale;		/* folds or filters have changed since */
	int8_t		 columns[NR_GRAPH_COLUMNS];	/* set by the user: 1 shown, -1
							   hidden; 0: by the width */
	struct list_window lines;	/* rows on the screen */
	int		 side;		/* cells by which the calls' text is scrolled to the left */
	int		 side_step;	/* half the width of that text, as last drawn */
	int		 beyond;	/* -1, 1: the cursor could not go further up or down */
	bool		 upward;	/* the cursor last moved up */
	trace_ref	 here;	/* first record of the call under the cursor, or of a sibling */
	uint8_t		 here_kind;	/* enum graph_row_kind */
	bool		 replaced;	/* the requested task had no calls */
	bool		 grew;		/* the window is made again, as the trace grew */
	struct place	 wanted;	/* where to go once it is loaded; not set: nowhere */
	int64_t		 sought;	/* the time around which the window was made */
	struct place	 last;		/* place of the row last under the cursor, also before the
					   trace was opened again */
	struct slow_places *slow;	/* owned; NULL: not looked for yet */
	bool		 slow_net;	/* slow is judged by net time */
	int		 slow_step;	/* 1, -1: direction to go once they are found */
	struct graph_compare *compare;	/* owned; NULL: nothing is compared */
	struct away_story story;	/* what happened while a task was off the CPU */
	trace_ref	 story_of;	/* that time's first record */
	uint64_t	 story_start;	/* that time's start; 0: none was told */
	bool		 has_cost;
	uint64_t	 cost;	/* ns that the tracer costs for each call: call_cost_estimate() */
};

/* graph_slow.c */
/* searches, and goes to it when found */
void graph_look_for_slow(struct view *view, bool forward);
/* goes to the next slow call, once they are found */
void graph_step_to_slow(struct view *view);

/* graph_window.c */
void graph_find_calls(struct view *view);	/* finds the first file and buffer with calls */
void graph_drop(struct view *view);	/* frees all that was made from a file's calls */
void graph_reset(struct view *view);	/* graph_drop(); rows, cursor and task begin anew */
bool graph_take_filters(struct view *view);	/* true: they changed; drops what they made */
void graph_seek(struct view *view, int64_t ts);		/* begins to load a window around a time */
/* Calls whose entry a ring has dropped stay open, or closed: their exit identifies them then. */
void graph_keep_folds(struct view *view);
void graph_extend(struct view *view);	/* extends the window if the cursor is near an end */
const struct graph_row *graph_here(struct view *view);	/* the row under the cursor, or NULL */
bool graph_is_open(struct view *view);		/* it */
void graph_refresh(struct view *view);	/* makes the rows again, with folds and filters */
void graph_show_call(struct view *view, uint32_t call);	/* unfolds what is around it, goes there */
bool graph_has_net(const struct view *view);	/* net times exist, as far as is counted */
bool graph_waits(struct view *view);		/* there are no rows, as nothing was read yet */
/* False: it has no calls there.  If that is not known yet, it goes there once it is. */
bool graph_go(struct view *view, const struct place *asked);
void graph_begin(struct view *view);	/* goes where it was to go, else to the first calls */

/* graph_cursor.c */
const struct call *graph_call(const struct view *view, const struct graph_row *row);
void graph_select(struct view *view, unsigned int row);	/* moves the cursor */
void graph_find_here(struct view *view);	/* finds its row again after rows were rebuilt */
/* Is it on a row of this call: its own, its end, or the closed group that it is in? */
bool graph_is_here(const struct view *view, uint32_t call);

/*
 * The number of the call that begins with a record, or has it as its exit; CALL_NONE: it is not
 * there.
 */
uint32_t graph_find_record(const struct view *view, trace_ref ref);

/*
 * The innermost call of the trees shown that contains a moment; else the first call after it, else
 * the last.
 */
uint32_t graph_find_moment(const struct view *view, int64_t ts);

struct place graph_place(const struct view *view, const struct graph_row *row, bool end);

/* graph_move.c */
bool graph_request(struct view *view, enum request request, char letter);
bool graph_find(struct view *view, const struct find *find);

/* graph_draw.c */
void graph_draw(struct view *view, const struct view_area *area);

/* graph_names.c */
void graph_task_name(const struct view *view, int32_t pid, int cpu, struct text *out);
void graph_add_us(struct text *out, uint64_t ns);	/* "12.345" */

/* graph_text.c */
/* the text of a row's call, uncut */
void graph_row_text(struct view *view, const struct graph_row *row, struct text *out);
/* The duration that the row shows; false: it is not known. */
bool graph_row_duration(const struct view *view, const struct graph_row *row, uint64_t *ns);
/* "  ret=-2 ENOENT  <-caller", as far as recorded */
void graph_add_told(const struct view *view, const struct call *call, struct text *out);
/* Did the call begin before what was read so far?  Its entry may still exist. */
bool graph_began_before(const struct view *view, const struct call *call);
/*
 * Why has a call no entry?  Its start may be told too late, by the time that it slept
 * (nosleep-time): then it may have begun before what a ring has left.
 */
enum graph_no_entry {
	GRAPH_ENTRY_BEFORE,		/* it began before the trace */
	GRAPH_ENTRY_DROPPED,		/* before what a ring has left of the CPU where it ended */
	GRAPH_ENTRY_EITHER,		/* dropped or lost */
	GRAPH_ENTRY_LOST,
};
enum graph_no_entry graph_no_entry(const struct view *view, const struct call *call);

/* graph_compare.c */
/* compares a row's call with A; shows a message on failure */
void graph_compare_begin(struct view *view, const struct graph_row *row);
void graph_compare_end(struct view *view);
bool graph_compare_request(struct view *view, enum request request);	/* false: not handled */
void graph_compare_draw(struct view *view, const struct view_area *area);

/* graph_columns.c */
bool graph_column_shown(const struct view *view, enum graph_column column);
/* a column's name */
const char *graph_column(struct view *view, unsigned int i, bool *shown, const char **help);
void graph_toggle_column(struct view *view, unsigned int i);
void graph_save_columns(const struct view *view, struct text *out);
void graph_restore_columns(struct view *view, const char *key, const char *value);
void graph_lay_out(const struct view *view, int cols, struct graph_layout *layout);
void graph_draw_headings(struct view *view, struct canvas *canvas, int y,
			 const struct graph_layout *layout);
void graph_draw_figures(struct view *view, struct canvas *canvas, int y,
			const struct graph_row *row, const struct graph_layout *layout);

/* graph_detail.c */
void graph_say(struct view *view, struct text *heading, struct text *words);
#endif
