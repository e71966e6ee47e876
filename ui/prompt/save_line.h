/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_SAVE_LINE_H
#define FTOP_UI_PROMPT_SAVE_LINE_H
/* save_line - S: asks for the name of the file that is saved, and proposes one. */
#include "src/base/table_out.h"
#include "ui/view/view.h"

void save_line_open(struct app *app, enum table_format format);
void save_line_cut(struct app *app);		/* asks for the name of a trace.dat */
void save_line_perfetto(struct app *app);
/* In the prompt: how many of all events the filter keeps. */
void save_line_count(struct app *app);
#endif
