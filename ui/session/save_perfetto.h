/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_SAVE_PERFETTO_H
#define FTOP_UI_SESSION_SAVE_PERFETTO_H
/*
 * save_perfetto - writes what is shown as a trace of Perfetto: the range, else all that the filter
 * keeps or that a table counts, else the window.  Workers do it.
 */
#include "ui/view/view.h"

void save_perfetto_start(struct app *app, const char *path);
#endif
