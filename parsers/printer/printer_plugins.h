/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PLUGINS_H
#define FTOP_PARSERS_PRINTER_PLUGINS_H
/*
 * printer_plugins - finds and loads libtraceevent's plugins.
 *
 * They are shared objects that change the text of some events.  Those of the
 * system are always taken; folders named by the environment ($TRACEEVENT_PLUGIN_DIR,
 * $HOME) only where that gives nobody more rights than he has: never as root, and
 * not in a program that runs with rights other than its user's.
 */
#include <stdbool.h>
#include <stddef.h>
#include <traceevent/event-parse.h>

struct printer_plugins {
	struct plugin	*list;			/* owned; newest first */
	char		*folder;		/* of the first one; NULL if there is none */
	const char	**repeat_format;	/* time format of plugin_function's func_repeats, or NULL */
};

/* @system: those installed with libtraceevent too; else the user's alone. */
void printer_plugins_load(struct printer_plugins *plugins, struct tep_handle *tep, bool system);
void printer_plugins_unload(struct printer_plugins *plugins, struct tep_handle *tep);

/* Has the user plugins of his own that are taken?  Nothing is loaded for that. */
bool printer_plugins_user_has_any(void);
bool printer_plugins_is_users(const void *function);	/* is it in one of them? */

/* May folders of the environment be used?  Also says whether a folder is one of them. */
bool printer_plugins_trusts_environment(void);
bool printer_plugins_is_of_environment(const char *path);
#endif
