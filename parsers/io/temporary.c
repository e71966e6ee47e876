/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "parsers/io/temporary.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#define MEMORY_MAX	((uint64_t)1 << 30)	/* bytes, if there is no folder for it */
#define LEFT_FREE	((uint64_t)64 << 20)	/* bytes of the folder that are left to others */

static struct temporary (*maker)(void);

static int create_in(const char *folder)
{
	char name[300];
	int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	snprintf(name, sizeof(name), "%s/ftop-trace-XXXXXX", folder);
	fd = mkostemp(name, O_CLOEXEC);
	if (fd >= 0)
		unlink(name);
	return fd;
}

struct temporary temporary_create(void)
{
	const char *const folders[] = { getenv("TMPDIR"), "/var/tmp", "/tmp" };
	struct temporary t = { .fd = -1 };

	for (size_t i = 0; i < sizeof(folders) / sizeof(folders[0]) && t.fd < 0; i++) {
		if (!folders[i] || !*folders[i] || strlen(folders[i]) >= sizeof(t.folder))
			continue;
		t.fd = create_in(folders[i]);
		if (t.fd >= 0)
			strcpy(t.folder, folders[i]);
	}
	return t;
}

void temporary_set_maker(struct temporary (*make)(void))
{
	maker = make;
}

struct temporary temporary_take(void)
{
	struct temporary t = maker ? maker() : temporary_create();

	if (t.fd < 0)
		t = (struct temporary){ .fd = memfd_create("ftop-trace", MFD_CLOEXEC) };
	return t;
}

uint64_t temporary_room(const struct temporary *t)
{
	struct statvfs fs;
	uint64_t free_bytes;

	if (!*t->folder)
		return MEMORY_MAX;
	if (fstatvfs(t->fd, &fs))
		return UINT64_MAX;
	free_bytes = (uint64_t)fs.f_bavail * fs.f_frsize;
	return free_bytes > 2 * LEFT_FREE ? free_bytes - LEFT_FREE : free_bytes / 2;
}

const char *temporary_folder(const struct temporary *t)
{
	return *t->folder ? t->folder : "memory";
}
