/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_GUESS_H
#define FTOP_SRC_CALL_GUESS_H
/*
 * call_guess - how deep a call is of which only the entry was recorded (tracer `function`),
 * as far as callers and stack traces tell.  Returns are never seen: a tree made of this is
 * inferred, and has no times.
 *
 * For each task (pid; pid 0: on each CPU) a stack of calls that may not have returned is kept.
 * A function is where the symbol begins that an address lies in.  A record of function f,
 * called from function c, at level l (task, softirq, hard irq, NMI):
 *
 *   1. Calls of a higher level than l have returned: the interrupt is over.
 *   2. Without a stack trace: if c is on the stack at level l, its innermost call there is
 *      the caller, and those above that have returned.  Else all calls of level l have.
 *   3. With a stack trace: of the calls of level l, from the outermost on, those stay that
 *      stand on it in their order, up to the first that does not; the others have returned.
 *      The trace counts from behind the first place where f stands.  It is the record right
 *      behind that of f on the same CPU.
 *   4. f is called by what is on top then, and is on top now.
 *
 * Other events of a task stand in what is on top, which may have returned.
 *
 * So an interrupt's functions stand below the call that was running, and a function whose
 * caller was not traced is an outermost one of its level (or, with a stack trace, stands
 * below the nearest caller that was).  After events were lost on a CPU nothing is known of
 * the tasks that were last seen there, or are seen there next.
 */
#include <stdint.h>
#include "src/calls/graph_records.h"

struct kallsyms;
struct call_guess;			/* opaque: one thread's */

#define CALL_GUESS_DEEPEST 512u		/* deeper ones, which no kernel stack holds: all have returned */

/* @symbols: borrowed; NULL or empty: all calls are outermost ones. */
struct call_guess *call_guess_new(const struct kallsyms *symbols);
void call_guess_free(struct call_guess *guess);	/* NULL is allowed */

void call_guess_lost(struct call_guess *guess, uint16_t stream);	/* before its next record */

/**
 * call_guess_depth() - the next call, in the order of the buffer
 * @record: pid, stream, level; func: an address in f
 * @caller: an address in c
 * @stack:  [nr] addresses of a stack trace, the innermost first; nr 0: there is none
 *
 * Return: its depth, from 0.
 */
int32_t call_guess_depth(struct call_guess *guess, const struct graph_record *record, uint64_t caller, const uint64_t *stack,
			 uint32_t nr);
#endif
