/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_DESK_FINDER_H
#define FTOP_UI_DESK_FINDER_H
/*
 * finder - looks for the next row of some kind in slices of the main loop: a match,
 * a slow place, an event of a task or a name.
 */
#include "ui/view/view.h"

void finder_find(struct app *app, const struct find *find);	/* see ui/view/host.h */
void finder_search_for(struct app *app, const char *text, bool forward);
/*
 * A key was pressed while a search runs, which would act on the place that the search leaves: waits
 * a moment for the result, else ends the search.  False: drop the key.
 */
bool finder_takes_key(struct app *app, ui_key key);
bool finder_runs(struct app *app, bool stop);	/* does a search run?  @stop: end it */
#endif
