/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_COMM_CACHE_H
#define FTOP_SRC_TRACE_COMM_CACHE_H
/*
 * comm_cache - the names of tasks that one thread asked for last, each with the span in which it
 * holds: asking trace_comm() for each row costs a lock that all threads share.
 *
 * For a trace whose directory is complete.
 */
#include "src/trace/trace.h"

#define COMM_CACHE_NAMES 256u

struct comm_cache {			/* zeroed: empty */
	struct comm_cached {
		const char	*name;	/* interned; NULL = unused */
		int64_t		from, to;
		int32_t		pid;
		unsigned int	file;
	}		names[COMM_CACHE_NAMES];	/* by pid */
};

/* As trace_comm(). */
static inline const char *comm_cache_name(struct comm_cache *cache, struct trace *trace,
					  unsigned int file, int32_t pid, int64_t ts)
{
	struct comm_cached *at = &cache->names[(uint32_t)pid % COMM_CACHE_NAMES];

	if (!at->name || at->pid != pid || at->file != file || ts < at->from || ts > at->to) {
		at->pid = pid;
		at->file = file;
		at->name = trace_comm_span(trace, file, pid, ts, &at->from, &at->to);
	}
	return at->name;
}
#endif
