/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_LEFTOVER_H
#define FTOP_RECORDER_LEFTOVER_H
/*
 * leftover - which instances are ours, whether their process lives, and their
 * removal where it does not.  Never touches an instance of another name.
 *
 * Ours are called ftop-PID-STARTTIME, the second as in field 22 of
 * /proc/PID/stat, so that a later process with the same id is not taken for it.
 */
#include <stdbool.h>
#include "recorder/tracefs_dir.h"

struct leftover {
	char	*name;		/* owned: of an instance */
	int	 pid;		/* who made it */
	bool	 alive;		/* and is still there */
};

struct leftovers {
	struct leftover	*items;		/* owned: our instances, by name */
	unsigned int	 nr, cap, nr_stale;
	struct tracefs_dir_names foreign;	/* all the other instances */
};

/* The name of this process's instance. */
int leftover_name(char *buf, unsigned int size, struct ft_error *err);

/* @proc: "/proc", but for tests.  Ends with leftovers_fini(), also on failure. */
int leftovers_find(struct leftovers *leftovers, const struct tracefs_dir *dir, const char *proc, struct ft_error *err);
void leftovers_fini(struct leftovers *leftovers);

/**
 * leftover_remove() - remove an instance
 * @name: below instances/
 *
 * The kernel itself stops tracing in it, removes its events and filters, and refuses while anybody has a file of it
 * open: then this waits up to a second.  So a process that cannot be seen (of another container) loses nothing.
 *
 * Return: 0, or -1 with FT_E_IO; EBUSY names who holds it.
 */
int leftover_remove(const struct tracefs_dir *dir, const char *name, struct ft_error *err);
#endif
