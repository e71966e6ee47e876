/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_ARCHIVE_H
#define FTOP_PARSERS_IO_ARCHIVE_H
/*
 * archive - a whole file that is compressed (x.dat.zst, x.dat.gz, x.dat.xz), or the trace in a zip
 * or tar archive, becomes an unlinked temporary file (temporary.h), which can be read at any
 * offset.  Found by the first bytes, not by the name.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "parsers/io/open_progress.h"
#include "src/base/error.h"

/* Is it the path of a compressed file, or of an archive of files? */
bool archive_is_at(const char *path);

/*
 * Open a file now, with privileges that the process is about to give up: it stays open, for all
 * that is asked below of a path that leads to it.  Return: the descriptor, which is not the
 * caller's; -1: it cannot be opened.
 */
int archive_open_ahead(const char *path);

/**
 * archive_open() - open a file, and if it is compressed, unpack it
 * @fd:       set to the descriptor to read from (owned); -1: the file cannot be opened
 * @progress: may be NULL
 *
 * What is in it must begin as a trace.dat or as text, and must fit into the free space of the
 * folder of temporary files, of which a part is left to others.
 *
 * Return: 0, or -1 with FT_E_FORMAT (the archive is damaged: offset; it has several traces, or
 * none), FT_E_LIMIT (too large),
 * FT_E_UNSUPPORTED (not built in) or FT_E_IO; *fd is closed then.
 */
int archive_open(const char *path, int *fd, const struct open_progress *progress,
		 struct ft_error *err);

/*
 * What a file is that is no trace.dat, judging by its first bytes: "the text of the kernel's file
 * trace; …".  NULL: not known.
 */
const char *archive_foreign(const uint8_t *bytes, uint64_t len);

/* As far as they are there, are these the first bytes of a trace? */
bool archive_is_trace(const uint8_t *bytes, size_t len);
/* Are they those of a form of trace that begins with a magic? */
bool archive_has_magic(const uint8_t *bytes, size_t len);

/* Are they characters of a text? */
bool archive_is_text(const uint8_t *bytes, size_t len);
#endif
