/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_PAIRS_H
#define FTOP_UI_PROMPT_PAIRS_H
/* pairs - the user's pairs of events for Latency: reads their file, adds one (:pair). */
#include "ui/view/view.h"

void pairs_read(struct app *app);
/*
 * What Tab completes in ":pair …", for filter_complete(): only words of this kind, or all (-1).
 * @shift: from its bytes to those of the line.  False: nothing.
 */
bool pairs_filter(const char *line, size_t at, struct text *filter, ptrdiff_t *shift, int *kind);
void pairs_add(struct app *app, const char *pair);	/* "": says which there are */
#endif
