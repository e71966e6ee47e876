/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_H
#define FTOP_UI_VIEW_H
/*
 * view - what a view offers (a table of functions), and what it may ask the screen
 * for.  Views know the shared state and the canvas; nothing of one another.  Each is
 * opened when it is first shown and kept as long as there is a trace.
 */
#include <stdbool.h>
#include "ui/screen/canvas.h"
#include "ui/screen/key.h"
#include "ui/screen/request.h"
#include "src/filter/filter.h"
#include "ui/rows/shared.h"

struct app;				/* ui/app/app.h */
struct view;				/* each view's own */

struct view_area {			/* rows of the canvas, whole width */
	struct canvas	*canvas;
	int		 top, rows;
};

/* What a row is looked for by. */
enum find_kind {
	FIND_PATTERN,			/* shared->pattern in the line */
	FIND_SLOW,			/* duration or gap of at least the threshold */
	FIND_TASK,			/* file, pid; idle tasks by CPU */
	FIND_NAME,			/* file, type_id */
	FIND_PID,			/* file, pid: an event of it, wherever */
	FIND_WAKER,			/* file, pid: a record that wakes it */
	FIND_RUN,			/* file, pid: a switch to it */
	FIND_KEPT,			/* the filters keep it */
};

struct find {
	enum find_kind	kind;
	bool		forward;
	unsigned int	file;
	int		pid, cpu, type_id;
	bool		waking;	/* WAKER: by sched_waking, which comes first */
	const char	*what;		/* for the message: "event of this task"; not owned */
};

/* In the order of their digits, '1' to '6'; K leads to the kernel's text, which has a tab only while it is shown. */
enum view_id {
	VIEW_EVENTS, VIEW_GRAPH, VIEW_TIMELINE, VIEW_LATENCY, VIEW_FUNCTIONS, VIEW_TASKS, VIEW_KERNEL, NR_VIEWS
};

/* What a request is called in one view, where the table of requests has words for another. */
struct view_word {
	enum request	 request;
	const char	*bar;		/* of the key bar; NULL: the table's */
	const char	*help;		/* NULL: the table's */
};

struct view_list {			/* one of the lists between which Tab and o choose */
	char		 letter;
	const char	*name;		/* "wake-ups" */
};

/* What makes the lines of a view as it is now, for other threads. */
struct line_maker {
	struct filter_lines lines;
	struct text	 key;		/* owned: equal keys make equal lines */
	void		 (*free)(struct line_maker *maker);
};

/* Functions that may be NULL say so. */
struct view_ops {
	const enum request *row_requests;	/* on the row under the cursor, for the help; ended by REQ_NONE */
	const char	*hint;		/* for who opens it the first times */
	const enum request *bar;	/* requests of the key bar, in order; ended by REQ_NONE */
	const struct view_word *words;	/* ended by REQ_NONE; NULL: none */
	const struct view_list *lists;	/* in the order of Tab, ended by letter 0; NULL: the trace's (all, CPUs, files…) */
	struct view	*(*open)(struct app *app, struct shared *shared);
	void		 (*close)(struct view *view);
	void		 (*left)(struct view *view);	/* another view is shown from now on; work, when it is back.  NULL: nothing */
	void		 (*draw)(struct view *view, const struct view_area *area);	/* headings and rows */
	/*
	 * Makes the shared cursor and window those of this view; called behind draw, go, and requests that it took.  What
	 * shows nothing leaves shared->here not set; where the cursor is on no moment (a row of a table) it stays as it is.
	 */
	void		 (*publish)(struct view *view);
	int		 (*detail_rows)(struct view *view, int normal, int most);	/* with its divider; 0: none */
	void		 (*draw_detail)(struct view *view, const struct view_area *area, int max_rows);
	void		 (*header)(struct view *view, struct text *out);	/* right end of the header; NULL: the row's number */
	bool		 (*request)(struct view *view, enum request request, char letter);	/* false: not its own */
	void		 (*mouse)(struct view *view, const struct ui_mouse *mouse);	/* NULL: nothing */
	/*
	 * The cursor to this moment: its row where it has one, else what its task or CPU did then.  False: it shows no
	 * moments, or not this one; a jump then shows it in Events.
	 */
	bool		 (*go)(struct view *view, const struct place *place);
	void		 (*window)(struct view *view, int64_t from, int64_t to);	/* what place-back brings back; NULL: goes by rows */
	/* A or B (end) of what is under the cursor, where that is no moment: a call, a run, a wait.  NULL, false: here. */
	bool		 (*span)(struct view *view, bool end, struct place *place);
	void		 (*retrace)(struct view *view);	/* shared->trace is another one; the former is still open */
	void		 (*changed)(struct view *view);	/* list, filters, range, or how things are shown */
	/* A slice of the loop's time, about @ns, after app_work(); true: it wants more.  NULL: it does nothing by itself. */
	bool		 (*work)(struct view *view, int64_t ns);
	void		 (*work_text)(struct view *view, struct text *out);	/* what it is at, for the bottom line; may be NULL */
	bool		 (*progressed)(struct view *view);	/* workers ended a job: true if that is to be drawn; may be NULL */
	/* Looks among rows of its own, by itself.  NULL, or false: the events are looked through. */
	bool		 (*find)(struct view *view, const struct find *find);
	bool		 (*pick_task)(struct view *view, unsigned int file, int pid);	/* goes to it; NULL, false: only it is shown */
	/* Its lists, where it has some: the letter of the one shown; shows one, false: there is nothing in it. */
	char		 (*list)(struct view *view);
	bool		 (*choose_list)(struct view *view, char letter);
	/* Columns: fills a popup's lines, toggles one.  NULL: they cannot be chosen. */
	unsigned int	 (*nr_columns)(struct view *view);
	const char	*(*column)(struct view *view, unsigned int i, bool *shown, const char **help);
	void		 (*toggle_column)(struct view *view, unsigned int i);
	/* An event as text: what search sees and y takes; with the columns as they are shown, for S.  NULL: rows are no events. */
	void		 (*line)(struct view *view, const struct trace_event *event, struct text *out);
	void		 (*save_line)(struct view *view, const struct trace_event *event, struct text *out);
	/* Of line(), made anew; with line() alone.  @words: what is looked for is one word with letters: not in numbers. */
	struct line_maker *(*line_maker)(struct view *view, bool words);
	/* Where rows are no events: the i-th line of what S t saves of the range; false: there are no more. */
	bool		 (*save_row)(struct view *view, uint64_t i, struct text *out);
	void		 (*command)(struct view *view, struct text *out);	/* "graph --cpu 1", that prints it; NULL: report */
	bool		 (*plot)(struct view *view, const char *what);	/* a row of an event, or of a field of it; NULL: it has no such rows */
	const char	*(*record)(struct view *view);	/* words of ftop-trace record for what it lacks; NULL: nothing */
	bool		 is_table;	/* command: where no range is set, of the whole trace, not of a window */
	bool		 (*can)(struct view *view, enum request request);	/* it can act on what is shown: key bar */
	const char	*(*pending_hint)(struct view *view);	/* what the key bar says instead, or NULL; may be NULL */
};

const struct view_ops *view_ops(enum view_id id);	/* NULL: not in this version */
const char *view_title(enum view_id id);		/* "Events" */
static inline char view_digit(enum view_id id)
{
	return id == VIEW_KERNEL ? 'K' : (char)('1' + id);
}

/* The words of a request in a view. */
const char *view_bar(const struct view_ops *ops, enum request request);	/* NULL: not in the key bar */
const char *view_help(const struct view_ops *ops, enum request request);

/* --- what a view may ask for (app.c) ------------------------------------- */
void app_message(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_error(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_jump(struct app *app, trace_ref ref);	/* remembers where we were */
void app_jump_to(struct app *app, const struct place *place);
void app_jump_time(struct app *app, int64_t ts, int cpu);
void app_show(struct app *app, enum view_id id, const struct place *place);	/* the same, in another view */
void app_entering(struct app *app);		/* the jump that follows is Enter's: q leads back */
void app_leave_zoom(struct app *app);		/* before a zoom: ( leads back to before the first of a row */
void app_work(struct app *app);			/* view_ops.work, from now on until it says false */
void app_draw_later(struct app *app);		/* something of it is new: draws at the next turn of the loop */

/* Looks in slices and goes there; says so if there is none. */
void app_find(struct app *app, const struct find *find);
void app_search_for(struct app *app, const char *text, bool forward);	/* a new pattern, and to its next match */
/* Only rows with a value of a field (NULL: an event, or a term of its own), or without it: written into the filter. */
void app_filter_by(struct app *app, const char *name, const char *value, bool without);
/* The same of a task's process at a time; where the trace does not tell it, of the tasks with its name. */
void app_filter_by_process(struct app *app, unsigned int file, int pid, int64_t ts, bool without);
void app_rows_around(struct app *app, bool more);	/* + -: rows shown around each that filters keep */
void app_copy(struct app *app, const char *what, const char *s, size_t len);
#endif
