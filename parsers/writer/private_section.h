/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_WRITER_PRIVATE_SECTION_H
#define FTOP_PARSERS_WRITER_PRIVATE_SECTION_H
/*
 * private_section - adds a section of ours to a trace.dat that is complete (parsers/file/
 * trace_extra.c), of version 6 or 7.  It goes to the end of the file, where other programs do not
 * look.
 */
#include <stdbool.h>
#include "src/base/error.h"
#include "src/base/text.h"

/**
 * private_section_append() - replace the file's section of ours
 * @fd: open for writing; its offset does not matter
 * @big_endian: the file's byte order
 * @text: the whole section, which begins with TRACE_PRIVATE_MAGIC
 *
 * Return: 0, or -1 with FT_E_IO: the file is as before.
 */
int private_section_append(int fd, bool big_endian, const struct text *text, struct ft_error *err);
#endif
