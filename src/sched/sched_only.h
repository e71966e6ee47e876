/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_ONLY_H
#define FTOP_SRC_SCHED_SCHED_ONLY_H
/*
 * sched_only - recognises a trace in which only some tasks were recorded, with trace-cmd record -P
 * or set_event_pid.  Our recorder writes that into the file (who_table.h).
 */
#include "src/sched/sched_types.h"
#include "src/trace/trace.h"

/*
 * Look at the first records of a file, once: if these are of some tasks, trace_has_only() says so
 * from then on.  Any thread.  Not of a trace that grows.
 */
void sched_only_find(struct trace *trace, unsigned int file, const struct sched_types *types);
#endif
