/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_WHY_H
#define FTOP_SRC_WHY_WHY_H
/*
 * why - what an interval of a task was spent on.
 *
 * The interval is cut into parts, without gaps.  While the task ran or waited, a part is what its
 * CPU did.  While it slept until another task woke it, the parts are that task's, one level deeper:
 * what the waker did meanwhile is the reason.  While it slept for a lock, they are those of the
 * task that held the lock, up to when that released it.
 *
 * Parts of the same kind are summed in a tree of nodes.  From the main thread, with the model
 * locked.
 */
#include "src/sched/sched.h"

#define WHY_MOST_DEPTH	64u		/* most wakers of wakers */

enum why_kind {
	WHY_UNKNOWN,			/* not recorded, or doubtful; arg: sched_absence_name() */
	WHY_RUNS,
	WHY_INTERRUPTED,		/* an interrupt, while it ran; arg: see sched_source_of() */
	WHY_BEHIND,			/* it waits; another task runs; arg: that task */
	WHY_INTERRUPT,			/* it waits; an interrupt; arg: as above */
	WHY_IDLE,			/* it waits; the CPU is on its way out of idle */
	WHY_UNEXPLAINED,		/* it waits; the CPU idles, nothing tells why */
	WHY_WAITS,			/* it waits for a CPU that is not known */
	WHY_THROTTLED,			/* it may not run; arg: see sched_limits_text() */
	WHY_UNTIL,			/* asleep until an interrupt woke it; arg: as above */
	WHY_ASLEEP,			/* no wakeup is recorded; arg: see why_asleep() */
	WHY_WITH,			/* asleep until a task woke it, which is asked about
					 * already; arg: that task */
	WHY_HOLDER,			/* asleep while a task held a lock; arg: see why_holder() */
	WHY_DEADLOCK,			/* the same, and that task waits for this one */
	WHY_GONE,			/* it has exited */
	WHY_UNCREATED,			/* before the fork that created it */
	WHY_HELD,			/* only a node of why_blocked_by(); arg: enum why_held */
	WHY_TASK,			/* only a node; arg: a waker, or the task asked about */
};

/* How a task was held up. */
enum why_held {
	WHY_HELD_WAITS,			/* it could run: it waited for a CPU */
	WHY_HELD_BLOCKED,		/* state D: disks, locks of the kernel, vfork */
	WHY_HELD_SLEEPS,		/* asleep, often by its own will */
	WHY_NR_HELD
};

struct why_part {
	int64_t		from, to;
	uint32_t	task;		/* whose part it is */
	uint32_t	arg;
	uint8_t		kind, depth;
	bool		doubtful;	/* a guess for which CPU the task waited */
	bool		late;		/* of a wait that began before that was recorded */
};

/* All parts of one kind of one task that were reached through the same wakers. */
struct why_node {
	uint32_t	index, parent;	/* numbers of nodes, for this module */
	uint32_t	task;		/* whose part it is; of WHY_TASK: whom that task woke;
					 * of the longest one in why_blocked_by() */
	uint32_t	arg;
	uint8_t		kind, depth;	/* depth: in why_tree(), 0: the first node */
	bool		preempted;	/* not all of its waits began with a wakeup */
	bool		doubtful;	/* of some part it is a guess for which CPU it was */
	bool		late;		/* some wait began before the wake-up that was recorded */
	uint64_t	count;
	int64_t		total, max, max_from;
};

struct why;				/* opaque */

/**
 * why_new() - begin to find out what an interval was spent on
 * @from: time in ns or in units of the clock; it may begin before the trace
 */
struct why *why_new(struct sched *sched, uint32_t task, int64_t from, int64_t to);
/*
 * Work on it until a moment of workers_now_ns(), or a little longer.  Return: is there more to do?
 * The cost grows with the number of parts.  The model may be unlocked in between if it is complete.
 */
bool why_work(struct why *why, int64_t until);
unsigned int why_permille(const struct why *why);	/* how much of the interval is done */
/* Ask about another task, too, when all work is done: parts and sums get more. */
void why_add(struct why *why, uint32_t task, int64_t from, int64_t to);
/*
 * Only what held tasks up directly, without what their wakers did; no parts.  Add the tasks.  The
 * tree has a node for each way of being held up, and below it the reasons.
 */
struct why *why_blocked_by(struct sched *sched);
/* From a task's first known moment on. */
void why_blocked_add(struct why *why, uint32_t task, int64_t from, int64_t to);
void why_free(struct why *why);		/* NULL is allowed */

/* In the order of time. */
const struct why_part *why_parts(const struct why *why, uint32_t *nr);
/*
 * The tree from top to bottom; of siblings the largest total comes first.  The total of the root is
 * the time that the tasks existed.  For free().
 */
struct why_node *why_tree(const struct why *why, uint32_t *nr);
/* The parts summed by what they are and whose, the largest total first; for free(). */
struct why_node *why_sums(const struct why *why, uint32_t *nr);

/* The task that holds the lock, of WHY_HOLDER and WHY_DEADLOCK. */
uint32_t why_holder(const struct why *why, uint32_t arg);

/* How a task was held up, of a node of why_blocked_by(); -1: it ran, or that is not known. */
int why_held_of(const struct why *why, const struct why_node *node);
/* "wait", "blocked", "sleep" */
const char *why_held_name(enum why_held held);

/* Is it time in which the task existed? */
bool why_is_lived(const struct why_node *node);

/*
 * Append the words of a line of the tree: "asleep until timer hrtimer_wakeup woke it", "behind
 * mishap-166 (now server)", …
 */
void why_node_text(const struct why *why, const struct why_node *node, int64_t ts,
		   struct text *out);

/*
 * Append "runs", "behind comm-pid", "timer hrtimer_wakeup", …: raw bytes of the trace.  @ts: names
 * of tasks are those of this time.
 */
void why_text(const struct why *why, enum why_kind kind, uint32_t arg, int64_t ts,
	      struct text *out);
/* The same of a sum, which has the last names of tasks. */
void why_sum_text(const struct why *why, const struct why_node *node, struct text *out);
#endif
