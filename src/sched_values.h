/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_VALUES_H
#define FTOP_SRC_SCHED_VALUES_H
/*
 * sched_values - what a single record of system sched means for its task, in numbers that filters ask for:
 *
 *   ran       at a sched_switch: how long the task that leaves ran; both switches are recorded, and nothing is lost between
 *   wait      at a sched_switch: how long the task that comes could have run, but did not: since its wake-up, or since it left
 *   wakelat   at a wake-up that counts and is answered, and at the switch that answers it: from the one to the other
 *   state     at a sched_switch: what the task that leaves is from then on; at a wake-up that counts: what the task was
 *   prio      at any record: the priority of its task, by the last switch that tells one (before all: the first)
 *             Of a switch it is that of the task that comes.
 *
 * They follow the rules of sched_rules.h; other records have no value.  One pass over the buffer makes them, by a worker, when
 * a filter first asks; from then on a record is looked up by its stream, time and tasks, in any thread.  24 bytes are kept
 * for each switch and wake-up, up to a quarter of this machine's memory.  What happens twice at one moment, between the same
 * tasks on the same CPU, is not told apart.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter_names.h"
#include "src/sched_rules.h"
#include "src/trace.h"

/* Those of a file: begun at the first call.  Main thread, as long as the trace lives. */
void sched_values_begin(struct trace *trace, unsigned int file);

/* Are they made?  False also where they were not begun.  Any thread. */
bool sched_values_ready(struct trace *trace, unsigned int file);
void sched_values_wait(struct trace *trace, unsigned int file);	/* until they are; not by a worker */

/* There was not enough memory for all: later records have none. */
bool sched_values_full(struct trace *trace, unsigned int file);

/* Of a record; false: it has none, or they are not made yet.  Any thread. */
bool sched_values_ran(const struct filter_record *rec, int64_t *value);
bool sched_values_wait_of(const struct filter_record *rec, int64_t *value);
bool sched_values_wakelat(const struct filter_record *rec, int64_t *value);
bool sched_values_state(const struct filter_record *rec, int64_t *value);	/* enum sched_state */
bool sched_values_prio(const struct filter_record *rec, int64_t *value);

/* The field with the task that comes, or is woken; NULL: the type is no switch and no wake-up. */
const struct event_field *sched_values_other_pid(const struct event_type *type);

/* Types whose records may have one. */
bool sched_values_is_switch(const struct event_type *type);
bool sched_values_is_change(const struct event_type *type);	/* a switch, or a wake-up */
#endif
