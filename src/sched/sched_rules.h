/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_RULES_H
#define FTOP_SRC_SCHED_RULES_H
/*
 * sched_rules - who runs, waits, sleeps: records of sched_feed.h in, sums of each task
 * and its wake-ups out, and every change of a state to whoever listens.
 *
 * A task is in one state since some time stamp.  A record ends the state, and the interval counts; or it contradicts it,
 * since records are missing, and the interval is dropped: it counts nowhere.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_scan.h"

enum sched_state {
	SCHED_UNKNOWN,
	SCHED_RUNS,			/* on a CPU */
	SCHED_WAITS,			/* woken, or new */
	SCHED_PREEMPTED,		/* waits, too: it left the CPU while it could have gone on */
	SCHED_SLEEPS,
	SCHED_BLOCKED,
	SCHED_GONE,			/* dead, zombie */
};
#define SCHED_STATES_NR	7

#define SCHED_NO_TASK	UINT32_MAX	/* nobody knows who runs */
#define SCHED_IDLE_TASK	(UINT32_MAX - 1)
#define SCHED_MAX_TASKS	(1u << 22)	/* as many as a kernel can have (PID_MAX_LIMIT) */

struct sched_task {
	uint32_t	pid;
	uint32_t	comm, first_comm;	/* last and first name seen in its records; 0: none */
	bool		listed;			/* it is in a sched_switch, a wake-up or a migration, not only a waker */
	int16_t		prio;			/* last seen */
	int32_t		last_switch_cpu;	/* index of the CPU of its last switch in or out; -1: none */
	/* Sums, in the clock's unit. */
	int64_t		run, run_cut, wait, sleep, blocked, max_wakeup;
	int64_t		max_wake_ts;		/* when the wake-up of max_wakeup was, where that is not 0 */
	uint64_t	switches, preemptions, wakeups, migrations;
	uint64_t	moves;			/* switch-ins on another CPU than that of its last switch */
	uint64_t	answered;		/* wake-ups that were followed by a run */
	uint64_t	woke;			/* wake-ups it made */
	/* Its state. */
	uint8_t		state;			/* enum sched_state */
	bool		cut;			/* it runs since a stretch began: since when, is not recorded */
	bool		is_open;		/* a wake-up is, since wake_ts */
	int32_t		cpu;			/* index of the CPU it runs on */
	int32_t		last_cpu;		/* whose loss makes it unknown: index; -1: none */
	uint64_t	losses;			/* of last_cpu that it has been told of */
	int64_t		since, wake_ts;
	uint64_t	wake;			/* number of the open wake-up */
};

struct sched_wake {
	int64_t		ts, run_ts;
	uint32_t	task, comm;		/* who is woken, and its name in the record */
	uint32_t	waker, waker_comm;	/* who was running there, and its name by then; 0: none was seen yet */
	int32_t		waker_pid;		/* common_pid of the record */
	int32_t		cpu;			/* where it ran: index; -1: never answered */
	uint8_t		flags;			/* common_flags of the record */
	int32_t		on;			/* where it was woken: index of the CPU */
};

/* What listeners are told of. */
struct sched_change {
	int64_t		ts;
	enum sched_state state;		/* from ts on */
	bool		dropped;	/* what was before counts nowhere */
	bool		cut;		/* RUNS: since a stretch began */
	enum sched_state was;		/* of a task: until ts, since: */
	int64_t		since;
	bool		was_cut;	/* it ran since a stretch began */
	const struct sched_rec *rec;	/* the switch or wake-up that tells it, borrowed; NULL: a stretch begins, or ended */
	int32_t		cpu;		/* RUNS: there; WAITS: it was woken there; PREEMPTED, SLEEPS, BLOCKED, GONE: it was left; index; -1: none */
	uint16_t	prev_state;	/* low bits of the record's */
	uint32_t	waker;		/* WAITS: task; SCHED_IDLE_TASK, or SCHED_NO_TASK where none is known */
	uint32_t	task;		/* of a CPU: who runs; SCHED_IDLE_TASK, SCHED_NO_TASK */
	bool		lost;		/* of a CPU without a task: events are lost from here on; UNKNOWN: since those of `cpu` are */
};

struct sched_listener {
	void		(*task)(void *arg, uint32_t task, const struct sched_change *change);
	void		(*cpu)(void *arg, unsigned int cpu, const struct sched_change *change);
	void		(*wake)(void *arg, uint32_t waker, uint32_t task, int64_t ts);	/* a wake-up counts; waker SCHED_IDLE_TASK, too */
	void		(*other)(void *arg, unsigned int cpu, const struct sched_rec *rec);	/* a record that no rule is about */
	void		*arg;
};

struct sched_rules;			/* opaque */

struct sched_rules_options {
	unsigned int	nr_cpus;
	const int	*cpus;		/* their numbers, ascending; borrowed */
	bool		has_window;	/* sums of what lies within, both ends included */
	int64_t		from, to;
	/*
	 * [nr_cpus] Sums of what happens there: runs and switches on these CPUs, waits that end with a run there (or last, and
	 * would), sleep that begins there, wake-ups that are made there, migrations to there.  Borrowed; NULL: of all.
	 */
	const bool	*only;
	/* Sums of what records do not leave out (SCHED_NOT_*); what no record ends is left out as well. */
	bool		filtered;
	bool		keep_wakes;	/* for sched_rules_wakes() */
	const struct sched_listener *listener;	/* borrowed, or NULL */
};

/* The options are copied, but for what they borrow. */
struct sched_rules *sched_rules_new(const struct sched_rules_options *options);
void sched_rules_free(struct sched_rules *rules);	/* NULL is allowed */

/* Records of a CPU, in the merged order.  False: there are too many tasks, and nothing after them was taken. */
bool sched_rules_take(struct sched_rules *rules, unsigned int cpu, const struct sched_rec *recs, uint32_t nr);

/* The last time stamp of the buffer: what is open ends there.  @migrations: records of them in the whole buffer. */
void sched_rules_end(struct sched_rules *rules, int64_t last_ts, uint64_t migrations);

uint32_t sched_rules_nr_tasks(const struct sched_rules *rules);
/* @task: below their number.  Borrowed until the next task is made (sched_rules_take(), sched_rules_add()). */
const struct sched_task *sched_rules_task(const struct sched_rules *rules, uint32_t task);
int32_t sched_rules_cpu(const struct sched_rules *rules, uint32_t number);	/* index of a CPU by its number; -1: none */
/* The task with a pid, made if there is none yet: SCHED_IDLE_TASK for 0, SCHED_NO_TASK where it can be none. */
uint32_t sched_rules_add(struct sched_rules *rules, uint32_t pid);
/* The task with a pid, or SCHED_NO_TASK. */
uint32_t sched_rules_find(const struct sched_rules *rules, uint32_t pid);

uint64_t sched_rules_nr_wakes(const struct sched_rules *rules);	/* that are kept */
const struct sched_wake *sched_rules_wakes(const struct sched_rules *rules);	/* in the order of their records */
#endif
