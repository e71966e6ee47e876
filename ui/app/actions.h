/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_ACTIONS_H
#define FTOP_UI_APP_ACTIONS_H
/* actions - requests that do the same in every view. */
#include "ui/view/view.h"

/* What a key stands for now: ] for what T chose, e and E for closing what is open. */
enum request actions_meant(const struct app *app, enum request request);
void actions_request(struct app *app, enum request request, char letter);
#endif
