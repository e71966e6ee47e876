/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_EVENTS_VIEW_EVENTS_H
#define FTOP_UI_EVENTS_VIEW_EVENTS_H
/*
 * view_events - what the parts of the Events view share: view_events.c (its life and
 * requests), events_draw.c (its rows on the canvas), events_text.c (a row as a line of
 * text), events_row.c (actions on the row under the cursor).
 */
#include "ui/rows/columns.h"
#include "ui/view/detail.h"
#include "ui/rows/rows.h"
#include "ui/view/view.h"

struct view {
	const struct view_host *host;
	struct shared	*shared;	/* borrowed */
	struct rows	 rows;
	struct columns	 columns;
	struct detail	 detail;
	struct text	 line;		/* reused */
	struct row	 scratch;	/* reused by searches */
	int		 side;		/* cells of the text scrolled out to the left */
	int		 body_top;	/* first row of the list on the canvas, for the mouse */
	int		 kept_line;	/* the cursor's line before the trace
					   was read again; -1: none */
	int		 drag_from;	/* line where the button went down; -1: it is up */
};

/* events_draw.c */
void events_draw(struct view *view, const struct view_area *area);

/* events_text.c */
/* What stands before a call's text: its depth. */
void events_indent(const struct view *view, const struct row *row, struct text *out);
/* the text column, uncut */
void events_what(const struct view *view, const struct row *row, struct text *out);
/* The line with all columns shown, uncut, without the time between rows. */
void events_line_of(const struct view *view, const struct row *row, struct text *out);
void events_line(struct view *view, const struct trace_event *event, struct text *out);
/* The line with the columns as wide as on the screen; the text uncut. */
void events_save_line(struct view *view, const struct trace_event *event, const int64_t *above,
		      struct text *out);

struct line_maker *events_line_maker(struct view *view, bool words);

/* events_row.c */
/* handles a request while the fields have the keys */
bool events_fields_request(struct view *view, enum request request);
void events_focus_fields(struct view *view);
bool events_copy(struct view *view, char letter);	/* false: not its own */
void events_filter_from_here(struct view *view, char letter, bool without);
#endif
