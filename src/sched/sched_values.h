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
 * They follow the rules of sched_rules.h; other records have no value.  One pass over the buffer makes what filters ask
 * for, by a worker.  Mostly that is whether a value is among some numbers: the rows where it is are held (value_sets.h).
 * What computes with values, `wait > 2 * ran`, is asked during the pass: held are the rows for which it is true.  Priorities
 * are held by task, where they change, up to a quarter of this machine's memory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/filter/filter_names.h"
#include "src/sched/sched_rules.h"
#include "src/trace/trace.h"
#include "src/filter/value_sets.h"

enum sched_value { SCHED_VALUE_RAN, SCHED_VALUE_WAIT, SCHED_VALUE_WAKELAT, SCHED_VALUE_STATE };

/*
 * Ask for the rows whose value is among some numbers, those of which a filter says yes by all values (taken), both for
 * value_set_drop(); for priorities.  Main thread.
 */
struct value_set *sched_values_want_among(struct trace *trace, unsigned int file, enum sched_value value,
					  const struct filter_set *numbers, bool negate);
struct value_set *sched_values_want_computed(struct trace *trace, unsigned int file, struct filter *asks);
void sched_values_want_prio(struct trace *trace, unsigned int file);

/* Begin with what was asked for of a file and is not made: what is half done begins anew with it.  Main thread. */
void sched_values_begin(struct trace *trace, unsigned int file);

/* Is it made?  Any thread. */
bool sched_values_ready(struct trace *trace, unsigned int file);
bool sched_values_prio_ready(struct trace *trace, unsigned int file);
void sched_values_wait(struct trace *trace, unsigned int file);	/* until they are; not by a worker */

/* There was not enough memory for all priorities: later ones are not known. */
bool sched_values_full(struct trace *trace, unsigned int file);

/* Of a record; false: it has none, or they are not made.  Any thread. */
bool sched_values_prio(const struct filter_record *rec, int64_t *value);

/* The field with the task that comes, or is woken; NULL: the type is no switch and no wake-up. */
const struct event_field *sched_values_other_pid(const struct event_type *type);

/* Types whose records may have one. */
bool sched_values_is_switch(const struct event_type *type);
bool sched_values_is_change(const struct event_type *type);	/* a switch, or a wake-up */
#endif
