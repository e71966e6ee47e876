/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_WARNINGS_H
#define FTOP_SRC_TRACE_WARNINGS_H
/*
 * warnings - reports damage in files on stderr: text commands call it at the end, so that an
 * incomplete result is never taken for a complete one.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

/*
 * Print a line on stderr.  Of several files that are printed one after the other, @path is the one
 * at hand, whose name then begins each line; NULL: there is only one.
 */
void warnings_tell(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void warnings_begin(const char *path);
/* From now on nothing is printed: what comes is of a trace whose lines were printed before. */
void warnings_end(void);

/* From now on lines are appended to a text, each with a newline; NULL: they are printed again. */
void warnings_take(struct text *lines);

/* trace_options.progress: a line on stderr, if that is a terminal, which ends at 100 %. */
void warnings_opening(void *arg, const char *path, uint64_t done, uint64_t size);

/**
 * warnings_show() - print the first warnings of each file, and a line for damaged sub-buffers
 * @damaged: number of sub-buffers that could not be read completely
 *
 * Return: is anything wrong?
 */
bool warnings_show(const struct trace *trace, uint64_t damaged);
#endif
