/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_START_H
#define FTOP_UI_APP_START_H
/* start - the screen shown when no file was named and there is no trace.dat here. */
#include "ui/view/view.h"

void start_draw(struct app *app);
void start_press(struct app *app, ui_key key, enum request request);
#endif
