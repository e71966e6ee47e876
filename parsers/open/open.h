/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_OPEN_OPEN_H
#define FTOP_PARSERS_OPEN_OPEN_H
/*
 * open - opens a file as a source, whatever form of trace it has.  The first bytes tell the form.
 */
#include "parsers/io/open_progress.h"
#include "parsers/source/source.h"

/**
 * source_open() - open a trace and find what is in it
 * @path: file to read; a copy is kept
 * @fd:   the file, open for reading: taken over, in any case; -1 = open it by @path
 * @err:  set on failure, untouched on success
 *
 * Damage that leaves something to show (truncated, unfinished, sizes that lie) is not a failure:
 * source_warning() returns it.
 *
 * Return: a source for the caller to end with source_close(), or NULL with FT_E_IO, FT_E_VERSION,
 * FT_E_UNSUPPORTED (codec not built in: named), or FT_E_FORMAT and FT_E_LIMIT (offset of the bad
 * byte).
 */
struct source *source_open(const char *path, int fd, struct ft_error *err);

/* How to read a text; zeroed: as source_open() does. */
struct source_options {
	uint64_t	head;		/* bytes of a long file that are read: there are no more
					 * events then, and source_is_head() is true; 0 = all */
	const struct line_formats *formats;	/* its events' formats (parsers/lines/line_known.h);
						 * must outlive the source */
	const struct open_progress *progress;	/* NULL: nobody is told */
};
struct source *source_open_with(const char *path, int fd, const struct source_options *options,
				struct ft_error *err);
/*
 * Open the whole file again, at most once.  If @former is a head, after source_read_rest(), which
 * makes it cheap for others, too.
 */
struct source *source_open_again(struct source *former, const struct source_options *options,
				 struct ft_error *err);
#endif
