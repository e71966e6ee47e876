/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * journal_top - one recorder at a time has the top instance: what two change there, none of them
 * can undo.  It locks the folder of tracefs until its changes are undone.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "recorder/journal/journal_private.h"

/* "1: FLOCK  ADVISORY  WRITE 4711 00:0c:1 0 EOF"; 0: it cannot be seen from here. */
static int pid_of_lock(const struct stat *folder)
{
	FILE *locks = fopen("/proc/locks", "re");
	unsigned int major, minor;
	unsigned long long inode;
	char line[200];
	int pid = 0, at;

	while (locks && !pid && fgets(line, sizeof(line), locks))
		if (sscanf(line, "%*s FLOCK ADVISORY WRITE %d %x:%x:%llu", &at, &major, &minor,
			   &inode) == 4 &&
		    makedev(major, minor) == folder->st_dev && inode == folder->st_ino)
			pid = at;
	if (locks)
		fclose(locks);
	return pid;
}

static int set_taken(const struct journal *j, const struct stat *folder, struct ft_error *err)
{
	int pid = pid_of_lock(folder);
	char by[32] = "";

	if (pid > 0)
		snprintf(by, sizeof(by), " (process %d)", pid);
	return ft_error_set(err, FT_E_IO, -1,
			    "%s: another ftop-trace record%s records in the top instance; wait for "
			    "its end, or stop it, or record without --top",
			    j->root->path, by);
}

int journal_lock_top(struct journal *j, struct ft_error *err)
{
	struct stat st;

	if (j->top)
		return 0;
	j->top = open(j->root->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (j->top < 0) {
		j->top = 0;
		return ft_error_errno(err, errno, -1, "%s", j->root->path);
	}
	if (fstat(j->top, &st))
		return ft_error_errno(err, errno, -1, "%s", j->root->path);
	return flock(j->top, LOCK_EX | LOCK_NB) && errno == EWOULDBLOCK ? set_taken(j, &st, err) :
									  0;
}
