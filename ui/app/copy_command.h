/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_COPY_COMMAND_H
#define FTOP_UI_APP_COPY_COMMAND_H
/* copy_command - copies command lines: y c prints the window or the range, y l opens it. */
#include "ui/view/view.h"

void copy_command(struct app *app);
void copy_link(struct app *app);
#endif
