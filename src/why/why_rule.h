/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_WHY_RULE_H
#define FTOP_SRC_WHY_WHY_RULE_H
/*
 * why_rule - the rule by which a task waited behind another one: their priorities, and what other
 * CPUs did meanwhile; and whether it waited on another CPU before.  Reads some records.  From the
 * main thread, with the model locked.
 */
#include "src/sched/sched.h"

/*
 * Append "real-time 30", "nice 0", "deadline": the priority of a task that runs at this time.
 * False: unknown.
 */
bool why_rule_priority(struct sched *sched, uint32_t task, int64_t ts, struct text *out);

/*
 * Append the rule by which a task waited from one time to another behind a task that ran: "both are
 * real-time 1: equal priority, no preemption; CPU 2 was idle for 3.1 ms of it".  Nothing: unknown.
 */
void why_rule_text(struct sched *sched, uint32_t task, uint32_t behind, int64_t from, int64_t to,
		   struct text *out);

/*
 * Append "until 7.536290906 it waited on CPU 2, behind on-cpu-2-81" if the task was moved to
 * another CPU after @ts, in the wait of this time.  Nothing: it was not.
 */
void why_rule_queue(struct sched *sched, uint32_t task, int64_t ts, struct text *out);
#endif
