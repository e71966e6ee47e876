/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_RULES_H
#define FTOP_SRC_SCHED_SCHED_RULES_H
/*
 * sched_rules - derives which tasks run, wait and sleep: takes the records of sched_feed.h,
 * computes the sums of each task and its wakeups, and reports every change of state to a listener.
 *
 * A task is in one state since some time.  A record either ends the state, and the interval counts;
 * or it contradicts the state because records are missing, and the interval is dropped: it counts
 * nowhere.  An interval that missing records may have begun, ended or interrupted is doubtful: it
 * counts, but is in no maximum.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/time_math.h"
#include "src/sched/sched_scan.h"
#include "src/sched/time_slices.h"

enum sched_state {
	SCHED_UNKNOWN,
	SCHED_RUNS,			/* on a CPU */
	SCHED_WAITS,			/* woken, or new */
	SCHED_PREEMPTED,		/* also waits: it left the CPU although it was runnable */
	SCHED_SLEEPS,
	SCHED_BLOCKED,
	SCHED_GONE,			/* dead, zombie */
};
#define SCHED_STATES_NR	7

#define SCHED_NO_TASK	UINT32_MAX	/* the running task is not known */
#define SCHED_IDLE_TASK	(UINT32_MAX - 1)
#define SCHED_ELSEWHERE	(-2)		/* a CPU without records */
#define SCHED_NO_QUEUE	(-1)		/* no record tells for which CPU a task waits */
#define SCHED_MAX_TASKS	(1u << 22)	/* as many as a kernel can have (PID_MAX_LIMIT) */

/*
 * A pid that is reused is another task each time, if the trace tells that one has exited and that
 * the next one was born.
 *
 * Rules without sums (no_sums) keep a task up to `former` only: it is never copied as a whole, and
 * has no splits.
 */
struct sched_task {
	uint32_t	pid;
	uint32_t	comm, first_comm;	/* last and first name in its records; 0 = none */
	int32_t		last_switch_cpu;	/* index of the CPU of its last switch; -1 = none */
	int64_t		last_switch_ts;		/* and its time */
	int16_t		prio;			/* last one seen */
	bool		listed;			/* it occurs in a sched_switch, a wakeup or a
						 * migration, not only as waker */
	/* Its state. */
	uint8_t		state;			/* enum sched_state */
	bool		cut;			/* it runs since a stretch began: the real start
						 * is not recorded */
	bool		is_open;		/* a wakeup is open, since wake_ts */
	bool		woken;			/* the open wakeup has had its sched_wakeup */
	bool		late;			/* it waits since a sched_wakeup, whose sched_waking
						 * may be lost */
	bool		elsewhere;		/* it was last seen on a CPU without records, or put
						 * there */
	bool		ended;			/* it has exited: who is born with its pid is
						 * another task */
	bool		is_born;		/* its first record is of its birth */
	bool		itself : 1;		/* it left its CPU in R, and was not preempted */
	bool		lacks_waking : 1;	/* it waits since a sched_wakeup, whose sched_waking
						 * is missing: it waited before, in no maximum */
	bool		gave_away : 1;		/* it waits since a sched_yield, or it is not
						 * known that it is throttled: */
	bool		is_throttled : 1;	/* it stands in no queue, see sched_limits.h */
	bool		limit_doubtful : 1;	/* that it does, or until when, is inferred */
	bool		outside : 1;		/* its events were not recorded: of when it ran,
						 * waited and slept nothing is known */
	bool		untold : 1;		/* a figure: it waited, and may have been throttled,
						 * which no record tells: limits_untold.h */
	int32_t		cpu;			/* index of the CPU it runs on */
	int32_t		last_cpu;		/* index of the CPU whose losses make it unknown;
						 * -1 = none yet; SCHED_ELSEWHERE */
	uint32_t	losses;			/* losses of last_cpu applied so far */
	int32_t		queue;			/* index of the CPU for which it waits, or last did;
						 * SCHED_NO_QUEUE, SCHED_ELSEWHERE */
	int32_t		left_cpu;		/* where it was as its sched_waking came; -1: on
						 * a CPU without records; SCHED_ELSEWHERE: not
						 * told */
	uint32_t	former;			/* the task that had the pid before; SCHED_NO_TASK:
						 * none */
	int64_t		since, wake_ts;
	int64_t		woken_ts;		/* time of its sched_wakeup, if it began with a
						 * sched_waking; else INT64_MIN */
	int64_t		limited_since;		/* either of these; SCHED_NO_END: neither */
	int64_t		born;		/* ts of the first record that tells of it */
	int64_t		to;		/* another entry of the pid follows here; INT64_MAX: none */
	/* Sums, in the clock's unit. */
	int64_t		run, run_cut, wait, sleep, blocked;
	int64_t		throttled;		/* part of wait, as far as is known */
	int64_t		doubtful_wait, doubtful_sleep, doubtful_blocked; /* parts of these */
	int64_t		max_wakeup;		/* longest wakeup that is not doubtful */
	int64_t		max_wake_ts;		/* time of that wakeup, if max_wakeup is not 0 */
	uint32_t	max_wake_comm;		/* its name then */
	int16_t		max_wake_prio;		/* and its priority */
	bool		woken_late;		/* it was woken before its wake-ups were recorded */
	bool		lost_waking;		/* so it was once, since a sched_waking is missing:
						 * that is in no maximum */
	bool		unwoken;		/* no wake-ups are recorded, */
	bool		waited_more;		/* so it waited for longer */
	bool		thinned;		/* events were cut out: so it may have slept */
	uint32_t	max_wake_pid;		/* of several tasks: whose it is; 0: its own */
	uint64_t	switches, preemptions, wakeups, migrations;
	uint64_t	moves;			/* switches to another CPU than the last one's */
	uint64_t	answered;		/* wakeups that were followed by a run */
	uint64_t	unsure;			/* wakeups in `answered` with a doubtful latency */
	uint64_t	woke;			/* wakeups made by the task, not over it */
	/* What the sums are of, see sched_split: without splits, the whole pass. */
	int64_t		from;			/* no time before it; INT64_MIN: none is left out */
};

/*
 * It goes to the queue of a CPU with its sched_wakeup: does its sched_waking name another one?
 * Then it is not known for which it waited in between.
 */
static inline bool sched_task_chose(const struct sched_task *t, int32_t cpu)
{
	return t->queue == SCHED_NO_QUEUE && t->left_cpu != SCHED_ELSEWHERE && t->left_cpu != cpu;
}

/* The time nearest to @ts at which the pid is its own. */
static inline int64_t sched_task_time(const struct sched_task *t, int64_t ts)
{
	if (ts < t->born && t->former != SCHED_NO_TASK)
		return t->born;
	return ts < t->to ? ts : t->to - 1;
}

/* Is anything known of it: a time, a switch, a wake-up, a migration? */
static inline bool sched_task_is_known(const struct sched_task *t)
{
	return t->run || t->run_cut || t->wait || t->sleep || t->blocked || t->switches ||
	       t->wakeups || t->migrations;
}

static inline bool sched_task_has_any(const struct sched_task *t)	/* does anything count? */
{
	return sched_task_is_known(t) || t->woke || t->answered;
}

/* Add the sums of another part of a task, or of another task; the longest wakeup is its, too. */
void sched_task_add(struct sched_task *sum, const struct sched_task *of);

/* Are the sums those of a part of the pass? */
static inline bool sched_task_is_split(const struct sched_task *t)
{
	return t->to != INT64_MAX || t->from != INT64_MIN;
}

/* Where a task comes to a CPU: was it on another one before? */
enum sched_moved {
	SCHED_STAYED,			/* no; or these are all records, and none tells */
	SCHED_MOVED,
	SCHED_MAY_HAVE_MOVED,		/* records are missing that would tell */
};

#define SCHED_FIRST_FAIR	100	/* lower priorities are real-time, below 0 deadline */

/* What keeps a task from running that could; the limits of groups follow. */
enum sched_limit {
	SCHED_LIMIT_BUDGET,		/* its own, of a deadline task */
	SCHED_LIMIT_REALTIME,		/* of all real-time tasks of a CPU */
	SCHED_LIMIT_SERVER,		/* one of these two, or the fair server went first */
	SCHED_LIMIT_YIELD,		/* it called sched_yield */
	SCHED_LIMIT_GROUP,
};

/* Is it none that throttles, as far as is known? */
static inline bool sched_limit_is_none(uint32_t limit)
{
	return limit == SCHED_LIMIT_SERVER || limit == SCHED_LIMIT_YIELD;
}

/* Is it in no queue?  A deadline task's budget is likelier used up than passed over. */
static inline bool sched_limit_unqueues(uint32_t limit, int prio)
{
	return !sched_limit_is_none(limit) || (limit == SCHED_LIMIT_SERVER && prio < 0);
}

/* A change reported to listeners, made for each record: small, so that it is soon cleared. */
struct sched_change {
	int64_t		ts;
	int64_t		since;		/* for a task: the previous state, `was`, up to ts */
	const struct sched_rec *rec;	/* what caused it, borrowed; NULL: a stretch's edge */
	const struct sched_rec *in;	/* the ENTER of what `by` was, or of what woke it while the
					 * CPU idled; borrowed; NULL: it has none */
	int32_t		cpu;		/* index of the CPU: where it RUNS, where it was woken
					 * (WAITS), or which it left (other states); -1 = none */
	uint32_t	limit;		/* PREEMPTED: 0, or 1 + what kept it from running from then
					 * on, see sched_limits_text(): nobody preempted it */
	uint32_t	waker;		/* WAITS: who ran there: a task, SCHED_IDLE_TASK;
					 * SCHED_NO_TASK: unknown */
	uint32_t	task;		/* CPU: the running task; SCHED_IDLE_TASK, SCHED_NO_TASK */
	uint16_t	prev_state;	/* the record's low bits */
	enum sched_state state : 8;	/* new state, from ts on */
	enum sched_state was : 8;	/* for a task: previous state */
	enum sched_moved moved : 8;	/* RUNS, by a sched_switch */
	enum sched_context by : 8;	/* TASK: the waker did it; else this, on top of it */
	bool		dropped : 1;	/* the previous state's interval counts nowhere */
	bool		doubtful : 1;	/* it counts, but see rule 6: records may be missing */
	bool		cut : 1;	/* RUNS: since a stretch began */
	bool		was_cut : 1;	/* it ran since a stretch began */
	bool		used_up : 1;	/* its wait ends: LIMIT_SERVER was LIMIT_BUDGET */
	bool		late : 1;	/* WAITS: it was woken before, by a sched_waking that
					 * is missing */
	bool		no_context : 1;	/* nothing tells whether the waker did it */
	bool		lost : 1;	/* CPU: no task, events are lost; UNKNOWN: those of `cpu` */
	bool		missing : 1;	/* CPU, lost: only a switch is, no other event */
};

static inline uint32_t sched_change_waker_pid(const struct sched_change *c)
{
	return c->waker == SCHED_NO_TASK ? UINT32_MAX : c->rec->pid2;
}

/* WAITS: did a task wake it, as far as the trace tells?  Else an interrupt did. */
static inline bool sched_change_by_task(const struct sched_change *c)
{
	return c->by == SCHED_CONTEXT_TASK && !c->in;
}

static inline bool sched_change_throttles(const struct sched_change *c)
{
	return c->limit && !sched_limit_is_none(c->limit - 1);
}

/*
 * From this moment on, the pid's sums are those of somebody else: of a later task with that pid, or
 * of a task in another cgroup.  Nothing is split if no record told of the pid before.
 */
struct sched_split {
	int64_t		ts;
	uint32_t	pid;
};

struct sched_listener {			/* all may be NULL */
	void		(*task)(void *arg, uint32_t task, const struct sched_change *change);
	void		(*cpu)(void *arg, unsigned int cpu, const struct sched_change *change);
	/* a counted wakeup, not made in an interrupt; the waker may be SCHED_IDLE_TASK */
	void		(*wake)(void *arg, uint32_t waker, uint32_t task, int64_t ts);
	/* a record without a rule */
	void		(*other)(void *arg, unsigned int cpu, const struct sched_rec *rec);
	/* a softirq goes on that was paused: its ENTER, at the time of the switch */
	void		(*resumed)(void *arg, unsigned int cpu, const struct sched_rec *rec);
	/* a record has another name of a task than the last one */
	void		(*named)(void *arg, uint32_t pid, uint32_t comm, int64_t ts);
	/* a waiting task goes from one queue, its `queue`, to that of this CPU (its index,
	 * SCHED_ELSEWHERE) */
	void		(*moved)(void *arg, uint32_t task, int32_t cpu, int64_t ts);
	/*
	 * A limit keeps a waiting task from running, or it waits after a sched_yield.  After a
	 * LIMIT_SERVER, a LIMIT_BUDGET of the same time: it was that, as only the end has shown.
	 * SCHED_NO_LIMIT: no longer; then @doubtful, if it is inferred that it was so, or until
	 * when; told when the wait ends, where only that shows it.
	 */
	void		(*limited)(void *arg, uint32_t task, uint32_t limit, int64_t ts,
				   bool doubtful);
	/* events of a CPU are lost from here on; SCHED_NO_END: from the first record on */
	void		(*cut)(void *arg, unsigned int cpu, int64_t ts);
	/* a split: the task's sums so far are now those of entry @part, and its own are zero */
	void		(*split)(void *arg, uint32_t task, uint32_t part, int64_t ts);
	/* a record that filters keep ended a wait or sleep; task tells more */
	void		(*ended)(void *arg, enum sched_state was, int64_t since, int64_t ts,
				 bool doubtful);
	void		*arg;
	const struct sched_listener *next;	/* is told, too, after this one; or NULL */
};

struct sched_rules;			/* opaque */
struct run_queue;
struct sched_nest;

/* A task begins to be throttled by the limit of its group, or is no longer. */
struct sched_limit_edge {
	int64_t		ts;
	uint32_t	pid;
	uint32_t	limit;		/* see sched_limits_text() */
	bool		doubtful;	/* it is inferred, or when it ends is */
};
#define SCHED_NO_LIMIT	UINT32_MAX	/* it is not throttled */

struct sched_rules_options {
	unsigned int	nr_cpus;
	const int	*cpus;		/* their numbers, ascending; borrowed */
	struct time_range range;	/* only sums inside it */
	/*
	 * [nr_cpus] Only sums for these CPUs: their runs and switches; waits that end with a run
	 * there (or would, if still open); sleep that begins there; wakeups made there; migrations
	 * to there.  Borrowed; NULL = all.
	 */
	const bool	*only;
	/* Count only records without SCHED_NOT_*, and intervals that such a record ends. */
	bool		filtered;
	bool		no_sums;	/* do not compute sums of tasks: nobody needs them */
	const struct sched_split *splits;	/* [nr_splits], ascending; borrowed */
	uint32_t	nr_splits;
	const struct sched_listener *listener;	/* borrowed, or NULL */
	struct run_queue *queue;	/* told of all changes, too; borrowed, or NULL */
	const struct sched_limit_edge *limits;	/* [nr_limits]: see sched_limits.h; borrowed */
	uint32_t	nr_limits;
	/* Which limit is renewed by a timer with this function?  SCHED_NO_LIMIT: none. */
	uint32_t	(*limit_of_timer)(void *arg, uint64_t function);
	void		*timer_arg;
	bool		has_prios;	/* switches have priorities */
	bool		has_server;	/* the kernel may have the fair server */
	bool		tells_preempted; /* and whether the task was preempted: R or R+ */
	bool		lacks_cpus;	/* the trace is a part, without some CPUs: each is a gap */
	/*
	 * Were the events of the task with this pid recorded?  @only_children: those of the tasks
	 * that such ones make were, too.  NULL: of all tasks.
	 */
	bool		(*is_only)(void *arg, uint32_t pid);
	bool		only_children;
	void		*only_arg;
	bool		lacks_flags;	/* wake-ups do not tell whether an interrupt made them */
	bool		goes_on;	/* what is open at the end goes on behind it */
	/* Does the buffer have sched_waking records?  Asked where some are lost; NULL: no. */
	bool		(*has_waking)(void *arg);
	void		*waking_arg;
};

/* The options are copied, except what they borrow. */
struct sched_rules *sched_rules_new(const struct sched_rules_options *options);
void sched_rules_free(struct sched_rules *rules);	/* NULL is allowed */
/* As sched_rules_new(), with the states and sums of other rules. */
struct sched_rules *sched_rules_fork(const struct sched_rules *from,
				     const struct sched_rules_options *options);

/* The sums so far are now those of the last one of @slices (borrowed); the next are of @range. */
void sched_rules_turn(struct sched_rules *rules, const struct time_slices *slices,
		      const struct time_range *range);
void sched_rules_forget(struct sched_rules *rules, uint32_t nr);	/* the first slices */
/*
 * When tasks are throttled, as options.limits: before the first record, or once those before were
 * settled.
 */
void sched_rules_limit(struct sched_rules *rules, const struct sched_limit_edge *edges,
		       uint32_t nr);

/* Take records in the merged order.  False: too many tasks; the rest was ignored. */
bool sched_rules_take(struct sched_rules *rules, const struct sched_item *items, uint32_t nr);

/*
 * Apply to all tasks the losses of events so far, for listeners: rule 4 does it late; and limits
 * before @until, up to which all records were taken.
 */
void sched_rules_settle(struct sched_rules *rules, int64_t until);
/* End open intervals at the buffer's last stamp.  @migrations: its migration records. */
void sched_rules_end(struct sched_rules *rules, int64_t last_ts, uint64_t migrations);

uint32_t sched_rules_nr_tasks(const struct sched_rules *rules);
/*
 * Give away the tasks, at the end: an array of all, for the caller to free.  Of rules with sums.
 * Nothing may be asked of tasks afterwards.
 */
struct sched_task *sched_rules_give_tasks(struct sched_rules *rules);
/* @task: below sched_rules_nr_tasks().  Borrowed until a task is made (_take(), _add()). */
const struct sched_task *sched_rules_task(const struct sched_rules *rules, uint32_t task);
/* Is what the task does now doubtful, if it does that up to ts, where no record ends it? */
bool sched_rules_doubts(const struct sched_rules *rules, uint32_t task, int64_t ts);
/* Were CPUs left out, as far as records so far or the file tell? */
bool sched_rules_lacks_cpus(const struct sched_rules *rules);
/* Was any task throttled, or did any give its CPU away, so far? */
bool sched_rules_has_limited(const struct sched_rules *rules);
/* Was any task woken before its wake-up was recorded, so far? */
bool sched_rules_has_late(const struct sched_rules *rules);
/* Is it inferred of any whether it could run, or since when, so far? */
bool sched_rules_has_unsure_waits(const struct sched_rules *rules);
/* ts of the first record; 0: there is none */
int64_t sched_rules_first(const struct sched_rules *rules);
/* Does a gap of any CPU overlap a time? */
bool sched_rules_gap(const struct sched_rules *rules, int64_t from, int64_t to);
/* The same, except where only switches are missing: records of any kind are lost in the gap. */
bool sched_rules_lost(const struct sched_rules *rules, int64_t from, int64_t to);
/*
 * Of the times in which it is known why nothing could be recorded on a CPU (its index): the first
 * that ends after @ts.  False: there is none.
 */
bool sched_rules_absence(const struct sched_rules *rules, unsigned int cpu, int64_t ts,
			 struct trace_absence *absence);
/* For how long that was so in the range of the sums. */
int64_t sched_rules_absent(const struct sched_rules *rules, unsigned int cpu, enum trace_absent why,
			   bool inferred);
/*
 * Does a gap of lost events overlap the range of the sums, on a CPU that they are of?  They are
 * lower bounds.  @after_first: but for what was lost before a CPU's first record.
 */
bool sched_rules_has_lost(const struct sched_rules *rules, bool after_first);
/*
 * Switches that are missing in the range, on CPUs that the sums are of, though no loss is marked:
 * records of other tasks than the one that ran there.  At least so many.
 */
uint64_t sched_rules_missing(const struct sched_rules *rules);
/* What interrupts a CPU; its last record is in it, if the listener of a pass is told of that. */
const struct sched_nest *sched_rules_nest(const struct sched_rules *rules, unsigned int cpu);
/* index of a CPU, from its number; -1 = none */
int32_t sched_rules_cpu(const struct sched_rules *rules, uint32_t number);
/*
 * Finds the last task with a pid, or makes one.  Return: SCHED_IDLE_TASK for pid 0; SCHED_NO_TASK
 * for a negative pid, or if there are too many tasks.
 */
uint32_t sched_rules_add(struct sched_rules *rules, uint32_t pid);
/*
 * Of the tasks with a pid, the one at this time: the last one of which a record tells before, or
 * else the first one.  Return: SCHED_NO_TASK: there is none.
 */
uint32_t sched_rules_find(const struct sched_rules *rules, uint32_t pid, int64_t ts);
/* The same task in the rules of another pass, of a later state of the trace; or SCHED_NO_TASK. */
uint32_t sched_rules_same(const struct sched_rules *rules, const struct sched_task *task);
#endif
