/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_HELP_H
#define FTOP_UI_HELP_H
/* help - the keys, from the request table, as lines of a popup. */
#include "ui/screen/popup.h"
#include "ui/view/view.h"

/*
 * What acts on the row under the cursor first, then the lists of the view, what acts in this view, and in others.
 * @cols: of the screen; @view: NR_VIEWS: the start screen, where there is no row yet.
 */
void help_open(struct popup *popup, int cols, enum view_id view);
#endif
