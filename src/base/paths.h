/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_PATHS_H
#define FTOP_SRC_BASE_PATHS_H
/*
 * paths - where the program's own files are: themes, the demo trace, the user's configuration and
 * state.
 */
#include <stdbool.h>
#include <stddef.h>

/**
 * paths_data() - find a file installed with the program
 * @name: "demo.dat", "themes/dark.theme"
 *
 * Looks in $FTOP_DATADIR (the source tree, if it is run from there), else in the installation's
 * folder.  The environment is ignored in a set-user-id process.
 * Return: @buf, or NULL if it is too small.
 */
const char *paths_data(const char *name, char *buf, size_t size);

/*
 * $XDG_CONFIG_HOME/ftop-trace/NAME, else ~/.config/ftop-trace/NAME; NULL if neither is known or it
 * does not fit.
 */
const char *paths_config(const char *name, char *buf, size_t size);

/* $XDG_STATE_HOME/ftop-trace/NAME, else ~/.local/state/ftop-trace/NAME; else NULL, as above. */
const char *paths_state(const char *name, char *buf, size_t size);

/*
 * The demo trace: its source in the tree, or demo.dat of the installation, which may be inside
 * (inside.h).  NULL: not found, with the place in @buf.
 */
const char *paths_demo(char *buf, size_t size);
#endif
