/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_MATCH_EVENT_SWEEP_H
#define FTOP_SRC_MATCH_EVENT_SWEEP_H
/*
 * event_sweep - a worker reads all rows of a file, one stream after the other, in slices: for
 * figures about events that need no order between CPUs.  It is faster than a cursor over the whole
 * trace (trace_cursor_new()), which merges them.  Main thread, but for the calls in @see.
 */
#include "src/base/time_math.h"
#include "src/filter/filter.h"
#include "src/trace/trace.h"

struct event_sweep_options {
	unsigned int	 file;
	struct time_range range;	/* which events, in ts */
	bool		outside;	/* take the events outside the range instead */
	bool		 only_range;	/* rows outside of it are not read, nor, if a clock went
					 * back, some in it */
	const bool	*only;		/* [nr_only] by CPU number; borrowed; NULL: all */
	unsigned int	 nr_only;
	const bool	*streams;	/* [trace_nr_streams()]: only these; copied; NULL: all */
	const struct filter *const *filters;	/* [nr_filters]: all must match the event; ready;
						 * borrowed */
	unsigned int	 nr_filters;
};

struct event_sweep;			/* opaque */

/* What the worker calls for each row; @event NULL: those of another stream follow, or none. */
typedef void (*event_sweep_see)(void *arg, struct event_sweep *sweep,
				const struct trace_event *event);

struct event_sweep *event_sweep_new(struct trace *trace, const struct event_sweep_options *options,
				    event_sweep_see see, void *arg);
void event_sweep_free(struct event_sweep *sweep);	/* stops the worker; NULL is allowed */

/* Is it an event in the range that all filters keep?  Within @see only. */
bool event_sweep_wants(struct event_sweep *sweep, const struct trace_event *event);

bool event_sweep_is_done(const struct event_sweep *sweep);
/* How much of the rows it has read; of a trace that is indexed. */
unsigned int event_sweep_permille(const struct event_sweep *sweep);
void event_sweep_wait(struct event_sweep *sweep);
#endif
