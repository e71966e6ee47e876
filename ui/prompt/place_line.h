/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_PLACE_LINE_H
#define FTOP_UI_PROMPT_PLACE_LINE_H
/* place_line - the line after ":": goes to a place, or runs a command (commands.c). */
#include "ui/view/view.h"

void place_line_open(struct app *app);
void place_line_go(struct app *app, const char *text);	/* as if it was typed */
#endif
