/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_FRAME_H
#define FTOP_UI_APP_FRAME_H
/* frame - divides the screen into header, overview, tabs, view, detail and bottom line. */
#include "ui/view/view.h"

void frame_draw(struct app *app);
int frame_detail_rows(struct app *app);	/* rows that the detail pane of the view shown takes now */
bool frame_mouse(struct app *app);	/* handles a click above the view; false: there was none */
bool frame_list_tab(struct app *app);	/* handles a click on the name of a list */
ui_key frame_bar_key(const struct app *app);	/* key clicked on the bottom line, or UI_KEY_NONE */
#endif
