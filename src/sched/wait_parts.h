/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_WAIT_PARTS_H
#define FTOP_SRC_SCHED_WAIT_PARTS_H
/*
 * wait_parts - why a task that could run did not: the parts of a wait, without gaps between them,
 * each with its reason.
 *
 *	wait_parts_begin(&parts, sched, task, cpu, from, to, end);
 *	while (wait_parts_next(&parts, &part))
 *
 * Call with the model locked, or complete; parts are valid until it is unlocked, or always.
 */
#include "src/sched/sched.h"

enum wait_reason {			/* the first one that holds */
	WAIT_THROTTLED,			/* a limit kept it from running, or it gave the CPU away
					 * itself: sched_limits.h */
	WAIT_QUEUED,			/* it stood in the queue of a CPU: what that did took it */
	WAIT_ASTRAY,			/* in the queue of a CPU that is not known */
};

struct wait_part {
	int64_t		from, to;
	enum wait_reason reason;
	union {
		uint32_t cpu;		/* QUEUED: its index */
		uint32_t limit;		/* THROTTLED */
	};
	bool		doubtful;	/* QUEUED: no record names it: there the task then ran;
					 * THROTTLED: it is inferred */
};

struct wait_parts {			/* private */
	const struct sched *sched;	/* borrowed */
	uint32_t	cpu;
	int64_t		at, to, end;
	struct pyramid_iter queues;	/* the next one that it leaves: */
	struct pyramid_state left;
	bool		has_left, has_limits;
	struct pyramid_iter limits;
	struct pyramid_state limited;
};

/*
 * From @from to @to in a wait of the task that ends at @end, when it runs on the CPU @cpu (index).
 */
void wait_parts_begin(struct wait_parts *parts, const struct sched *sched, uint32_t task,
		      uint32_t cpu, int64_t from, int64_t to, int64_t end);
bool wait_parts_next(struct wait_parts *parts, struct wait_part *part);
#endif
