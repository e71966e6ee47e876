/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_PATHS_H
#define FTOP_SRC_PATHS_H
/*
 * paths - where the program's own files lie: themes, the demo trace, the user's
 * configuration and state.
 */
#include <stdbool.h>
#include <stddef.h>

/**
 * paths_data() - a file installed with the program
 * @name: "demo.dat", "themes/dark.theme"
 *
 * $FTOP_DATADIR (the source tree, when it is run from there), else the folder of the installation.  An environment that
 * a set-user-id start cannot trust is not asked.
 * Return: @buf, or NULL if it is too small.
 */
const char *paths_data(const char *name, char *buf, size_t size);

/* $XDG_CONFIG_HOME/ftop-trace/NAME, else ~/.config/…; NULL if neither is known or it does not fit. */
const char *paths_config(const char *name, char *buf, size_t size);

/* $XDG_STATE_HOME/ftop-trace/NAME, else ~/.local/state/…; the same. */
const char *paths_state(const char *name, char *buf, size_t size);

/* The demo trace: demo.dat of the installation, or its source in the tree.  NULL: not found, with buf telling where. */
const char *paths_demo(char *buf, size_t size);
#endif
