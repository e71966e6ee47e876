/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_VIEWS_H
#define FTOP_UI_DESK_VIEWS_H
/*
 * views - the open views, the one shown, and moving between places: jumps, view changes, back and
 * forward.
 */
#include "ui/view/view.h"

/* shows a view at the moment under the cursor, or a message if this version lacks it */
void views_show(struct app *app, enum view_id id);
void views_open(struct app *app, enum view_id id);	/* opens it, without showing it */
/* calls view_ops.go; without that, show_file if the cursor moved to another file */
bool views_go(struct app *app, enum view_id id, const struct place *place);
void views_retrace(struct app *app); /* call when shared.trace changed; opens
						   the first view if none is */
void views_close(struct app *app);
void views_publish(struct app *app);		/* makes the view's cursor the shared one */
void views_back(struct app *app, bool back);	/* ( and ) */
/* Opens the kernel's text, or returns: to the row that was left, or to the place visited since. */
void views_kernel_text(struct app *app);
/* Goes back to where Enter was pressed, or to the view that a jump left.  False: there is none. */
bool views_return(struct app *app);
void views_leave(struct app *app);	/* remembers the current state, which is about to change */
struct step views_now(struct app *app);		/* the current state, for places_leave() */
void views_forget_stacks(struct app *app);	/* forgets the filter stacks of the steps */
void views_step(struct app *app);	/* runs a slice of the view's work, if there is any */
void views_follow(struct app *app);	/* reports progress of workers to the view, now and then */
bool views_await(const struct app *app);	/* there is progress to report to the view */
void views_changed(struct app *app);		/* call when display options changed */
void views_index_moved(struct app *app);	/* call when the page directory grew */
/*
 * Call when a recording has new rows.  Once a second, the views on the screen count again.  True:
 * the screen must be drawn.
 */
bool views_grew(struct app *app);
void views_window(struct app *app, int64_t length, int64_t to, bool follows);	/* host_window() */
void views_tour(struct app *app);	/* begins the tour, at the first event */
/* The view with this title, in any case; NR_VIEWS: there is none.  @len: bytes of @title. */
enum view_id views_titled(const char *title, size_t len);
/* Described in ui/view/host.h: */
void views_jump_to(struct app *app, const struct place *place);
void views_jump_time(struct app *app, int64_t ts, int cpu);
void views_jump(struct app *app, trace_ref ref);	/* jumps to a row */
void views_show_at(struct app *app, enum view_id id, const struct place *place);
void views_entering(struct app *app);
void views_leave_zoom(struct app *app);
void views_work(struct app *app);
void views_jump_to_place(struct app *app, const struct place *place);	/* tells if it is hidden */
/* the line of an event as the view shows it */
void views_event_line(struct app *app, const struct trace_event *event, struct text *out);
#endif
