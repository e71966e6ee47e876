/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_REMOVAL_H
#define FTOP_RECORDER_TRACEFS_REMOVAL_H
/*
 * removal - removes an instance.
 *
 * The kernel stops tracing in it and removes its events and filters.  It refuses with EBUSY while
 * any process has a file of the instance open, as every recorder does: so rmdir(2) alone cannot
 * disturb anyone, not even in another container.  Some triggers also keep an instance in use; they
 * may only be removed if it is known that nobody records there.
 */
#include "recorder/tracefs/tracefs_dir.h"

enum removal_proof {
	REMOVAL_UNPROVEN,	/* someone may record there: let the kernel decide */
	REMOVAL_OURS,		/* our own, or of a recorder known to be gone: triggers are
				 * removed, too */
};

/**
 * removal_of_instance() - remove instances/NAME
 *
 * Waits up to a second for readers that are about to close it.
 *
 * Return: 0, or -1 with FT_E_IO and errno; for EBUSY the error names the processes that use it.
 */
int removal_of_instance(const struct tracefs_dir *root, const char *name, enum removal_proof proof,
			struct ft_error *err);
#endif
