/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_UI_PROMPT_COMMANDS_H
#define FTOP_UI_PROMPT_COMMANDS_H
/* commands - the commands typed after ":", one table. */
#include "ui/view/view.h"

/* "w FILE"; shows an error if there is no such command */
void commands_run(struct app *app, const char *s);
/* What it means, for who types it; false: no command begins so. */
bool commands_hint(const struct app *app, const char *s, struct text *out);
void commands_list(struct text *out);		/* " w e set …" */
/* Command @i, from 0, as it is typed: sets @words.  Return: what it does; NULL past the last. */
const char *commands_describe(unsigned int i, struct text *words);
/* Finds commands that begin with @len bytes.  Return: their number; the caller owns *@words. */
unsigned int commands_complete(const char *begin, size_t len, struct filter_word **words);
#endif
