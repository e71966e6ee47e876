/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_PRESS_H
#define FTOP_UI_APP_PRESS_H
/* press - passes a key to a prompt, a popup, the record screen, the start screen or the view. */
#include "ui/view/view.h"

void press_key(struct app *app, ui_key key);
void press_letters(const struct app *app, struct text *out);	/* letters the pending key takes */
#endif
