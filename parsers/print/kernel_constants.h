/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_KERNEL_CONSTANTS_H
#define FTOP_PARSERS_PRINT_KERNEL_CONSTANTS_H
/*
 * kernel_constants - values of constants that print formats use by name.
 *
 * Most tracepoints export their enums, so that formats contain numbers; some do not, and then a
 * format says { HRTIMER_MODE_ABS, "ABS" }. Listed are only constants whose value never changed
 * since they exist, or since they became an enum: a macro, like the I_… with other values before
 * 6.12, is a number in the format. Source: linux
 * include/linux/{fs,hrtimer,mm_types,mmzone,pm_qos}.h, include/net/tcp_states.h,
 * include/uapi/linux/ioprio.h.
 */
#include <stdbool.h>
#include <stdint.h>

bool kernel_constant(const char *name, uint64_t *value);
#endif
