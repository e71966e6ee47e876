/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_FILE_NAMES_H
#define FTOP_SRC_BASE_FILE_NAMES_H
/*
 * file_names - short names for several files that distinguish them: most are called trace.dat, and
 * differ in a folder above.
 */

/**
 * file_names_new() - make a name for each path
 * @paths: [nr]; not kept after the call
 *
 * One path: its base name.  Several: the last component in which all of them differ ("cpu4" and
 * "sched" of cpu4/trace.dat and sched/trace.dat); if there is none, the shortest ends that differ.
 * Printable.
 *
 * Return: [nr] names; free them with file_names_free().
 */
char **file_names_new(const char *const *paths, unsigned int nr);
void file_names_free(char **names, unsigned int nr);	/* NULL is allowed */

/*
 * The start of the @level-th component from the end, 0 being the base name; NULL if the path has
 * fewer.
 */
const char *file_names_tail(const char *path, unsigned int level);
static inline const char *file_names_base(const char *path)
{
	return file_names_tail(path, 0);
}
#endif
