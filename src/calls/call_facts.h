/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_FACTS_H
#define FTOP_SRC_CALL_FACTS_H
/*
 * call_facts - what filters ask of the calls of a file: self and net of a call by the
 * record of its end, and which records lie within calls of some functions.
 * Worked out by one pass of a worker over all calls that are recorded when a filter
 * first asks.
 *
 * Mostly a filter asks whether a figure is among some numbers.  Held are then the calls where it is, or those where the
 * duration, which the record tells, gives another answer (value_sets.h), and the records within.
 * What computes with figures, `self * 2 > dur`, is asked during the pass: held are the calls for which it is true.
 */
#include <stdbool.h>
#include <stdint.h>

struct trace;
struct filter;
struct filter_set;			/* filter_program.h: addresses */
struct call_facts;			/* opaque */
struct value_set;			/* value_sets.h */

enum call_figure { CALL_SELF, CALL_NET, CALL_UNDER /* not one: within a call of functions */ };

/* All by the main thread, but where it says otherwise. */
struct call_facts *call_facts_new(struct trace *trace, unsigned int file);
void call_facts_free(struct call_facts *facts);	/* NULL is allowed; stops the worker */

/* Those that are kept with a trace; NULL: nothing was asked.  Any thread. */
struct call_facts *call_facts_of(struct trace *trace, unsigned int file);
struct call_facts *call_facts_keep(struct trace *trace, unsigned int file);	/* made at the first call */

/*
 * The records of ends whose figure is among some numbers, for value_set_has_beside() with the call's duration, ns; those of
 * which a filter says yes by both (taken); all that lie within calls of some functions (call_under.h).  Who asks lets go of
 * them: value_set_drop().
 */
struct value_set *call_facts_want_among(struct call_facts *facts, enum call_figure figure, const struct filter_set *numbers,
					bool negate);
struct value_set *call_facts_want_computed(struct call_facts *facts, struct filter *asks);
struct value_set *call_facts_want_under(struct call_facts *facts, const struct filter_set *functions);
/* Of the latter those to which a filter says yes as well, which is asked of the record alone; taken. */
struct value_set *call_facts_want_under_beside(struct call_facts *facts, const struct filter_set *functions, struct filter *asks);

/* Begin with what was asked for and is not known: what is half done begins anew with it. */
void call_facts_start(struct call_facts *facts);
void call_facts_wait(struct call_facts *facts);

/* Any thread: is all known that was asked for? */
bool call_facts_ready(const struct call_facts *facts);
#endif
