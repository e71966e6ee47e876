/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_LISTS_H
#define FTOP_UI_PROMPT_LISTS_H
/*
 * lists - the row lists that Tab and o choose from: the view's own, or all rows, a CPU, an
 * instance, a file.
 */
#include "ui/view/view.h"

void lists_open(struct app *app, char letter);	/* o and a letter */
/* Show the list of the view whose name this is, or begins with this. */
void lists_open_named(struct app *app, const char *name);	/* :list */
void lists_step(struct app *app, int step);	/* Tab */
#endif
