/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_TEMPORARY_H
#define FTOP_PARSERS_IO_TEMPORARY_H
/*
 * temporary - unlinked temporary files, for what can be read only once.
 *
 * A confined process cannot create files, so another one may do it: temporary_set_maker().
 */
#include <stdint.h>

struct temporary {
	int		fd;		/* owned by the caller; -1: it could not be created */
	char		folder[256];	/* "": in memory */
};

/* A new file in $TMPDIR, /var/tmp or /tmp, or in memory if it must. */
struct temporary temporary_take(void);

/* From now on @make creates them; those for which it gives none are in memory. */
void temporary_set_maker(struct temporary (*make)(void));

/* For it: as temporary_take(), but not in memory, and in this process. */
struct temporary temporary_create(void);

/* Bytes that may be written to it: a part of the free space is left to others. */
uint64_t temporary_room(const struct temporary *t);

/* Where it is, for messages: "/var/tmp", "memory" */
const char *temporary_folder(const struct temporary *t);
#endif
