/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_SPOOL_H
#define FTOP_PARSERS_IO_SPOOL_H
/*
 * spool - collects the data of many streams that arrive interleaved, until each stream is written
 * in one piece.  Data is kept in memory up to a limit, then in an unnamed file in the target's
 * folder.
 *
 *   stream A: | extent of the file | extent | tail in memory |
 */
#include <stdint.h>
#include "parsers/io/out.h"
#include "src/base/error.h"

struct spool {
	const char	*path;		/* of the target file; borrowed */
	int		 fd;		/* of the unnamed file; -1 until it is needed */
	uint64_t	 end;		/* bytes in the unnamed file */
	uint64_t	 held;		/* bytes in the tails of all streams */
};

struct spool_extent {
	uint64_t	offset;
	uint64_t	bytes;
};

struct spool_stream {			/* zero it before use */
	struct spool_extent	*extents;	/* owned */
	size_t			 nr_extents, cap_extents;
	struct text		 tail;
	uint64_t		 bytes;		/* total, in the file and in memory */
};

void spool_init(struct spool *spool, const char *path);	/* does not create the file yet */
void spool_fini(struct spool *spool);			/* also removes the unnamed file */
void spool_stream_fini(struct spool_stream *stream);    /* may be called before or after
							 * spool_fini() */

/*
 * Append bytes to a stream.  Return: 0, or -1 with FT_E_IO if the unnamed file cannot be created or
 * written.
 */
int spool_append(struct spool *spool, struct spool_stream *stream, const char *data, size_t len,
		 struct ft_error *err);

/*
 * Copy the whole stream to @out.  Return: 0, or -1 with FT_E_IO if the unnamed file cannot be read.
 * Write errors are kept in @out.
 */
int spool_copy(const struct spool *spool, const struct spool_stream *stream, struct out *out,
	       struct ft_error *err);
#endif
