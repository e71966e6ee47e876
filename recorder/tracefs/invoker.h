/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_INVOKER_H
#define FTOP_RECORDER_INVOKER_H
/*
 * invoker - whose rights the traced command and the output file get: those of
 * the user who called sudo (or of --user), not root's.
 */
#include <stdbool.h>
#include <sys/types.h>
#include "src/base/error.h"

struct invoker {
	bool	 other;		/* not who this process is: rights are to be changed */
	uid_t	 uid;
	gid_t	 gid;
	char	*name;		/* owned */
	char	*home;		/* owned */
	gid_t	*groups;	/* owned, [nr_groups] */
	int	 nr_groups;
	gid_t	 own_groups[256];	/* this process's, while it uses the rights of the other */
	int	 nr_own_groups;
};

/*
 * @user: the name given by --user, or NULL: then who SUDO_UID and SUDO_GID, or PKEXEC_UID, name, where this process is root, else itself.
 * Returns -1 with FT_E_USAGE for a user that does not exist.
 */
int invoker_find(struct invoker *who, const char *user, struct ft_error *err);
void invoker_fini(struct invoker *who);

/* Become them for good: for a child that is about to exec, and for browsing.  Sets HOME, USER and LOGNAME. */
int invoker_become(const struct invoker *who, struct ft_error *err);

/* Use their rights for a few system calls on files, then one's own again.  While no other thread runs. */
int invoker_enter( struct invoker *who, struct ft_error *err);
void invoker_leave(const struct invoker *who);
#endif
