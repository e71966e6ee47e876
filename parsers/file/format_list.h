/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_FILE_FORMAT_LIST_H
#define FTOP_PARSERS_FILE_FORMAT_LIST_H
/*
 * format_list - splits the lists of event formats of a trace.dat, which perf.data has, too.  The
 * texts stay in the reader's bytes.
 */
#include "parsers/io/byte_reader.h"

struct source_formats;			/* parsers/source/source_form.h */

/* A number of formats, then each with its size.  False: the list ends early. */
bool format_list_system(struct source_formats *formats, struct byte_reader *r, const char *system);
/* A number of systems, then each with its name, and its formats. */
bool format_list_all(struct source_formats *formats, struct byte_reader *r);
#endif
