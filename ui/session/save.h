/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_SAVE_H
#define FTOP_UI_SESSION_SAVE_H
/*
 * save - writes rows into a file, in slices: those of a table, as text, CSV or JSON; else as text
 * the rows of the range, else of the window.  Or a part of the trace as a trace.dat (src/cut).
 */
#include "src/base/table_out.h"
#include "ui/view/view.h"

bool save_takes_matches(const struct app *app);	/* saves all that filters keep, not the window? */
void save_progress(const struct app *app, struct text *out);	/* text shown while a job saves */
void save_start(struct app *app, const char *path, enum table_format format);
void save_cut(struct app *app, const char *path);	/* the range, what filters keep */
#endif
