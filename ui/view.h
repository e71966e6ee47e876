/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_H
#define FTOP_UI_VIEW_H
/*
 * view - what a view offers (a table of functions), and what it may ask the screen
 * for.  Views know the shared state and the canvas; nothing of one another.
 */
#include <stdbool.h>
#include "ui/canvas.h"
#include "ui/key.h"
#include "ui/request.h"
#include "ui/shared.h"

struct app;				/* ui/app.h */
struct view;				/* each view's own */

struct view_area {			/* rows of the canvas, whole width */
	struct canvas	*canvas;
	int		 top, rows;
};

struct view_ops {
	char		 digit;		/* its key and number in the tabs */
	const char	*title;		/* "Events" */
	const enum request *row_requests;	/* on the row under the cursor, for the help; ended by REQ_NONE */
	const char	*hint;		/* for who opens it the first times */
	const enum request *bar;	/* requests of the key bar, in order; ended by REQ_NONE */
	struct view	*(*open)(struct app *app, struct shared *shared);
	void		 (*close)(struct view *view);
	/* Headings and rows; then the shared cursor and window are those of this view. */
	void		 (*draw)(struct view *view, const struct view_area *area);
	void		 (*draw_detail)(struct view *view, const struct view_area *area, int max_rows);
	int		 (*detail_rows)(struct view *view, int normal, int most);	/* with its divider; 0: none */
	bool		 (*request)(struct view *view, enum request request, char letter);	/* false: not its own */
	void		 (*mouse)(struct view *view, const struct ui_mouse *mouse);
	void		 (*go)(struct view *view, trace_ref ref);	/* cursor to this row */
	void		 (*retrace)(struct view *view);	/* shared->trace is another one; the former is still open */
	void		 (*changed)(struct view *view);	/* the list or how things are shown is another */
	/* Fills a popup's lines about columns; toggles one. */
	unsigned int	 (*nr_columns)(struct view *view);
	const char	*(*column)(struct view *view, unsigned int i, bool *shown, const char **help);
	void		 (*toggle_column)(struct view *view, unsigned int i);
	/* A row as text: what search sees and y takes; with the columns as they are shown, for S. */
	void		 (*line)(struct view *view, const struct trace_event *event, struct text *out);
	void		 (*save_line)(struct view *view, const struct trace_event *event, struct text *out);
	bool		 (*can)(struct view *view, enum request request);	/* it can act on what is shown: key bar */
	const char	*(*pending_hint)(struct view *view);	/* what the key bar says instead, or NULL */
};

const struct view_ops *view_ops(unsigned int i);	/* NULL past the last */

/* --- what a view may ask for (app.c) ------------------------------------- */
void app_message(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_error(struct app *app, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void app_jump(struct app *app, trace_ref ref);	/* remembers where we were */
void app_jump_time(struct app *app, int64_t ts, int cpu);
void app_entering(struct app *app);		/* the jump that follows is Enter's: q leads back */

/* What a row is looked for by. */
enum find_kind {
	FIND_PATTERN,			/* shared->pattern in the line */
	FIND_SLOW,			/* duration or gap of at least the threshold */
	FIND_TASK,			/* file, pid; idle tasks by CPU */
	FIND_NAME,			/* file, type_id */
	FIND_PID,			/* file, pid: an event of it, wherever */
	FIND_KEPT,			/* the filters keep it */
};

struct find {
	enum find_kind	kind;
	bool		forward;
	unsigned int	file;
	int		pid, cpu, type_id;
	const char	*what;		/* for the message: "event of this task"; not owned */
};

/* Looks in slices and goes there; says so if there is none. */
void app_find(struct app *app, const struct find *find);
void app_search_for(struct app *app, const char *text, bool forward);	/* a new pattern, and to its next match */
/* Only rows with a value of a field (NULL: an event, or a term of its own), or without it: written into the filter. */
void app_filter_by(struct app *app, const char *name, const char *value, bool without);
void app_copy(struct app *app, const char *what, const char *s, size_t len);
#endif
