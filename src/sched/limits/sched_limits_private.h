/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_LIMITS_SCHED_LIMITS_PRIVATE_H
#define FTOP_SRC_SCHED_LIMITS_SCHED_LIMITS_PRIVATE_H
/*
 * sched_limits_private - what sched_limits.c (which limits a task has, where its group runs and
 * waits, what probes tell) and limit_periods.c (what timers and counters tell) share.
 */
#include <string.h>
#include "src/sched/limits/limit_stretches.h"
#include "src/sched/limits/sched_limits.h"

/*
 * ns: so much later, a recorder that goes on has told what cpu.stat counted: it looks at it each
 * second (recorder/run/census.c), and tells it twice a second at least.
 */
#define LIMIT_LOOK	2500000000
#define MOST_ERROR	0.3	/* of what adds up, beside the kernel's sum: else it is not that */

struct limit {
	const char	*path;		/* interned */
	uint64_t	 id;		/* the kernel's number; 0: not known */
	uint32_t	 most_depth;	/* limits: its own, and those of groups above it */
	struct who_cgroup_state *states;	/* owned, [nr_states]: looks at it; the first may be
					 * made up: see limit_periods_forget() */
	uint32_t	 nr_states, cap_states;
	int64_t		 looked;	/* the last look */
	double		 rate;		/* up to then: in so many of its periods it was throttled */
	int64_t		 first_us;	/* throttled_us of the first look */
	int64_t		 chosen;	/* periods that count between the last look before
					 * sched_limits.from and that */
	uint32_t	 timer;		/* its own; SCHED_NO_LIMIT: not known */
	double		 error;		/* see error_of() */
};

struct waiter {
	uint32_t	task, pid;
	int64_t		since;
};

/* A group on a CPU. */
struct limit_lane {
	uint32_t	limit;
	bool		runs;		/* one of its tasks does, there */
	int64_t		gap;		/* since when none does, and one waits; SCHED_NO_END */
	uint32_t	depth;		/* how often it was throttled: by its own limit, and by
					 * that of each group above; 0: it is not */
	int64_t		throttled;	/* since then */
	bool		is_assumed;	/* that it is, though others may be, instead */
	bool		is_known;	/* whether it is: a record has told it */
	struct waiter	*waiters;	/* owned, [nr] */
	uint32_t	 nr, cap;
};

/* A task waited from one time to the other, and no task of its group ran on that CPU. */
struct gap {
	uint32_t	limit, cpu, pid;	/* cpu: its index */
	int64_t		from, to;
};

struct gap_list {
	struct gap	*gaps;		/* owned, [nr] */
	uint32_t	nr, cap;
};

struct timer {
	uint32_t	 id;		/* sched_rec.common_pid */
	int64_t		*ts;		/* owned, [nr]: when it expired */
	uint32_t	 nr, cap;
	bool		 has_owner;
};

struct vote {				/* a timer let a task of a group run */
	uint32_t	timer, limit;
	double		forgotten;	/* what it adds up to in periods that are forgotten, */
	double		before;		/* and up to sched_limits.from */
};

struct limit_chain {			/* the limits above tasks in a group, the lowest last */
	const char	*path;		/* interned; of the group */
	uint32_t	 first, nr;	/* in sched_limits.chained */
};

struct limit_task {
	int32_t		cpu;		/* where it runs or waits; -1: it does neither */
	bool		runs;
	bool		leaves;		/* the CPU, next: see SCHED_LIMIT_TAKES */
	bool		is_taken;	/* it did, for a limit */
	uint32_t	chain;
	int64_t		from, to;	/* then it is in that chain; from > to: not known */
};

struct sched_limits {
	struct trace	*trace;		/* borrowed */
	unsigned int	 file;
	struct sched_listener listener;
	struct sched_pass *pass;	/* owned */
	struct limit	*limits;	/* owned, [nr_limits] by path, so that groups come first */
	uint32_t	 nr_limits, cap_limits;
	struct limit_chain	*chains;	/* owned, [nr_chains] */
	uint32_t	 nr_chains, cap_chains;
	uint32_t	*chained;	/* owned, [nr_chained]: limits */
	uint32_t	 nr_chained, cap_chained;
	struct limit_lane	*lanes;		/* owned, [nr_limits][nr_cpus] */
	unsigned int	 nr_cpus;
	struct limit_task *tasks;	/* owned, [nr_tasks] */
	uint32_t	 nr_tasks;
	struct timer	*timers;	/* owned, [nr_timers] */
	uint32_t	 nr_timers, cap_timers;
	struct vote	*votes;		/* owned, [nr_votes] */
	uint32_t	 nr_votes, cap_votes;
	struct gap	*gaps;		/* owned, [nr_gaps] */
	uint32_t	 nr_gaps, cap_gaps;
	int64_t		 expired;	/* when the last timer did */
	uint64_t	 function;	/* of the last timer; is it the one of periods? */
	bool		 is_period;
	bool		 is_exact;	/* the kernel's probes tell */
	bool		 by_task;	/* and tasks run until SCHED_LIMIT_TAKES */
	struct limit_stretch	*stretches;	/* owned, [nr_stretches] */
	uint32_t	 nr_stretches, cap_stretches;
	struct sched_limit_edge *edges;	/* owned, [nr_edges] */
	uint32_t	 nr_edges;
	bool		 done;
	bool		 grows;		/* the trace does */
	int64_t		 from;		/* of one that is parked: edges from here on are needed */
	int64_t		 decided;	/* edges before stay as they are */
};

/* A timer expires: is it one of limits?  See struct sched_rec. */
void limit_periods_take(struct sched_limits *l, const struct sched_rec *rec);
/* A task of the group runs there again. */
void limit_periods_close_gap(struct sched_limits *l, struct limit_lane *lane, int64_t ts);
/* From all gaps, when tasks were throttled: the stretches. */
void limit_periods_find(struct sched_limits *l);
/* Gaps and periods before l->from, where stretches were found, are not needed any more. */
void limit_periods_forget(struct sched_limits *l);
#endif
