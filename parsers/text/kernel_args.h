/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_TEXT_KERNEL_ARGS_H
#define FTOP_PARSERS_TEXT_KERNEL_ARGS_H
/*
 * kernel_args - arguments of traced functions as the kernel shows them: their registers, with names
 * and types from BTF. Source: linux kernel/trace/trace_output.c, print_function_args().
 */
#include <stdint.h>
#include "parsers/text/kernel_text.h"
#include "src/base/text.h"

#define KERNEL_ARGS_MAX 6		/* registers that are recorded */

/*
 * Append "(fd=3, buf=0x7ffd…)".  Without BTF, neither the names nor the number of arguments are
 * known: all registers are shown.
 * @regs: longs of the record, @size bytes.
 */
void kernel_args_add(const struct kernel_text *kt, uint64_t function, const uint8_t *regs,
		     uint32_t size, struct text *out);
#endif
