/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_SPOOL_H
#define FTOP_PARSERS_SPOOL_H
/*
 * spool - data of many streams that come in turns, kept until each is written as
 * one piece: in memory up to a bound, then in an unnamed file beside the target.
 *
 *   stream A: | extent of the file | extent | tail in memory |
 */
#include <stdint.h>
#include "parsers/io/out.h"
#include "src/base/error.h"

struct spool {
	const char	*path;		/* of the target; borrowed */
	int		 fd;		/* -1 until it is needed */
	uint64_t	 end;		/* bytes in the file */
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
	uint64_t		 bytes;		/* of all of it */
};

void spool_init(struct spool *spool, const char *path);	/* touches no file yet */
void spool_fini(struct spool *spool);			/* the unnamed file is gone with it */
void spool_stream_fini(struct spool_stream *stream);	/* in any order with the spool's */

/* Append bytes to a stream.  0, or -1 with FT_E_IO where the unnamed file cannot be made or written. */
int spool_append(struct spool *spool, struct spool_stream *stream, const char *data, size_t len, struct ft_error *err);

/* Copy all of a stream to the file.  0, or -1 with FT_E_IO where the unnamed one cannot be read; @out keeps failures of its own. */
int spool_copy(const struct spool *spool, const struct spool_stream *stream, struct out *out, struct ft_error *err);
#endif
