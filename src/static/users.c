/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * users - the C library's functions for names of users, from /etc/passwd and /etc/group alone.  The
 * C library's own load the libraries that /etc/nsswitch.conf names.
 */
#include <grp.h>
#include <pwd.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

/* @name: NULL: by @uid.  The result lasts until the next call. */
static struct passwd *find(const char *name, uid_t uid)
{
	FILE *file = fopen("/etc/passwd", "re");
	struct passwd *pw = NULL;

	if (!file)
		return NULL;
	do
		pw = fgetpwent(file);
	while (pw && (name ? strcmp(pw->pw_name, name) != 0 : pw->pw_uid != uid));
	fclose(file);
	return pw;
}

struct passwd *getpwnam(const char *name)
{
	return find(name, 0);
}

struct passwd *getpwuid(uid_t uid)
{
	return find(NULL, uid);
}

static bool has_member(const struct group *gr, const char *user)
{
	for (char **member = gr->gr_mem; *member; member++)
		if (!strcmp(*member, user))
			return true;
	return false;
}

int getgrouplist(const char *user, gid_t group, gid_t *groups, int *nr)
{
	FILE *file = fopen("/etc/group", "re");
	const int room = *nr;
	struct group *gr;

	*nr = 0;
	if ((*nr)++ < room)
		groups[0] = group;
	while (file && (gr = fgetgrent(file)))
		if (gr->gr_gid != group && has_member(gr, user) && (*nr)++ < room)
			groups[*nr - 1] = gr->gr_gid;
	if (file)
		fclose(file);
	return *nr > room ? -1 : *nr;
}
