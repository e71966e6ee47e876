/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_APP_SCRIPT_H
#define FTOP_UI_APP_SCRIPT_H
/*
 * script - plays keys without a terminal and prints the canvas, for tests that must
 * not depend on one.  Lines of a script:
 *
 *	size 80x24		keys j j PgDn ^L	type some text
 *	wait			(until the page directory and searches are done)
 *	screen			(prints it)
 */
#include "src/base/error.h"
#include "ui/view/view.h"

int script_run(struct app *app, const char *path, struct ft_error *err);
#endif
