/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_READ_AT_H
#define FTOP_PARSERS_READ_AT_H
/*
 * read_at - reads bytes at a place of a file, whole or up to its end.
 */
#include <stddef.h>
#include <stdint.h>

/* Bytes read, fewer than @n only at the end of the file; -1 with errno.  Interrupted reads go on. */
int64_t read_at(int fd, void *buf, size_t n, uint64_t offset);
#endif
