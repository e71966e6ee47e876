/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_PARTS_H
#define FTOP_SRC_LATENCY_LATENCY_PARTS_H
/*
 * latency_parts - what the CPU did in whose queue a task stood while it waited: the parts of a
 * wake-up or a preemption, and their sums, for both `ftop-trace latency` and the screen.
 *
 * Call with the model of all states locked, or complete.
 */
#include "src/latency/latency.h"
#include "src/why/cpu_parts.h"

/* Have instances of the kind parts? */
static inline bool latency_has_parts(int kind)
{
	return kind == LATENCY_WAKEUP || kind == LATENCY_PREEMPTED;
}

/* Begin with the first part, for cpu_parts_next(); false: its CPU is not known. */
bool latency_parts_begin(struct cpu_parts *parts, const struct sched *sched,
			 const struct latency_instance *i);
/* Add its parts, if it is not doubtful.  False: there are none. */
bool latency_parts_add(struct culprits *culprits, const struct sched *sched,
		       const struct latency_instance *i);

struct latency_part_row {
	const char	*what, *words;	/* words: with the rule by which the task waited */
	int64_t		from, to, length;
	int64_t		start, all;	/* start and length of the instance */
	bool		doubtful;	/* the instance is, or for which CPU the task waited */
};

struct latency_part_row latency_part_row(const struct latency_instance *i,
					 const struct cpu_part *part);

extern const struct table_columns latency_part_columns;	/* rows: struct latency_part_row */
#endif
