/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_VIEW_LIST_H
#define FTOP_UI_PROMPT_VIEW_LIST_H
/* view_list - V: all views, what they show, and which of them the trace has something for. */
#include "ui/view/view.h"

void view_list_open(struct app *app);
#endif
