/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_NOTHING_LEFT_H
#define FTOP_UI_NOTHING_LEFT_H
/* nothing_left - what views say of filters that leave no row: which term removes most, and why nothing can match. */
#include "ui/canvas.h"
#include "ui/shared.h"

/*
 * Lines from @line on, none at @end or behind it; only those that something is known for: the term is counted in the background,
 * so draw again.  Return: the line behind them.
 */
int nothing_left_draw_why(struct shared *shared, struct canvas *canvas, int line, int end);
#endif
