/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_NOTHING_LEFT_H
#define FTOP_UI_NOTHING_LEFT_H
/* nothing_left - what views say of filters that leave no row: which term removes most, why nothing can match, and what to do. */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

/*
 * Lines from @line on, none at @end or behind it: a sentence that says of what there is none, what is known of the reason, and
 * which keys help.  The term is counted in the background, so draw again.
 */
void nothing_left_draw(struct shared *shared, struct canvas *canvas, int line, int end, const char *sentence, const char *keys);
#endif
