/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_SPLIT_H
#define FTOP_UI_DESK_SPLIT_H
/*
 * split - two views at once, one above the other, on large screens. Keys go to app->view_id; the
 * other view follows its cursor.
 */
#include "ui/view/view.h"

bool split_shown(const struct app *app);	/* it is on, and the screen has room */
void split_switch(struct app *app, bool on);
/* turns it on; @below: the view shown is the lower one */
void split_restore(struct app *app, enum view_id other, bool below);
void split_toggle(struct app *app);
void split_open(struct app *app);		/* opens the other view, if it is on */
void split_focus(struct app *app);		/* gives the keys to the other view */
void split_mouse(struct app *app);		/* gives the keys to the view at the pointer */
void split_draw(struct app *app, const struct view_area *area);	/* draws both, and publishes */
#endif
