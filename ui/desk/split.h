/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_SPLIT_H
#define FTOP_UI_DESK_SPLIT_H
/*
 * split - two views at once, one above the other, on large screens. Keys go to app->view_id; the
 * other view follows its cursor.
 */
#include "ui/view/view.h"

bool split_shown(const struct app *app);	/* the screen has room, too */
void split_switch(struct app *app, bool on);
void split_restore(struct app *app, enum view_id other, bool below);	/* of the view shown */
void split_toggle(struct app *app);
void split_open(struct app *app);		/* there is another trace */
void split_focus(struct app *app);		/* the keys go to the other view */
void split_mouse(struct app *app);		/* they go to the view at the pointer */
void split_draw(struct app *app, const struct view_area *area);	/* both, and publishes */
#endif
