/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_NO_CALLS_H
#define FTOP_UI_NO_CALLS_H
/* no_calls - what Graph and Functions say of a trace without calls: what it holds instead, and how calls are recorded. */
#include "ui/screen/canvas.h"
#include "ui/rows/shared.h"

#define NO_CALLS_RECORD	"-p function_graph"	/* words of ftop-trace record: R is filled in with them */

void no_calls_draw(const struct shared *shared, struct canvas *canvas, int top);
#endif
