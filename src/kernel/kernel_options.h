/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_KERNEL_KERNEL_OPTIONS_H
#define FTOP_SRC_KERNEL_KERNEL_OPTIONS_H
/*
 * kernel_options - the kernel's trace_options that change the text of its `trace` file, named as in
 * the kernel.
 */
#include <stdbool.h>
#include "src/base/error.h"

enum {
	KERNEL_OPT_ANNOTATE, KERNEL_OPT_BITMASK_LIST, KERNEL_OPT_BLK_CLASSIC,
	KERNEL_OPT_CONTEXT_INFO, KERNEL_OPT_FIELDS, KERNEL_OPT_ABSTIME,
	KERNEL_OPT_ARGS, KERNEL_OPT_CPU, KERNEL_OPT_DURATION, KERNEL_OPT_IRQS, KERNEL_OPT_OVERHEAD,
	KERNEL_OPT_OVERRUN, KERNEL_OPT_PROC,
	KERNEL_OPT_RETADDR, KERNEL_OPT_RETVAL, KERNEL_OPT_RETVAL_HEX, KERNEL_OPT_TAIL,
	KERNEL_OPT_HEX, KERNEL_OPT_IRQ_INFO,
	KERNEL_OPT_LATENCY_FORMAT, KERNEL_OPT_PRINT_PARENT, KERNEL_OPT_PRINTK_MSG_ONLY,
	KERNEL_OPT_RAW, KERNEL_OPT_RECORD_TGID,
	KERNEL_OPT_SYM_ADDR, KERNEL_OPT_SYM_OFFSET, KERNEL_OPT_SYM_USEROBJ,
	KERNEL_OPT_VERBOSE, NR_KERNEL_OPTIONS,
};

struct kernel_option {
	const char	*name, *help;
};

struct kernel_options {
	bool		 set[NR_KERNEL_OPTIONS];
};

const struct kernel_option *kernel_option_list(unsigned int *nr);
void kernel_options_init(struct kernel_options *options);	/* sets the kernel's defaults */
/* @name: NAME or noNAME.  -1 with FT_E_USAGE if there is no such option. */
int kernel_options_choose(struct kernel_options *options, const char *name, struct ft_error *err);
#endif
