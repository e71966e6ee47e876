/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_FILTER_NAMES_H
#define FTOP_UI_SESSION_FILTER_NAMES_H
/* filter_names - filters with names: reads their file, saves the current filter in it (:name). */
#include "ui/view/view.h"

void filter_names_read(struct app *app);	/* a trace was opened, or the file changed */
/* Saves the current filter under a name. */
void filter_names_keep(struct app *app, const char *name);
#endif
