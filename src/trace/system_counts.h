/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SYSTEM_COUNTS_H
#define FTOP_SRC_SYSTEM_COUNTS_H
/* system_counts - how many events of each system (sched, irq, ftrace …) a trace holds, as far as it was counted. */
#include <stdint.h>
#include "src/trace/trace.h"

struct system_count {
	const char	*system;	/* borrowed from the trace, as the file has it; "" = of types that it does not describe */
	uint64_t	 events;	/* not 0 */
};

/* Of all files, most events first, then by name: an array that the caller frees with free().  Return: how many. */
unsigned int system_counts_get(struct trace *trace, struct system_count **list);
#endif
