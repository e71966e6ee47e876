/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_MARK_LIST_H
#define FTOP_UI_PROMPT_MARK_LIST_H
/* mark_list - M: the marks and notes, to go there. */
#include "ui/view/view.h"

void mark_list_open(struct app *app);
#endif
