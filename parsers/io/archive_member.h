/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_ARCHIVE_MEMBER_H
#define FTOP_PARSERS_IO_ARCHIVE_MEMBER_H
/*
 * archive_member - the trace among the files of a zip or tar archive.
 *
 * Formats: PKWARE's APPNOTE.TXT; tar(5).
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/io/archive_decoder.h"
#include "src/base/error.h"

struct archive_member {
	enum archive_kind kind;		/* how it is packed: ARCHIVE_DEFLATE, ARCHIVE_STORED */
	uint64_t	 from, to;	/* bytes of the archive */
	bool		 has_crc;
	uint32_t	 crc;		/* of what is unpacked */
};

/**
 * archive_member_find() - find the only trace, or the only file
 * @kind: ARCHIVE_ZIP or ARCHIVE_TAR
 * @size: bytes of the archive
 *
 * The first bytes of a file say what it is. A trace of Perfetto must have a name that ends with
 * "trace", too.
 *
 * Return: 0, or -1 with FT_E_FORMAT: the archive is damaged, or holds no trace, or more than
 * one.
 */
int archive_member_find(int fd, enum archive_kind kind, uint64_t size, struct archive_member *found,
			struct ft_error *err);
#endif
