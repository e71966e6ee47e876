/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PERF_PERF_KERNEL_H
#define FTOP_PARSERS_PERF_PERF_KERNEL_H
/*
 * perf_kernel - names of the kernel's functions, which a perf.data does not have: perf, too, asks
 * the kernel that runs.  They are right if that is the kernel that was recorded, since the same
 * boot: release, build id and the address of its text tell.
 */
#include <stdint.h>

struct perf_file;
struct text;

/*
 * Open /proc/kallsyms while this process may see addresses there: what it shows depends on who
 * opened it.  To call before root's rights are dropped, if there may be a perf.data.
 */
void perf_kernel_open_ahead(void);

/*
 * Append its lines, if they are those of the kernel that was recorded.  @text_address: of its
 * symbol _text, as recorded; 0: unknown.  Any thread.
 */
void perf_kernel_symbols(const struct perf_file *file, uint64_t text_address, struct text *out);
#endif
