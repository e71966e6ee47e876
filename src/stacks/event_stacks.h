/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_EVENT_STACKS_H
#define FTOP_SRC_STACKS_EVENT_STACKS_H
/*
 * event_stacks - how often each stack was recorded, below the name of the event that it belongs to:
 * the last one before it on the same CPU and of the same task.  Stacks of the kernel and of user
 * space are kept apart.  A worker counts, in slices.  Main thread.
 */
#include "src/match/event_sweep.h"
#include "src/stacks/stack_table.h"

struct event_stacks;			/* opaque */

struct event_stacks *event_stacks_new(struct trace *trace,
				      const struct event_sweep_options *options);
void event_stacks_free(struct event_stacks *stacks);	/* stops the worker; NULL is allowed */

struct event_sweep *event_stacks_sweep(const struct event_stacks *stacks);	/* borrowed */
/* Once that is done: weights and counts are both the number of stacks.  Owned by @stacks. */
const struct stack_table *event_stacks_table(const struct event_stacks *stacks);
#endif
