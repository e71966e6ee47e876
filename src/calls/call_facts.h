/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_FACTS_H
#define FTOP_SRC_CALLS_CALL_FACTS_H
/*
 * call_facts - values of calls for filters: self and net of a call, at the record of its end, and
 * which records are within calls of given functions.  A worker computes them in one pass over all
 * calls, when a filter first needs them.
 *
 * Usually a filter tests whether a value is in a set of numbers: the matching ends of calls are
 * stored as a set of rows (value_sets.h), and so are the records within calls.  Expressions such as
 * `self * 2 > dur` are evaluated during the pass, and the calls where they are true are stored.
 */
#include <stdbool.h>
#include <stdint.h>

struct trace;
struct filter_question;			/* filter_names.h */
struct call_facts;			/* opaque */
struct value_set;			/* value_sets.h */

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
 * Request a set: the ends of calls whose figure is in a set of numbers, or for which a filter on
 * both figures is true, or all records within calls of given functions (call_under.h).  Release it
 * with value_set_drop().
 */
struct value_set *call_facts_want(struct call_facts *facts, const struct filter_question *question);

/* Start computing what was requested and is not known.  An unfinished pass starts over with it. */
void call_facts_start(struct call_facts *facts);
void call_facts_wait(struct call_facts *facts);

/* Is everything requested known?  Any thread. */
bool call_facts_ready(const struct call_facts *facts);
#endif
