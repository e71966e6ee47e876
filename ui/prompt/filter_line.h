/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_FILTER_LINE_H
#define FTOP_UI_PROMPT_FILTER_LINE_H
/*
 * filter_line - the line for typing a filter: views follow each key; it shows the count, and errors
 * above it.
 */
#include "ui/prompt/prompts.h"
#include "ui/view/view.h"

void filter_line_open(struct app *app, bool add);
/* replaces the top of the filter stack */
void filter_line_set(struct app *app, const char *text);
/* applies the typed text if it is not applied yet */
void filter_line_apply(struct app *app);
/* Tab lists words, then takes one; S-Tab the one before.  False: another key. */
bool filter_line_tab(struct app *app, ui_key key);
void filter_line_changed(struct app *app);
void filter_line_count(struct app *app);
void filter_line_fini(struct filter_line *line);
/* Described in ui/view/host.h: */
void filter_line_by(struct app *app, const char *name, const char *value, bool without);
void filter_line_by_process(struct app *app, unsigned int file, int pid, int64_t ts, bool without);
void filter_line_rows_around(struct app *app, bool more);

void filter_line_switch(struct app *app);
void filter_line_dim(struct app *app);
#endif
