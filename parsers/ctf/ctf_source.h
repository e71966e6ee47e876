/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_SOURCE_H
#define FTOP_PARSERS_CTF_CTF_SOURCE_H
/* ctf_source - a folder with CTF traces as a source: what LTTng and others record. */
#include <stddef.h>

#include "src/base/error.h"

struct source;
struct source_start;			/* parsers/source/source_form.h */

/* How traces get their helper. */
struct ctf_helper_ways {
	/* a socket, at the other end of which a new process runs ctf_helper_serve(); or -1 */
	int		(*start)(void);
	/* how the process at the other end has ended, "crashed"; it is ended if it still runs.
	 * @buf: for the text.  NULL: nobody knows */
	const char	*(*how)(int fd, char *buf, size_t size);
	unsigned int	 patience_ms;	/* the longest time in which it tells nothing */
};

void ctf_set_helper(const struct ctf_helper_ways *ways);

/*
 * Has a helper read all records of the traces in the folder @start->fd, also in folders below it;
 * they go to a temporary file.  Hosts are buffers of their own.  Damage is a warning.  Return: as
 * source_open().
 */
struct source *ctf_source_open(const struct source_start *start, struct ft_error *err);
#endif
