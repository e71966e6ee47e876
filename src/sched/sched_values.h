/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_VALUES_H
#define FTOP_SRC_SCHED_SCHED_VALUES_H
/*
 * sched_values - values of single records of system sched, for use in filters:
 *
 *   ran       at a sched_switch: how long the task that leaves has run; only if both switches are
 *             recorded, and nothing is lost in between
 *   wait      at a sched_switch: how long the next task was runnable but did not run: since its
 *             wakeup, or since it left
 *   wakelat   at a counted wakeup that is followed by a run, and at that run's switch: the time
 *             between the two
 *   throttled at a sched_switch: for how long of `wait` a limit kept the next task from running, as
 *             sched_limits.h infers it; 0 where that is known of no part
 *   state     at a sched_switch: the new state of the task that leaves; at a counted wakeup: the
 *             previous state of the task
 *   prio      at any record: the priority of its task, from the last switch with one (before the
 *             first switch: from that)
 *             At a switch, that of the next task.
 *
 * They follow the rules of sched_rules.h; other records have no value: neither `wakelat > 1ms` nor
 * `wakelat <= 1ms` is true for a doubtful latency.  A worker makes what filters ask for in one pass
 * over the buffer: a column for each name (derived_values.h); of priorities, where they change, by
 * task, up to a quarter of this machine's memory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_names.h"
#include "src/trace/trace.h"

extern const struct filter_name sched_value_names[];	/* the last one has .name NULL */

/* Is everything requested available?  Any thread; workers must not wait for it. */
bool sched_values_ready(struct trace *trace, unsigned int file);
void sched_values_wait(struct trace *trace, unsigned int file);

/* Was there too little memory for all priorities?  Later ones are unknown then. */
bool sched_values_full(struct trace *trace, unsigned int file);

/* Start making what a file lacks; an unfinished pass starts over with it.  Main thread. */
void sched_values_begin(struct trace *trace, unsigned int file);

/* The field with the next or the woken task; NULL: the type is no switch, no wakeup. */
const struct event_field *sched_values_other_pid(const struct event_type *type);

/* Is it a type whose records may have a value? */
bool sched_values_is_switch(const struct event_type *type);
#endif
