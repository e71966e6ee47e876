/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_PARSERS_KERNEL_ARGS_H
#define FTOP_PARSERS_KERNEL_ARGS_H
/*
 * kernel_args - arguments of traced functions as the kernel shows them: the registers
 * they came in, with the names and types that BTF tells.
 * Source: linux kernel/trace/trace_output.c, print_function_args().
 */
#include <stdint.h>
#include "parsers/text/kernel_text.h"
#include "src/base/text.h"

#define KERNEL_ARGS_MAX 6		/* registers that are recorded */

/*
 * Append "(fd=3, buf=0x7ffd…)" of a function.  Where the file has no BTF the names are lost, and the number of arguments:
 * then these are all the registers.  @regs: longs of the record, @size bytes.
 */
void kernel_args_add(const struct kernel_text *kt, uint64_t function, const uint8_t *regs, uint32_t size, struct text *out);
#endif
