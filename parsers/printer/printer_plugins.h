/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINTER_PRINTER_PLUGINS_H
#define FTOP_PARSERS_PRINTER_PRINTER_PLUGINS_H
/*
 * printer_plugins - finds and loads libtraceevent's plugins.
 *
 * They are shared objects that change the text of some events.  Those of the system are always
 * taken; folders named by the environment ($TRACEEVENT_PLUGIN_DIR, $HOME) only if that cannot raise
 * privileges: never as root, not in a program that runs with other privileges than its user's, and
 * not if the folder belongs to another user or others may write to it.
 */
#include <stdbool.h>
#include <stddef.h>
#include <traceevent/event-parse.h>

struct printer_plugins {
	struct plugin	*list;			/* owned; newest first */
	char		*folder;		/* the first plugin's folder; NULL: no plugin */
	const char	**repeat_format;	/* time format of plugin_function's
						   func_repeats, or NULL */
};

/* @system: also load those installed with libtraceevent; otherwise only the user's. */
void printer_plugins_load(struct printer_plugins *plugins, struct tep_handle *tep, bool system);
void printer_plugins_unload(struct printer_plugins *plugins, struct tep_handle *tep);

/* Can this program load libraries?  One that is one file cannot (src/static). */
bool printer_plugins_can_load(void);

/* Does the user have plugins that would be loaded?  Loads nothing. */
bool printer_plugins_user_has_any(void);
/* does one of the user's plugins contain it? */
bool printer_plugins_is_users(const void *function);

#endif
