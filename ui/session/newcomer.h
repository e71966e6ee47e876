/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_NEWCOMER_H
#define FTOP_UI_SESSION_NEWCOMER_H
/* newcomer - shows a hint on a view's bottom line the first few times that it is opened. */
#include "ui/view/view.h"

void newcomer_count(struct app *app);	/* a view was opened: decides whether to show its hint */
#endif
