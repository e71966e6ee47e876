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
	bool		doubtful;	/* QUEUED: no record names it: there the task then ran; or
					 * it may have been throttled: limits_untold.h;
					 * THROTTLED: it is inferred */
	int64_t		since, until;	/* QUEUED: the stay in this queue, of which it is a part; it
					 * may have begun later, with the wait */
};

/*
 * How a CPU idled while a task stood in its queue.  It may have been on its way out of idle: no
 * driver of cpuidle has a state that takes longer than 10 ms to leave (intel_idle, for Bay Trail).
 */
#define WAIT_IDLE_EXIT_NS	10000000

struct wait_idle {
	bool		is_woken;	/* the wait began with a wake-up, not with a switch-out */
	int64_t		since, until;	/* the stay in the queue */
	bool		runs;		/* at its end the task ran, there */
	unsigned int	times;		/* how often the CPU idled in it; of the first time: */
	int64_t		from, to;	/* it may have begun before, and ended later */
};

struct wait_parts {			/* private */
	const struct sched *sched;	/* borrowed */
	uint32_t	task, cpu;
	int64_t		at, to, end;
	int64_t		since;		/* it stands in this queue */
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

/*
 * Was the CPU of this part, QUEUED, on its way out of idle whenever it idled?  Else why it idled is
 * not explained: what kept the task from running was not recorded.
 */
bool wait_parts_is_idle_exit(const struct wait_parts *parts, const struct wait_part *part);
bool wait_idle_is_exit(const struct trace *trace, const struct wait_idle *idle);
/* Append why that is not explained, and what to record. */
void wait_unexplained_text(struct trace *trace, unsigned int file, struct text *out);
#endif
