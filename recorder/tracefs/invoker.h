/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_INVOKER_H
#define FTOP_RECORDER_TRACEFS_INVOKER_H
/*
 * invoker - the user whose privileges the traced command and the output file get: the one who
 * called sudo (or named by --user), not root.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/base/error.h"

struct invoker {
	bool	 other;		/* not the user of this process: privileges must be changed */
	uid_t	 uid;
	gid_t	 gid;
	char	*name;		/* owned */
	char	*home;		/* owned */
	gid_t	*groups;	/* owned, [nr_groups] */
	int	 nr_groups;
	gid_t	 own_groups[256];	/* this process's groups, while it uses the other user's
					 * privileges */
	int	 nr_own_groups;
};

/*
 * @user: from --user, or NULL: as root, the user named by SUDO_UID and SUDO_GID, or by PKEXEC_UID;
 *        otherwise this process's user.
 * Return: -1 with FT_E_USAGE if the user does not exist.
 */
int invoker_find(struct invoker *who, const char *user, struct ft_error *err);
void invoker_fini(struct invoker *who);

/*
 * Become the user for good: for a child before exec, and for browsing.  Sets HOME, USER and
 * LOGNAME.
 */
int invoker_become(const struct invoker *who, struct ft_error *err);

/*
 * Switch to the user's privileges for some system calls on files; invoker_leave() switches back. No
 * other thread may be running.
 */
int invoker_enter(struct invoker *who, struct ft_error *err);
void invoker_leave(const struct invoker *who);

/*
 * May hidden options (tests) name this folder, to be read instead of the kernel's?  Only one's own,
 * without sudo: root would read for others what a link in it names.  Return: 0, or -1 with
 * FT_E_USAGE.
 */
int invoker_check_folder(const char *option, const char *folder, struct ft_error *err);
#endif
