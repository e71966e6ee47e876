/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FILE_NAMES_H
#define FTOP_SRC_FILE_NAMES_H
/*
 * file_names - short names of several files that tell them apart: most are called
 * trace.dat, and differ in a folder above.
 */

/**
 * file_names_new() - a name for each of some paths
 * @paths: [nr]; not kept after the call
 *
 * One path: its base name.  Several: the last component in which all of them differ ("cpu4" and "sched" of
 * cpu4/trace.dat and sched/trace.dat); where there is none, as much of their ends as differs.  Printable.
 *
 * Return: [nr] names for the caller to end with file_names_free().
 */
char **file_names_new(const char *const *paths, unsigned int nr);
void file_names_free(char **names, unsigned int nr);	/* NULL is allowed */
#endif
