/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_GUESS_H
#define FTOP_SRC_CALLS_CALL_GUESS_H
/*
 * call_guess - infers the depth of calls of which only the entry was recorded (tracer `function`),
 * from callers and stack traces.  Returns are never seen, so a tree made from this has no times.
 *
 * For each task (pid; pid 0: each CPU) it keeps a stack of calls that may not have returned. A
 * function is identified by the start of its symbol.  A record of function f, called from function
 * c, at level l (task, softirq, hard irq, NMI):
 *
 *   1. Calls of a higher level than l have returned: the interrupt is over.
 *   2. Without a stack trace: if c is on the stack at level l, its innermost call there is
 *      the caller, and those above that have returned.  Else all calls of level l have.
 *   3. With a stack trace: of the calls of level l, from the outermost on, those stay that
 *      stand on it in their order, up to the first that does not; the others have returned.
 *      The trace counts from after the first occurrence of f.  It is the record directly after that
 *      of f on the same CPU.
 *   4. The call then on top is the caller of f, and f is on top now.
 *
 * Other events of a task belong to the call on top, which may have returned.
 *
 * So an interrupt's functions stand below the call that was running, and a function whose
 * caller was not traced is an outermost one of its level (or, with a stack trace, stands
 * below the nearest caller that was).  After events were lost on a CPU nothing is known of
 * the tasks that were last seen there, or are seen there next.
 */
#include <stdint.h>
#include "src/calls/graph_records.h"

struct kallsyms;
struct call_guess;			/* opaque: for one thread */

#define CALL_GUESS_DEEPEST 512u		/* more than a kernel stack holds: then all have returned */

/* @symbols: borrowed; NULL or empty: all calls are outermost. */
struct call_guess *call_guess_new(const struct kallsyms *symbols);
struct call_guess *call_guess_copy(const struct call_guess *guess);
void call_guess_free(struct call_guess *guess);	/* NULL is allowed */

/* events were lost before the stream's next record */
void call_guess_lost(struct call_guess *guess, uint16_t stream);

/**
 * call_guess_depth() - take the next call, in the order of the buffer
 * @record: pid, stream, level; func: an address in f
 * @caller: an address in c
 * @stack:  [nr] addresses of a stack trace, innermost first; nr 0 = none
 *
 * Return: its depth, from 0.
 */
int32_t call_guess_depth(struct call_guess *guess, const struct graph_record *record,
			 uint64_t caller, const uint64_t *stack, uint32_t nr);
#endif
