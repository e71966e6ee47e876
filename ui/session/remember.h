/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_REMEMBER_H
#define FTOP_UI_SESSION_REMEMBER_H
/*
 * remember - what the screen shows of a trace, as lines of text, so that it comes back at the next
 * opening: the place, the view, and what each view keeps (struct view_kept).  Lines of a view begin
 * with its title: "Tasks.sort run_ns".  They come from a file that is not trusted.
 */
#include "ui/view/view.h"

extern const char *const remember_time_names[];
void remember_set_time(struct app *app, const char *name);
void remember_save(struct app *app, struct text *out);
void remember_load(struct app *app, const struct text *lines);
/* What the views that are open keep; their cursors in tables are not in it. */
void remember_save_views(struct app *app, struct text *out);
void remember_load_views(struct app *app, const struct text *lines);
/* A view can take its window once it was drawn.  True: it has, draw it again. */
bool remember_window(struct app *app);
void remember_view_opened(struct app *app, enum view_id id);
#endif
