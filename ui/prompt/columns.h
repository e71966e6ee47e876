/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_COLUMNS_H
#define FTOP_UI_PROMPT_COLUMNS_H
/* columns - the lists of columns: which are shown (v), and which one rows are sorted by (s). */
#include "ui/view/view.h"

void columns_open(struct app *app);
void columns_open_sort(struct app *app);
#endif
