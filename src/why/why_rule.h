/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_WHY_RULE_H
#define FTOP_SRC_WHY_WHY_RULE_H
/*
 * why_rule - the rule by which a task waited behind another one: their priorities, and what other
 * CPUs did meanwhile.  Reads some records.  From the main thread, with the model locked.
 */
#include "src/sched/sched.h"

/*
 * Append "real-time 30", "nice 0", "deadline": the priority of a task that runs at this time.
 * False: unknown.
 */
bool why_rule_priority(struct sched *sched, uint32_t task, int64_t ts, struct text *out);

/*
 * Append the rule by which a task waited in the queue of a CPU behind a task that ran there:
 * " (both are real-time 1: equal priority, no preemption; CPU 2 was idle for 60 % of it)".
 * Nothing: unknown.  @count: of so many waits this is the longest; it says so if there are others.
 */
void why_rule_text(struct sched *sched, uint32_t task, uint32_t behind, int64_t from, int64_t to,
		   uint64_t count, struct text *out);
#endif
