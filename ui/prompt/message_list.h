/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_MESSAGE_LIST_H
#define FTOP_UI_PROMPT_MESSAGE_LIST_H
/* message_list - :messages: what the bottom line said, and what is wrong with the files. */
#include "ui/view/view.h"

void message_list_open(struct app *app);
#endif
