/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_SEARCH_LINE_H
#define FTOP_UI_PROMPT_SEARCH_LINE_H
/*
 * search_line - the line for typing a search: the cursor goes to the first match while one types,
 * and back where it was on Esc.
 */
#include "ui/prompt/prompts.h"
#include "ui/view/view.h"

void search_line_open(struct app *app);
void search_line_apply(struct app *app);	/* searches the typed text, unless it has */
void search_line_count(struct app *app);
void search_line_fini(struct search_line *line);
#endif
