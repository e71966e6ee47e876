/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_RULES_PRIVATE_H
#define FTOP_SRC_SCHED_SCHED_RULES_PRIVATE_H
/*
 * sched_rules_private - what the rules know, shared by sched_rules.c (states and their sums),
 * sched_throttle.c (limits) and sched_slices.c (sums of earlier slices, sums that are split).
 */
#include "src/base/index_map.h"
#include "src/sched/sched_rules.h"
#include "src/sched/sched_source.h"

#define RECENT	256u

/* Call a function of all listeners that have it. */
#define TELL(r, function, ...) \
	for (const struct sched_listener *l_ = (r)->options.listener; l_; l_ = l_->next) \
		if (l_->function) \
			l_->function(l_->arg, __VA_ARGS__)

struct rules_gap {
	int64_t		from, to;	/* last record before, first one after; INT64_MAX: open */
	bool		missing;	/* only a switch is */
	bool		inferred;
	uint8_t		why;		/* enum trace_absent: nothing could be recorded */
};

/* A task is throttled whose limit a timer renews. */
struct rules_spent {
	uint32_t	task, limit;
	uint32_t	timer;		/* that has expired since, and may have let it run: the last
					 * one; see sched_rec.common_pid */
	bool		expired, several;	/* one has; different ones have, right before */
	unsigned int	cpu;		/* where, and when */
	int64_t		ts;
};

struct rules_cpu {
	bool		 begun;		/* it has a record */
	uint32_t	 runner;	/* task, SCHED_IDLE_TASK, SCHED_NO_TASK */
	struct rules_gap *gaps;		/* owned; ascending */
	uint32_t	 nr_gaps, cap_gaps;
	int64_t		 open_to;	/* where the open one is going to end */
	/*
	 * Where gaps that ended what was known begin (rule 4): all that are closed, but for those
	 * of missing switches.  The one before the first record ended nothing: it is among them
	 * from the beginning.
	 */
	int64_t		*losses;	/* owned */
	uint32_t	 nr_losses, cap_losses;
	struct sched_nest nest;
	uint32_t	 yields;	/* pid that is in sched_yield here; 0: none */
	int64_t		 switched;	/* the last switch */
	int64_t		*missing;	/* owned; ascending: ts of records that show one */
	uint32_t	 nr_missing, cap_missing;
};

struct rules_slice {			/* the sums of an earlier slice */
	struct sched_task **tasks;	/* owned, [nr]; NULL: nothing, as of most */
	uint32_t	 nr;
};

struct sched_rules {
	struct sched_rules_options options;
	struct rules_slice *earlier;	/* owned, [nr_earlier] */
	uint32_t	 nr_earlier, cap_earlier;
	const struct time_slices *slices;	/* borrowed: theirs */
	struct rules_cpu *cpus;		/* owned */
	int32_t		*cpu_of;	/* owned, [nr_cpu_of] index by a CPU's number, or -1 */
	uint32_t	 nr_cpu_of;
	uint64_t	 nr_gaps;	/* gaps of all CPUs */
	uint64_t	 nr_lost;	/* those where not only a switch is missing */
	unsigned int	 open_gaps;
	int64_t		 open_from;	/* where the first of the open ones begins */
	/*
	 * Of the gaps that have ended, those that a search by the end needs: from and to increase.
	 * A gap before a longer one is left out.
	 */
	struct rules_gap *ended;	/* owned */
	uint32_t	 nr_ended, cap_ended;
	bool		 asked_waking, has_waking;
	bool		 has_late;	/* a change was */
	bool		 has_wakes;	/* there was a record of a wake-up */
	bool		 begun;
	int64_t		 first;		/* ts of the first record */
	int64_t		 now;		/* ts of the present one */
	char		*tasks;		/* owned, see task_at() */
	size_t		 task_bytes;	/* of each */
	uint32_t	 nr_tasks, cap_tasks;
	struct index_map map;		/* finds a task by its pid */
	uint32_t	recent[RECENT];	/* the last one found, by the pid's low bits */
	bool		 tells_tasks;	/* somebody wants to know of each change of a task */
	uint32_t	 next_split;	/* of options.splits */
	uint32_t	 next_limit;	/* of options.limits */
	int64_t		 limited_to;	/* those before this time were taken */
	bool		 has_limited;
	bool		 has_unsure_waits;	/* it is inferred of some whether they could run */
	struct rules_spent *spent;	/* owned, [nr_spent] */
	uint32_t	 nr_spent, cap_spent;
	struct rules_spent *renewed;	/* owned, [nr_renewed]: the timers of deadline tasks */
	uint32_t	 nr_renewed, cap_renewed;
	uint32_t	*left;		/* owned: deadline and real-time tasks that left a CPU in R
					 * to others of these; some run again */
	uint32_t	 nr_left, cap_left;
	bool		 full;
	/*
	 * What ends from here on may be told by a CPU that was left out; INT64_MAX: none was.  Not
	 * what ended before: rule 4 is applied late.
	 */
	int64_t		 lacks_since;
};

/* Without sums a task ends where they begin: there are models of very many tasks. */
static inline struct sched_task *task_at(const struct sched_rules *r, uint32_t task)
{
	return (struct sched_task *)(r->tasks + task * r->task_bytes);
}

static inline bool is_asked(const struct sched_rules *r, int32_t cpu)
{
	return !r->options.only || (cpu >= 0 && r->options.only[cpu]);
}

static inline bool is_waiting(const struct sched_task *t)
{
	return t->state == SCHED_WAITS || t->state == SCHED_PREEMPTED;
}

/* Sums of times that a damaged trace tells may be too large. */
static inline void add_time(int64_t *sum, int64_t ns)
{
	*sum = time_after(*sum, ns);
}

/* --- sched_rules.c ----------------------------------------------------------------------- */

/* Append a copy of a task: an entry that no pid leads to.  Return: its number. */
uint32_t sched_rules_put(struct sched_rules *rules, const struct sched_task *task);
/*
 * The task's sums end at ts.  An interval that lasts counts in part there; with filters as a whole
 * where it ends, since only its end tells whether it counts.
 */
struct sched_task *sched_rules_end_sums(struct sched_rules *rules, uint32_t task, int64_t ts);

/* --- sched_throttle.c -------------------------------------------------------------------- */

/*
 * What keeps a task from running that leaves the CPU in R; SCHED_NO_LIMIT: nothing, it is
 * preempted.  Nobody of a lower class preempts anybody.  Of who comes, a priority of 0 may be that
 * of the stop class, which goes before all others.
 */
uint32_t sched_throttle_limit(const struct sched_rules *rules, unsigned int cpu,
			      const struct sched_rec *rec);
/* A deadline or real-time task leaves its CPU in R to a task that may go before it. */
void sched_throttle_leave(struct sched_rules *rules, uint32_t task);
/* A CPU switches: were such tasks, of its queue, passed over by one of a lower class? */
void sched_throttle_pass(struct sched_rules *rules, unsigned int cpu, const struct sched_rec *rec);
/* A waiting task is limited from now on.  @doubtful: see sched_limit_edge. */
void sched_throttle_begin(struct sched_rules *rules, uint32_t task, uint32_t limit, int64_t ts,
			  bool doubtful);
/*
 * It is limited, and ceases to be, or to wait.  @runs: by a switch to it.  Return: only now it is
 * known that its budget was used up.
 */
bool sched_throttle_end(struct sched_rules *rules, uint32_t task, bool runs, int64_t ts);
/* A timer expires on a CPU: it may renew a limit.  Who runs then shows whose. */
void sched_throttle_timer(struct sched_rules *rules, unsigned int cpu, const struct sched_rec *rec);
/* Take options.limits that come before a record of this time. */
void sched_throttle_take(struct sched_rules *rules, int64_t ts);

/* --- sched_slices.c ---------------------------------------------------------------------- */

/* The task's sums in an earlier slice. */
struct sched_task *sched_slices_task(const struct sched_rules *rules, const struct sched_task *task,
				     uint32_t slice);
/* The same at a time that is not in the present slice; NULL: no slice has it. */
struct sched_task *sched_slices_task_at(const struct sched_rules *rules,
					const struct sched_task *task, int64_t ts);
/* Add the sums of the slices of @from to the present ones. */
void sched_slices_add(struct sched_rules *rules, const struct sched_rules *from);
/* Apply the splits up to ts. */
void sched_slices_split(struct sched_rules *rules, int64_t ts);
#endif
