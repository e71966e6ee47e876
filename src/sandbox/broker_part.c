/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_part - a file that has its name only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/sandbox/broker_private.h"

#define PART_MODE	0640		/* traces hold addresses of the kernel */

/* Is it there, and may it be replaced? */
static int check_name(struct broker_part *part, const char *if_there, struct ft_error *err)
{
	struct stat st;

	if (fstatat(part->place.folder, part->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	part->is_direct = part->streams && (S_ISCHR(st.st_mode) || S_ISFIFO(st.st_mode));
	if (part->is_direct)
		return 0;
	if (!S_ISREG(st.st_mode))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"%s exists and is not a regular file; a pipe or device cannot get a name when it is complete",
			part->path);
	return part->replaces ?
		       0 :
		       ft_error_set(err, FT_E_USAGE, -1, "%s exists; %s", part->path, if_there);
}

int broker_part_begin(struct broker_part *part, const char *if_there, struct ft_error *err)
{
	struct text name = { 0 };
	int fd;

	if (check_name(part, if_there, err))
		return -1;
	if (part->is_direct) {
		fd = openat(part->place.folder, part->place.name,
			    O_WRONLY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
		return fd < 0 ? ft_error_errno(err, errno, -1, "%s", part->path) : fd;
	}
	text_printf(&name, "%s.part", part->place.name);
	fd = openat(part->place.folder, text_str(&name),
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PART_MODE);
	if (fd < 0 && errno == EEXIST)
		ft_error_set(
			err, FT_E_IO, -1,
			"%s.part exists: it is being written, or is left of a program that was killed; then remove it",
			part->path);
	else if (fd < 0)
		ft_error_errno(err, errno, -1, "%s.part", part->path);
	text_fini(&name);
	return fd;
}

static int give_name(const struct broker_part *part, const char *name)
{
	int folder = part->place.folder;

	if (!part->replaces) {
		if (!renameat2(folder, name, folder, part->place.name, RENAME_NOREPLACE))
			return 0;
		/* some file systems cannot rename with that condition */
		if (errno != EINVAL && errno != ENOSYS)
			return -1;
		if (!faccessat(folder, part->place.name, F_OK, AT_SYMLINK_NOFOLLOW)) {
			errno = EEXIST;
			return -1;
		}
	}
	return renameat(folder, name, folder, part->place.name);
}

int broker_part_end(struct broker_part *part, bool keep, struct ft_error *err)
{
	struct text name = { 0 };
	int ret = 0;

	text_printf(&name, "%s.part", part->place.name);
	if (keep && !part->is_direct && give_name(part, text_str(&name)))
		ret = ft_error_errno(err, errno, -1, "%s", part->path);
	if (!part->is_direct && (!keep || ret))
		unlinkat(part->place.folder, text_str(&name), 0);
	text_fini(&name);
	broker_part_fini(part);
	return ret;
}

void broker_part_fini(struct broker_part *part)
{
	broker_place_close(&part->place);
	free(part->path);
	free(part->real);
}
