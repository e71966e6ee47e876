/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_SYSTEM_COUNTS_H
#define FTOP_SRC_TRACE_SYSTEM_COUNTS_H
/* system_counts - events of each system (sched, irq, ftrace …) in a trace, as far as counted. */
#include <stdint.h>
#include "src/trace/trace.h"

struct system_count {
	const char	*system;	/* as in the file, borrowed; "" = types without a format */
	uint64_t	 events;	/* not 0 */
};

/*
 * Sums over all files, sorted by number and then name.  *list receives an array; the caller frees
 * it with free().  Return: its length.
 */
unsigned int system_counts_get(struct trace *trace, struct system_count **list);
#endif
