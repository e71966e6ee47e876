/* SPDX-License-Identifier: GPL-2.0-or-later */
/* broker_part - a file that has its name only when it is complete. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "src/base/memory.h"
#include "src/sandbox/broker_private.h"

#define PART_MODE	0640		/* traces hold addresses of the kernel */
#define READER_MS	50		/* between two looks for the reader of a FIFO */

/* Is it there, and may it be replaced? */
static int check_name(struct broker_part *part, const char *if_there, struct ft_error *err)
{
	struct stat st;

	part->is_direct = part->streams && part->place.stream >= 0;
	if (part->is_direct ||
	    fstatat(part->place.folder, part->place.name, &st, AT_SYMLINK_NOFOLLOW))
		return 0;
	if (!S_ISREG(st.st_mode))
		return ft_error_set(
			err, FT_E_USAGE, -1,
			"%s exists and is not a regular file; a pipe or device cannot get a name when it is complete",
			part->path);
	if (output_name_replaces(part->place.folder, part->place.name, part->replaces))
		return 0;
	return part->replaces ?
		       ft_error_set(err, FT_E_USAGE, -1, "%s exists and is not a trace",
				    part->path) :
		       ft_error_set(err, FT_E_USAGE, -1, "%s exists; %s", part->path, if_there);
}

/*
 * The pipe or device that was looked at, not what has its name now.  Nobody may come to read a
 * FIFO: wait for it as long as somebody waits for us.
 */
static int open_stream(const struct broker_part *part, int asker, struct ft_error *err)
{
	struct pollfd gone = { .fd = asker, .events = POLLRDHUP };
	struct stat st;
	char link[32];
	int fd;

	if (fstat(part->place.stream, &st))
		return ft_error_errno(err, errno, -1, "%s", part->path);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", part->place.stream);
	do
		fd = open(link, O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	while (fd < 0 && errno == ENXIO && S_ISFIFO(st.st_mode) && !poll(&gone, 1, READER_MS));
	if (fd < 0 || fcntl(fd, F_SETFL, 0))	/* from now on, it may block */
		return ft_error_errno(err, errno, -1, "%s", part->path);
	return fd;
}

int broker_part_begin(struct broker_part *part, const char *if_there, int asker,
		      struct ft_error *err)
{
	struct text name = { 0 };
	int fd;

	if (check_name(part, if_there, err))
		return -1;
	if (part->is_direct)
		return open_stream(part, asker, err);
	output_name_add(OUTPUT_PART, part->place.name, 0, &name);
	fd = openat(part->place.folder, text_str(&name),
		    O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    output_name_mode(part->place.folder, part->place.name, PART_MODE));
	if (fd < 0 && errno == EEXIST)
		ft_error_set(
			err, FT_E_IO, -1,
			"%s.part exists: it is being written, or is left of a program that was killed; then remove it",
			part->path);
	else if (fd < 0 && part->place.has_links)
		ft_error_errno(err, errno, -1, "%s.part, where %s leads", part->place.name,
			       part->path);
	else if (fd < 0)
		ft_error_errno(err, errno, -1, "%s.part", part->path);
	text_fini(&name);
	return fd;
}

int broker_part_end(struct broker_part *part, bool keep, struct ft_error *err)
{
	struct text name = { 0 };
	int ret = 0;

	output_name_add(OUTPUT_PART, part->place.name, 0, &name);
	if (keep && !part->is_direct)
		ret = output_name_give(part->place.folder, text_str(&name), part->place.folder,
				       part->place.name, part->replaces, err);
	if (!part->is_direct && (!keep || ret))
		unlinkat(part->place.folder, text_str(&name), 0);
	text_fini(&name);
	broker_part_fini(part);
	return ret;
}

void broker_part_fini(struct broker_part *part)
{
	file_place_close(&part->place);
	free(part->path);
}
