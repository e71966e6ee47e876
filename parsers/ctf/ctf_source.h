/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_CTF_CTF_SOURCE_H
#define FTOP_PARSERS_CTF_CTF_SOURCE_H
/* ctf_source - a folder with CTF traces as a source: what LTTng and others record. */
#include "src/base/error.h"

struct source;
struct source_start;			/* parsers/source/source_form.h */

/*
 * How traces get their helper: @start returns a socket, at the other end of which a new process
 * runs ctf_helper_serve() (ctf_helper.h); or -1.
 */
void ctf_set_helper(int (*start)(void));

/*
 * Has a helper read all records of the traces in the folder @start->fd, also in folders below it;
 * they go to a temporary file.  Hosts are buffers of their own.  Damage is a warning.  Return: as
 * source_open().
 */
struct source *ctf_source_open(const struct source_start *start, struct ft_error *err);
#endif
