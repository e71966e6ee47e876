/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_READ_AT_H
#define FTOP_PARSERS_IO_READ_AT_H
/* read_at - reads a range of a file, completely or up to the end of the file. */
#include <stddef.h>
#include <stdint.h>

/*
 * Return: bytes read, fewer than @n only at the end of the file; -1 with errno.  Continues after
 * interruptions.
 */
int64_t read_at(int fd, void *buf, size_t n, uint64_t offset);
#endif
