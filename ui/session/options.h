/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_OPTIONS_H
#define FTOP_UI_SESSION_OPTIONS_H
/* options - display options, one table for O, :set and the file of settings. */
#include "ui/view/view.h"

void options_open(struct app *app);
void options_set(struct app *app, const char *words);	/* "NAME VALUE"; "": the list */
/* Name of option @i, from 0; @help: set to what it does and takes.  NULL past the last. */
const char *options_describe(unsigned int i, struct text *help);

/* The value of an option; *why: what is wrong.  False: no option has the name. */
bool options_apply(struct app *app, const char *name, const char *value, struct text *why);

void options_of_trace(struct app *app);	/* sets the options that a new trace begins with */
#endif
