/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_SMALL_FILE_H
#define FTOP_SRC_BASE_SMALL_FILE_H
/*
 * small_file - reads and writes the user's own text files as a whole: configuration, marks, input
 * history.
 */
#include <stddef.h>
#include "src/base/error.h"
#include "src/base/text.h"

/**
 * small_file_read() - append the contents of a file
 * @most: its maximum size in bytes
 *
 * Return: 0, or -1 with FT_E_IO (with open()'s errno if it cannot be opened), FT_E_FORMAT if it is
 * not a regular file (never waits for a pipe), FT_E_LIMIT.
 */
int small_file_read(const char *path, size_t most, struct text *out, struct ft_error *err);

/*
 * Replace a file: the new contents go to another file, which is then renamed, so the file is
 * complete at any time.  Creates missing folders.  @mode: permissions, less the umask.  Return: 0,
 * or -1 with FT_E_IO.
 */
int small_file_replace(const char *path, const struct text *contents, unsigned int mode,
		       struct ft_error *err);

/* As small_file_replace(), but in an open folder. */
int small_file_replace_at(int folder, const char *name, const struct text *contents,
			  unsigned int mode, struct ft_error *err);
#endif
