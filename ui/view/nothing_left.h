/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_NOTHING_LEFT_H
#define FTOP_UI_VIEW_NOTHING_LEFT_H
/*
 * nothing_left - text of views whose filters leave no row: which term removes most, why nothing can
 * match, and what to do.
 */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

/*
 * Draws lines from @line on, before @end: @sentence (what is missing), the reasons known so far,
 * and @keys that help.  The count for the term is made in the background, so draw again.
 */
void nothing_left_draw(struct shared *shared, struct canvas *canvas, int line, int end,
		       const char *sentence, const char *keys);
#endif
