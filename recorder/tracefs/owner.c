/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/tracefs/owner.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "recorder/tracefs/tracefs_dir.h"

#define PREFIX "ftop-"

/* Field 22 of /proc/PID/stat.  The program's name may contain anything; the last ")" ends it. */
static bool read_start_time(const char *proc, int pid, unsigned long long *start)
{
	char buf[2048];
	const char *p;

	tracefs_dir_read_into(AT_FDCWD, TRACEFS_TEXT("%s/%d/stat", proc, pid), buf, sizeof(buf));
	p = strrchr(buf, ')');
	for (int field = 2; p && field < 22; field++)
		p = strchr(p + 1, ' ');
	return p && sscanf(p, " %llu", start) == 1;
}

int owner_name(char *name, size_t size, struct ft_error *err)
{
	unsigned long long start;

	errno = 0;
	if (!read_start_time("/proc", getpid(), &start))
		return ft_error_errno(err, errno ?: EIO, -1, "/proc/%d/stat", getpid());
	snprintf(name, size, PREFIX "%d-%llu", getpid(), start);
	return 0;
}

bool owner_parse(const char *name, int *pid, unsigned long long *start)
{
	char *end;
	long number;

	if (strncmp(name, PREFIX, strlen(PREFIX)) || !isdigit((unsigned char)name[strlen(PREFIX)]))
		return false;
	errno = 0;
	number = strtol(name + strlen(PREFIX), &end, 10);
	if (errno || number <= 0 || number > INT_MAX || *end != '-' ||
	    !isdigit((unsigned char)end[1]))
		return false;
	*pid = (int)number;
	*start = strtoull(end + 1, &end, 10);
	return !errno && (!*end || !strcmp(end, OWNER_NAMES));
}

bool owner_is_seen(const char *proc, int pid, unsigned long long start)
{
	unsigned long long now;

	return read_start_time(proc, pid, &now) && now == start;
}

const char *owner_boot_id(char boot[OWNER_BOOT_BYTES])
{
	if (!tracefs_dir_read_into(AT_FDCWD, "/proc/sys/kernel/random/boot_id", boot,
				   OWNER_BOOT_BYTES))
		snprintf(boot, OWNER_BOOT_BYTES, "-");
	boot[strcspn(boot, "\n")] = '\0';
	return boot;
}
