/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_PRINT_KERNEL_CONSTANTS_H
#define FTOP_PARSERS_PRINT_KERNEL_CONSTANTS_H
/*
 * kernel_constants - values of constants that print formats use by name.
 *
 * Most tracepoints export their enums, so their formats contain numbers. Others do not: their
 * formats contain names, as in { HRTIMER_MODE_ABS, "ABS" }. The table has only enum constants whose
 * value never changed. As macros they may have had other values, as the I_… had before 6.12, but
 * macros are numbers in formats. Source: linux
 * include/linux/{fs,hrtimer,mm_types,mmzone,pm_qos}.h, include/net/tcp_states.h,
 * include/uapi/linux/ioprio.h.
 */
#include <stdbool.h>
#include <stdint.h>

bool kernel_constant(const char *name, uint64_t *value);
#endif
