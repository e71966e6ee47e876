/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_REMOVAL_H
#define FTOP_RECORDER_REMOVAL_H
/*
 * removal - takes an instance away.
 *
 * The kernel stops tracing in it, removes its events and filters, and refuses with EBUSY while anybody has a file of it
 * open, as every recorder has: rmdir(2) alone can disturb nobody, however far away they are (another container).  Some
 * triggers hold an instance as well; these can be taken off only where it is known that nobody records there.
 */
#include "recorder/tracefs/tracefs_dir.h"

enum removal_proof {
	REMOVAL_UNPROVEN,	/* somebody may record there: the kernel is to say */
	REMOVAL_OURS,		/* our own, or of a recorder that is known to be gone: triggers are taken off, too */
};

/**
 * removal_of_instance() - remove instances/NAME
 *
 * Waits up to a second for readers that are just leaving.
 *
 * Return: 0, or -1 with FT_E_IO and errno; EBUSY names who holds it.
 */
int removal_of_instance(const struct tracefs_dir *root, const char *name, enum removal_proof proof, struct ft_error *err);
#endif
