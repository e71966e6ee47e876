/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_EXPORT_PERFETTO_TAR_H
#define FTOP_SRC_EXPORT_PERFETTO_TAR_H
/*
 * perfetto_tar - several traces as one: a tar of Perfetto traces with a manifest, which tells that
 * each is of a machine of its own.  The file must be one, not a pipe: sizes are written last.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

struct perfetto_tar {			/* zero it; free it with perfetto_tar_fini() */
	int		fd;		/* borrowed */
	int64_t		start;		/* of the member that is being written */
	struct text	first;		/* name of the first one */
	struct text	manifest;	/* of those so far */
};

/* A member follows at the end of the file.  -1 with FT_E_IO. */
int perfetto_tar_begin(struct perfetto_tar *tar, int fd, struct ft_error *err);

/**
 * perfetto_tar_end() - it ends there
 * @machine: its name, of letters, digits and . _ + -; the member is "MACHINE.pftrace"
 * @aligned: the user aligned their times by --offset; else Perfetto does, by the wall clock
 *
 * Return: 0, or -1 with FT_E_IO, or FT_E_LIMIT: a member has at most 8 GB.
 */
int perfetto_tar_end(struct perfetto_tar *tar, const struct text *machine, bool aligned,
		     struct ft_error *err);

/* The last member, and the end. */
int perfetto_tar_manifest(struct perfetto_tar *tar, struct ft_error *err);
void perfetto_tar_fini(struct perfetto_tar *tar);
#endif
