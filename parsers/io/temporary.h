/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_TEMPORARY_H
#define FTOP_PARSERS_IO_TEMPORARY_H
/*
 * temporary - unlinked temporary files, for what can be read only once.
 *
 * A confined process cannot create files, so temporary_reserve() creates them before.
 */
#include <stdint.h>

struct temporary {
	int		fd;		/* owned by the caller; -1: it could not be created */
	char		folder[256];	/* "": in memory */
};

/* Create @nr files now.  Each call of temporary_take() gives one of them. */
void temporary_reserve(unsigned int nr);

/* A file in $TMPDIR, /var/tmp or /tmp; if none is reserved, a new one, in memory if it must. */
struct temporary temporary_take(void);

/* Bytes that may be written to it: a part of the free space is left to others. */
uint64_t temporary_room(const struct temporary *t);

/* Where it is, for messages: "/var/tmp", "memory" */
const char *temporary_folder(const struct temporary *t);
#endif
