/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_GRAPH_BUSIEST_H
#define FTOP_SRC_CALLS_GRAPH_BUSIEST_H
/*
 * graph_busiest - whose calls to show first: those of the task that called most where the trace
 * begins.
 */
#include "src/calls/graph_records.h"

struct graph_busiest {
	int32_t		 pid;		/* 0: only idle tasks call functions */
	trace_ref	 ref;		/* its first call */
	int64_t		 key;
	uint64_t	 calls;		/* of it, in the records looked at */
};

/*
 * Looks at some ten thousand records.  *calls: those of @pid among them.  False: there are none of
 * any task.  Main thread; takes a few ms.
 */
bool graph_find_busiest(struct trace *trace, const struct graph_types *types, unsigned int file,
			unsigned int buffer, int32_t pid, struct graph_busiest *busiest,
			uint64_t *calls);
#endif
