/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_HELP_H
#define FTOP_UI_HELP_H
/* help - the keys, from the request table, as lines of a popup. */
#include "ui/popup.h"

/* @here: requests that act on the row under the cursor, ended by REQ_NONE; they come first.  @cols: of the screen. */
void help_open(struct popup *popup, int cols, const char *view, const enum request *here);
#endif
