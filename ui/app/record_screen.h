/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_RECORD_SCREEN_H
#define FTOP_UI_APP_RECORD_SCREEN_H
/* record_screen - what the record screen needs from the rest of the program. */
#include "ui/record/record.h"
#include "ui/view/view.h"

void record_screen_init(struct app *app);
struct record_ui *record_screen(struct app *app);	/* created on first use */
#endif
