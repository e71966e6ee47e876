/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_BUILD_ID_H
#define FTOP_RECORDER_TRACEFS_BUILD_ID_H
/* build_id - the build ID of an ELF file, which says later whether another file is the same. */
#include "src/base/text.h"

/*
 * Append it in hexadecimal.  Nothing, if the file has none or is no ELF file of this machine's byte
 * order.  @fd: untrusted; a few kB of it are read.
 */
void build_id_read(int fd, struct text *out);
#endif
