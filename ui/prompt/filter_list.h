/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_FILTER_LIST_H
#define FTOP_UI_PROMPT_FILTER_LIST_H
/* filter_list - :filters: the filters with names; and the filters typed in earlier sessions. */
#include "ui/view/view.h"

void filter_list_open(struct app *app);
void filter_history_read(struct app *app);	/* filters typed in earlier sessions */
void filter_history_keep(struct app *app);
#endif
