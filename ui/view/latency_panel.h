/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_VIEW_LATENCY_PANEL_H
#define FTOP_UI_VIEW_LATENCY_PANEL_H
/* latency_panel - the section that a latency tracer measured, from the header of its text. */
#include "ui/rows/shared.h"
#include "ui/screen/canvas.h"

/* Rows that it takes of @rows; 0: the trace is no such text. */
int latency_panel_rows(const struct shared *shared, int rows);
void latency_panel_draw(const struct shared *shared, struct canvas *canvas, int top, int rows);
#endif
