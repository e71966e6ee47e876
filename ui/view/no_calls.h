/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_NO_CALLS_H
#define FTOP_UI_VIEW_NO_CALLS_H
/*
 * no_calls - text of Graph and Functions for a trace without calls: what it holds, and how to
 * record calls.
 */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

#define NO_CALLS_RECORD	"-p function_graph"	/* arguments of ftop-trace record, prefilled by R */

void no_calls_draw(const struct shared *shared, struct canvas *canvas, int top);
#endif
