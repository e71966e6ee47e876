/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_IO_INPUT_H
#define FTOP_PARSERS_IO_INPUT_H
/*
 * input - standard input as a file: a temporary file gets what comes.  The screen follows a text
 * that comes from a pipe: a thread writes whole lines to the file, while others read them.
 *
 * There is one, so it has no struct.  Functions that say so may be called by any thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"

#define INPUT_PATH	"-"		/* the path of what stands in standard input */

/*
 * Read all of standard input now.  @follows: if it is a pipe, only take it; input_follow() reads.
 * Return: 0, or -1 with FT_E_USAGE (it is a terminal), FT_E_IO or FT_E_LIMIT.
 */
int input_begin(bool follows, struct ft_error *err);

/* Start the thread, if a pipe was taken: after this process has been confined. */
int input_follow(struct ft_error *err);

/*
 * Wait for the first lines of a text, or for more than at the last call; else for all of it.
 * False: that call has seen the end, or all was read by input_begin().
 */
bool input_wait(void);

/* A descriptor of the file, owned by the caller; -1: standard input was not read. */
int input_open(void);

/*
 * The bytes of a file that can be read: @size, but of a followed input, the lines that have come.
 * *goes_on: more may come; may be NULL.  Any thread.
 */
uint64_t input_size(const char *path, uint64_t size, bool *goes_on);

/* Why a followed input was not read to its end; NULL: it was. */
const char *input_trouble(void);
#endif
