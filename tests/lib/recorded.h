/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_RECORDED_H
#define FTOP_TESTS_LIB_RECORDED_H
/*
 * recorded - where the traces of real kernels lie: all fixtures where they stand beside the project
 * ($FTOP_SHARED/fixtures), else the choice of them in tests/data/good.  A folder for each, with
 * trace.dat and texts.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Is there a folder of recorded traces?  @dir receives its path. */
static inline bool recorded_dir(char *dir, size_t size)
{
	const char *shared = getenv("FTOP_SHARED"), *data = getenv("FTOP_TEST_DATA");
	struct stat st;

	if (shared && *shared) {
		snprintf(dir, size, "%s/fixtures", shared);
		if (!stat(dir, &st))
			return true;
	}
	snprintf(dir, size, "%s/good", data && *data ? data : "tests/data");
	return !stat(dir, &st);
}

/* Path of a file of one recorded trace; false where it is not among those that are here. */
static inline bool recorded_path(const char *name, const char *file, char *path, size_t size)
{
	char dir[2048];
	struct stat st;

	if (!recorded_dir(dir, sizeof(dir)))
		return false;
	snprintf(path, size, "%s/%s/%s", dir, name, file);
	return !stat(path, &st);
}
#endif
