/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_BASE_FILE_PLACE_H
#define FTOP_SRC_BASE_FILE_PLACE_H
/*
 * file_place - where a file is written: its folder, opened, and its name there.  Every file with a
 * name that the program writes is opened through this.
 *
 * In a sticky folder such as /tmp, other users may have put something where a path leads.  The
 * kernel's rules for that (fs.protected_symlinks, protected_fifos and protected_regular, see
 * Documentation/admin-guide/sysctl/fs.rst) hold here at their strictest, also where they are off:
 *
 *   - A link, anywhere in the path, is followed if it is the caller's or the folder's owner's, or
 *     not all may write in the folder.
 *   - A file, FIFO or device is written if it is the caller's or the folder's owner's, or neither
 *     all nor a group may write in the folder.
 *
 * The caller is the effective user: for root who acts for another one, that one.
 */
#include <stdbool.h>
#include <sys/stat.h>
#include "src/base/error.h"
#include "src/base/text.h"

#define FILE_PLACE_FOLLOW	1u	/* if there is a link: the place to which it leads */
#define FILE_PLACE_MAKE	2u	/* make missing folders, for the user alone */

struct file_place {
	int	 folder;	/* O_PATH; -1: closed */
	char	*name;		/* owned; without a slash */
	int	 stream;	/* O_PATH: the pipe or character device that is there, with
				 * FILE_PLACE_FOLLOW; -1: none */
	bool	 has_links;	/* the path leads there through symbolic links */
};

/**
 * file_place_open() - find where a path leads
 * @how: FILE_PLACE_FOLLOW, FILE_PLACE_MAKE
 *
 * There need not be a file of that name; a link leads to one.  Who opens @name in @folder uses
 * O_NOFOLLOW, and O_EXCL to create it: something else may have come there.
 *
 * Return: 0, or -1 with FT_E_IO, or FT_E_USAGE if a rule forbids it; the place is closed then.
 */
int file_place_open(struct file_place *place, const char *path, unsigned int how,
		    struct ft_error *err);
void file_place_close(struct file_place *place);		/* a closed one is allowed */

/*
 * Open an existing file as open() does.  @flags: O_NOFOLLOW refuses a link.  Return: a descriptor,
 * or -1 with FT_E_IO or FT_E_USAGE.
 */
int file_place_open_file(const char *path, int flags, struct ft_error *err);

/* Open a folder, O_PATH.  @make: permissions of missing ones, less the umask; 0: make none. */
int file_place_folder(const char *path, mode_t make, struct ft_error *err);

/* Append the path of the folder without links.  -1 with FT_E_IO: there is no /proc. */
int file_place_real(const struct file_place *place, struct text *real, struct ft_error *err);

/* Does the second rule forbid to write or replace this, which is in @folder (or AT_FDCWD)? */
bool file_place_is_foreign(int folder, const struct stat *st);
#endif
