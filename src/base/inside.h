/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_INSIDE_H
#define FTOP_SRC_BASE_INSIDE_H
/*
 * inside - files that are inside the program.  The program that is one file has some (src/static);
 * the others have none.
 */
#include <stddef.h>

/**
 * inside_find() - the bytes of such a file
 * @name: "demo.dat" as below the folder of the installation; "terminfo/xterm", as ncurses takes
 *        it in $TERMINFO
 * @len:  set to their number; a zero byte follows them
 *
 * Return: NULL if it is not inside.
 */
const char *inside_find(const char *name, size_t *len);

/*
 * Opens a path of the installation, as paths_data() gives it, whose file is inside, for reading.
 * Return: a descriptor, owned by the caller, or -1.
 */
int inside_open(const char *path);
#endif
