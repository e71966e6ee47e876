/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_ACTIONS_H
#define FTOP_UI_APP_ACTIONS_H
/* actions - requests that do the same in every view. */
#include "ui/view/view.h"

void actions_request(struct app *app, enum request request, char letter);
#endif
