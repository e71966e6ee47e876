/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_part - a file that has its name only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/sandbox/broker_private.h"

#define PART_MODE	0640		/* traces hold addresses of the kernel */

static void part_name(const struct broker_place *place, struct text *out)
{
	text_printf(out, "%s.part", place->name);
}

int broker_part_begin(const struct broker_place *place, const char *path, bool replaces,
		      struct ft_error *err)
{
	struct text part = { 0 };
	struct stat st;
	int fd;

	if (!fstatat(place->folder, place->name, &st, AT_SYMLINK_NOFOLLOW)) {
		if (!S_ISREG(st.st_mode))
			return ft_error_set(err, FT_E_USAGE, -1,
					    "%s exists and is not a regular file", path);
		if (!replaces)
			return ft_error_errno(err, EEXIST, -1, "%s", path);
	}
	part_name(place, &part);
	fd = openat(place->folder, text_str(&part),
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, PART_MODE);
	if (fd < 0 && errno == EEXIST)
		ft_error_set(
			err, FT_E_IO, -1,
			"%s.part exists: it is being written, or is left of a program that was killed; then remove it",
			path);
	else if (fd < 0)
		ft_error_errno(err, errno, -1, "%s.part", path);
	text_fini(&part);
	return fd;
}

static int give_name(const struct broker_place *place, const char *part, bool replaces)
{
	if (!replaces) {
		if (!renameat2(place->folder, part, place->folder, place->name, RENAME_NOREPLACE))
			return 0;
		/* some file systems cannot rename with that condition */
		if (errno != EINVAL && errno != ENOSYS)
			return -1;
		if (!faccessat(place->folder, place->name, F_OK, AT_SYMLINK_NOFOLLOW)) {
			errno = EEXIST;
			return -1;
		}
	}
	return renameat(place->folder, part, place->folder, place->name);
}

int broker_part_end(const struct broker_place *place, const char *path, bool keep, bool replaces,
		    struct ft_error *err)
{
	struct text part = { 0 };
	int ret = 0;

	part_name(place, &part);
	if (keep && give_name(place, text_str(&part), replaces))
		ret = ft_error_errno(err, errno, -1, "%s", path);
	if (!keep || ret)
		unlinkat(place->folder, text_str(&part), 0);
	text_fini(&part);
	return ret;
}
