/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_KERNEL_CONSTANTS_H
#define FTOP_PARSERS_KERNEL_CONSTANTS_H
/*
 * kernel_constants - values of constants that print formats name and do not tell.
 *
 * Most tracepoints export their enums, so that formats have numbers; some forget to,
 * and a format then says { HRTIMER_MODE_ABS, "ABS" }.  Only what has had one value
 * since it was made is listed, or since it became an enum: macros, as the I_… were
 * until 6.12 with other values, are numbers in a format.
 * Source: linux include/linux/{fs,hrtimer,mm_types,mmzone,pm_qos}.h, include/net/tcp_states.h,
 * include/uapi/linux/ioprio.h.
 */
#include <stdbool.h>
#include <stdint.h>

bool kernel_constant(const char *name, uint64_t *value);
#endif
