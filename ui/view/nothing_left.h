/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_NOTHING_LEFT_H
#define FTOP_UI_VIEW_NOTHING_LEFT_H
/*
 * nothing_left - the text of a view without rows: what is missing, and what to do about it.  If
 * filters leave no row, it also says which term removes most, and why nothing can match.
 */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

/* The first line of @words is what is missing; the others, below a free one, say what to do. */
void nothing_draw(struct canvas *canvas, int line, const char *words);

/*
 * Draws lines from @line on, before @end: @sentence (what is missing), the reasons known so far,
 * and @keys that help; NULL: those that let a table count more.  The count for the term is made in
 * the background, so draw again.
 */
void nothing_left_draw(struct shared *shared, struct canvas *canvas, int line, int end,
		       const char *sentence, const char *keys);
#endif
