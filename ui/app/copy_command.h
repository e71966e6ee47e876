/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_COPY_COMMAND_H
#define FTOP_UI_APP_COPY_COMMAND_H
/* copy_command - y c: copies the command that prints what the window or the range shows. */
#include "ui/view/view.h"

void copy_command(struct app *app);
#endif
