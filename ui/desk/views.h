/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_VIEWS_H
#define FTOP_UI_DESK_VIEWS_H
/*
 * views - the open views, the one shown, and moving between places: jumps, view changes, back and
 * forward.
 */
#include "ui/view/view.h"

/* at the moment under the cursor; a message if this version lacks the view */
void views_show(struct app *app, enum view_id id);
void views_open(struct app *app, enum view_id id);	/* without showing it */
/* view_ops.go, or, where the cursor moved to another file, show_file */
bool views_go(struct app *app, enum view_id id, const struct place *place);
void views_retrace(struct app *app); /* shared.trace changed; opens
						   the first view if none is */
void views_close(struct app *app);
void views_publish(struct app *app);		/* makes the view's cursor the shared one */
void views_back(struct app *app, bool back);	/* ( and ) */
/* Opens the kernel's text, or returns: to the row that was left, or to the place visited since. */
void views_kernel_text(struct app *app);
bool views_return(struct app *app);	/* to where Enter came from; false: it led nowhere */
void views_leave(struct app *app);	/* remembers the current state, which is about to change */
struct step views_now(struct app *app);		/* the current state, for places_leave() */
void views_forget_stacks(struct app *app);	/* forgets the filter stacks of the steps */
void views_step(struct app *app);	/* runs a slice of the view's work, if there is any */
void views_follow(struct app *app);	/* reports progress of workers to the view, now and then */
bool views_await(const struct app *app);	/* there is progress to report to the view */
void views_changed(struct app *app);		/* the display options changed */
void views_index_moved(struct app *app);		/* the page directory grew */
/* As ui/view/host.h says: */
void views_jump_to(struct app *app, const struct place *place);
void views_jump_time(struct app *app, int64_t ts, int cpu);
void views_jump(struct app *app, trace_ref ref);	/* to a row */
void views_show_at(struct app *app, enum view_id id, const struct place *place);
void views_entering(struct app *app);
void views_leave_zoom(struct app *app);
void views_work(struct app *app);
void views_jump_to_place(struct app *app, const struct place *place);	/* tells if it is hidden */
/* as the view shows it */
void views_event_line(struct app *app, const struct trace_event *event, struct text *out);
#endif
