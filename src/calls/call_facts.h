/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_FACTS_H
#define FTOP_SRC_CALLS_CALL_FACTS_H
/*
 * call_facts - values of calls for filters: self and net of a call, at the record of its end, and
 * when tasks were within calls of given functions.  A worker computes them in one pass over all
 * calls, when a filter first needs them.
 *
 * A call lasts from the record of its entry to that of its exit, both included; without an entry,
 * from the exit's time minus the duration; without an exit, to the record that shows that it has
 * ended.  Pid 0 is a different task on each CPU.
 */
#include <stdbool.h>
#include <stdint.h>

struct trace;
struct filter_set;			/* filter_program.h */
struct call_facts;			/* opaque */
struct derived_value;			/* derived_values.h */

enum call_figure {
	CALL_SELF,
	CALL_NET,
	CALL_UNDER /* not a figure: within a call of given functions */
};

/* For the main thread only, unless noted. */
struct call_facts *call_facts_new(struct trace *trace, unsigned int file);
void call_facts_free(struct call_facts *facts);	/* NULL is allowed; stops the worker */

/* created by the first call */
struct call_facts *call_facts_keep(struct trace *trace, unsigned int file);

/*
 * Request a figure; of CALL_UNDER, with the functions.  Release it with derived_value_drop().
 */
struct derived_value *call_facts_want(struct call_facts *facts, unsigned int figure,
				      const struct filter_set *functions);

/* Start computing what was requested and is not known.  An unfinished pass starts over with it. */
void call_facts_start(struct call_facts *facts);
void call_facts_wait(struct call_facts *facts);

/* Is everything requested known?  Any thread. */
bool call_facts_ready(const struct call_facts *facts);
#endif
