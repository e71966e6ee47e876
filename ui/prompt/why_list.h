/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_WHY_LIST_H
#define FTOP_UI_PROMPT_WHY_LIST_H
/*
 * why_list - Y and :why: the list of what a task's time was spent on.  The Timeline makes it, in
 * slices of the main loop.
 */
#include "ui/view/view.h"

void why_list_open(struct app *app);		/* asks about what is under the cursor */
void why_list_ask(struct app *app, bool marks);	/* @marks: about A–B */
bool why_list_forget(struct app *app);		/* takes the row of parts away; false: none */
void why_list_drop(struct app *app);			/* the trace is closed */
#endif
