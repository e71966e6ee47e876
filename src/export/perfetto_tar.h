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

/* A member follows at the end of the file.  Return: for perfetto_tar_end(); -1 with FT_E_IO. */
int64_t perfetto_tar_begin(int fd, struct ft_error *err);

/* It ends there.  -1 with FT_E_IO, or FT_E_LIMIT: a member has at most 8 GB. */
int perfetto_tar_end(int fd, int64_t start, const char *name, struct ft_error *err);

/*
 * The last member, and the end.
 * @names:   [nr] of the members so far: "MACHINE.pftrace"
 * @aligned: the user aligned their times by --offset; else Perfetto does, by the wall clock
 */
int perfetto_tar_manifest(int fd, const char *const *names, unsigned int nr, bool aligned,
			  struct ft_error *err);
#endif
