/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_TESTS_LIB_TEMP_PATH_H
#define FTOP_TESTS_LIB_TEMP_PATH_H
/* temp_path - a file for what a test program writes, made and removed with its group of tests. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static char temp_path[128];

static inline int temp_path_make(void **state)
{
	int fd;

	(void)state;
	snprintf(temp_path, sizeof(temp_path), "/tmp/ftop-%s-XXXXXX",
		 program_invocation_short_name);
	fd = mkstemp(temp_path);
	return fd < 0 ? -1 : close(fd);
}

static inline int temp_path_remove(void **state)
{
	(void)state;
	return unlink(temp_path);
}
#endif
