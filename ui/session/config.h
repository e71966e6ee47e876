/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_SESSION_CONFIG_H
#define FTOP_UI_SESSION_CONFIG_H
/*
 * config - the user's settings, from $XDG_CONFIG_HOME/ftop-trace/config: options ("theme = light")
 * and what views begin with ("tasks.sort = run_ns").  Mistakes cost their line only.
 */
#include "ui/view/view.h"

void config_read(struct app *app);
/* the value in the file as read; false: not there */
bool config_value(const struct app *app, const char *name, char *value, size_t size);
void config_apply(struct app *app);		/* applies its options */
void config_tell(struct app *app);		/* shows its mistakes */
/* what views begin with, as remember.c has it */
void config_view_lines(const struct app *app, struct text *out);
void config_save(struct app *app, const char *name, const char *value);
#endif
