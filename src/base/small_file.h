/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SMALL_FILE_H
#define FTOP_SRC_SMALL_FILE_H
/*
 * small_file - files of text that are the user's own: configuration, marks, what was
 * typed.  They are read and written as a whole.
 */
#include <stddef.h>
#include "src/base/error.h"
#include "src/base/text.h"

/**
 * small_file_read() - append what is in a file
 * @most: bytes that it may have
 *
 * Return: 0, or -1 with FT_E_IO (errno is as open() left it where there is no such file), FT_E_FORMAT where it is no regular
 * file (a pipe is not waited for), FT_E_LIMIT.
 */
int small_file_read(const char *path, size_t most, struct text *out, struct ft_error *err);

/* Make the folders that lead to a file, for the user alone, where they lack. */
void small_file_folders(const char *path);

/*
 * Write one in place of what is there: it is whole at any moment, for another one is written and takes the name.  Folders
 * are made where they lack.  @mode: permissions, less the umask.  Return: 0, or -1 with FT_E_IO.
 */
int small_file_replace(const char *path, const struct text *contents, unsigned int mode, struct ft_error *err);
#endif
