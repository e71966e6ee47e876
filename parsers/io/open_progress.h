/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_OPEN_PROGRESS_H
#define FTOP_PARSERS_IO_OPEN_PROGRESS_H
/* open_progress - a callback that shows how much of a slow file has been read */
#include <stddef.h>
#include <stdint.h>

struct open_progress {
	/* Called now and then: @done of @size bytes are read.  The last call has all of them. */
	void		(*tell)(void *arg, const char *path, uint64_t done, uint64_t size);
	void		*arg;
};

/* Does nothing if @progress or its tell() is NULL. */
static inline void open_progress_tell(const struct open_progress *progress, const char *path,
				      uint64_t done, uint64_t size)
{
	if (progress && progress->tell)
		progress->tell(progress->arg, path, done < size ? done : size, size);
}
#endif
