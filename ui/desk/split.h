/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_SPLIT_H
#define FTOP_UI_DESK_SPLIT_H
/*
 * split - two views at once, one above the other, on large screens. Keys go to app->view_id; the
 * other view follows its cursor.
 */
#include "ui/view/view.h"

/* Does the user want two views, where the screen has room?  AUTO: where it has much. */
enum split_wish { SPLIT_AUTO, SPLIT_OFF, SPLIT_ON };

bool split_shown(const struct app *app);	/* it is wanted, and the screen has room */
void split_wish(struct app *app, enum split_wish wish);
/* turns it on; @below: the view shown is the lower one */
void split_restore(struct app *app, enum view_id other, bool below);
void split_toggle(struct app *app);
/* opens the other view, where two are shown; call when the screen or the view changed */
void split_open(struct app *app);
void split_focus(struct app *app);		/* gives the keys to the other view */
void split_mouse(struct app *app);		/* gives the keys to the view at the pointer */
void split_draw(struct app *app, const struct view_area *area);	/* draws both, and publishes */
#endif
