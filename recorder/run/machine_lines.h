/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_MACHINE_LINES_H
#define FTOP_RECORDER_RUN_MACHINE_LINES_H
/*
 * machine_lines - this machine's CPUs and memory, for the file.
 */
#include "src/base/text.h"

/*
 * Append the lines of the block "machine" (parsers/file/trace_extra.c).
 * @root: prefix of /sys and /proc; "" except in tests
 */
void machine_lines(const char *root, struct text *out);
#endif
