/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_RECORD_SCREEN_H
#define FTOP_UI_APP_RECORD_SCREEN_H
/*
 * record_screen - puts the record screen (ui/record) into the main loop: what it may ask of the app
 * (struct record_host), and the screen itself, which is made on first use.
 */
#include "ui/record/record.h"
#include "ui/view/view.h"

void record_screen_init(struct app *app);
struct record_ui *record_screen(struct app *app);	/* created on first use */
#endif
