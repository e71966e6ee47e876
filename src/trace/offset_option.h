/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_OFFSET_OPTION_H
#define FTOP_SRC_TRACE_OFFSET_OPTION_H
/* offset_option - --offset, which shifts a file's times, for all commands that open traces. */
#include "src/base/options.h"
#include "src/trace/trace.h"

/* Id of the option below, distinct from the commands' own. */
enum { OFFSET_OPTION_ID = 300 };

#define OFFSET_OPTION \
	{ .name = "offset", .arg = "[FILE=]TIME", .id = OFFSET_OPTION_ID, \
	  .help = "add this to all times of a file: +1.5ms, -2s, or +1500 for a clock that counts" }

/**
 * offset_option_set() - parse one value of the option
 * @word:    "+1.5ms" with a single file, else "b.dat=+1.5ms"; the file by its path, or by its name
 *        if that is unique
 * @paths:   [nr] of the files
 * @offsets: [nr]; sets the file's
 *
 * Return: 0, or -1 with FT_E_USAGE.
 */
int offset_option_set(const char *word, const char *const *paths, unsigned int nr,
		      struct trace_offset *offsets, struct ft_error *err);

/**
 * offset_option_find() - parse all --offset of a command line
 * @offsets: set to [nr] offsets, which the caller frees, or to NULL if there are none
 *
 * Return: 0, or -1 with FT_E_USAGE.
 */
int offset_option_find(const struct option_list *list, const char *const *paths, unsigned int nr,
		       struct trace_offset **offsets, struct ft_error *err);
#endif
