/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_HELP_H
#define FTOP_UI_VIEW_HELP_H
/* help - the keys, from the request table, as lines of a popup. */
#include "ui/screen/popup.h"
#include "ui/view/view.h"

/* The ten keys that answer most questions.  @cols: of the screen */
void help_open(struct popup *popup, int cols);
/*
 * Lists the requests for the row under the cursor, the lists of the view, its other requests, and
 * requests of other views.
 * @views: [NR_VIEWS], NULL for a view that is missing
 * @view: NR_VIEWS: the start screen, which has no rows
 */
void help_open_all(struct popup *popup, int cols, const struct view_ops *const *views,
		   enum view_id view);
#endif
