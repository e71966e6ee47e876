/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_OPEN_PROGRESS_H
#define FTOP_PARSERS_IO_OPEN_PROGRESS_H
/* open_progress - whom to tell how far a file is that takes long to open */
#include <stddef.h>
#include <stdint.h>

struct open_progress {
	/* Called now and then; @done of @size bytes, in the end all of them. */
	void		(*tell)(void *arg, const char *path, uint64_t done, uint64_t size);
	void		*arg;
};

/* @progress: NULL, or one without tell(): nobody is told. */
static inline void open_progress_tell(const struct open_progress *progress, const char *path,
				      uint64_t done, uint64_t size)
{
	if (progress && progress->tell)
		progress->tell(progress->arg, path, done < size ? done : size, size);
}
#endif
