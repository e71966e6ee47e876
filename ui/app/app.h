/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_APP_H
#define FTOP_UI_APP_APP_H
/*
 * app - the screen: one loop that waits for keys, signals and workers, draws, and
 * does searches in slices of a few ms.  It never waits for anything else.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/trace/trace.h"
#include "ui/desk/app_options.h"

struct app;

/**
 * app_run() - browse
 * @trace:   owned from here on; NULL: the start screen, which opens one
 *
 * Return: 0 when the user quits, -1 if the screen could not be set up.  Ends the process by the
 * signal itself on SIGTERM and SIGHUP, after the terminal is restored.
 */
int app_run(struct trace *trace, const struct app_options *options, struct ft_error *err);

void app_init(struct app *app, const struct app_options *options);
void app_fini(struct app *app);
#endif
