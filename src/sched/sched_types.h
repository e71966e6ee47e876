/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_TYPES_H
#define FTOP_SRC_SCHED_SCHED_TYPES_H
/*
 * sched_types - the event types of a file with scheduling information, and the offsets of their
 * fields, for every kernel since 2.6.31. Immutable once made; any thread.
 */
#include <stdbool.h>
#include <stdint.h>
#include "parsers/text/sched_text.h"
#include "src/trace/syscall_names.h"
#include "src/trace/trace.h"

/* What a record means. */
enum sched_op {
	SCHED_NONE,
	SCHED_SYSTEM,			/* any other record of system sched: not used */
	SCHED_SWITCH,
	SCHED_WAKING,
	SCHED_WAKEUP,
	SCHED_WAKEUP_NEW,
	SCHED_MIGRATE,
	SCHED_REASON,			/* sched_blocked_reason: why a task slept, as it wakes */
	SCHED_YIELD,			/* a sched_yield begins: system calls are not counted */
	SCHED_YIELDED,			/* and ends */
	SCHED_FORK,
	SCHED_EXEC,			/* a task takes the pid of its process, or another name */
	SCHED_EXIT,
	/* For pictures: */
	SCHED_ENTER,			/* an interrupt begins, enum sched_context */
	SCHED_LEAVE,
	SCHED_EXPIRED,			/* one or a timer did; no such end is recorded */
	SCHED_RAISE,			/* a softirq is to run: what it does comes from here */
	SCHED_POWER,			/* cpu_idle: a CPU enters a state, or leaves it */
	SCHED_FREQUENCY,		/* cpu_frequency */
	SCHED_LOCK,			/* a task begins to wait for a lock: lock_wait.h */
	SCHED_LOCKED,			/* and ends that */
	SCHED_FREEZE,			/* cgroup_freeze; cgroup_unfreeze: its task wakes those of
					 * the cgroup */
	SCHED_LIMIT,			/* a group is throttled, or not: enum sched_limit_op */
	/* For sums: */
	SCHED_CALL,			/* a system call begins */
	SCHED_RETURN,			/* and ends */
	SCHED_TOLD,			/* it tells a task's priority, and no change of state:
					 * sched_pi_setprio; a wakeup whose field `success` is 0 */
	/* For latencies: */
	SCHED_PAIR,			/* begins or ends a pair, see sched_scan.h */
	/* No records, see sched_scan.h: */
	SCHED_CUT,
	SCHED_STRETCH,
	SCHED_KEY,
	SCHED_SEEN,
	SCHED_ABSENT,
};

/* Softirqs that do what was given to them, from the kernel's list of softirqs. */
enum sched_softirq { SCHED_NET_TX = 2, SCHED_NET_RX };

/* What a CPU does besides its task; later ones interrupt earlier ones. */
enum sched_context {
	SCHED_CONTEXT_TASK,
	SCHED_CONTEXT_SOFTIRQ,
	SCHED_CONTEXT_IRQ,
	SCHED_CONTEXT_NMI,
	SCHED_CONTEXT_TIMER,		/* a timer's function; in no picture */
};
#define SCHED_CONTEXTS	4		/* contexts that a picture shows: all but TIMER */

/* What a limit does: recorder/plan/plan_limits.h. */
enum sched_limit_op {
	SCHED_LIMIT_BEGINS,		/* the tasks of a group are throttled on a CPU, or frozen */
	SCHED_LIMIT_ENDS,
	SCHED_LIMIT_TAKES,		/* a task of such a group leaves the CPU for that */
};

/* How a task left a CPU. */
enum sched_class {
	SCHED_CLASS_RUNNABLE,		/* prev_state 0, or the preempted flag */
	SCHED_CLASS_SLEEP,
	SCHED_CLASS_BLOCKED,		/* D among the letters */
	SCHED_CLASS_GONE,		/* X, Z, x */
};
#define SCHED_CLASS_MASK	3u
/* And what the number tells of all others, if the format leaves that open: see sched_encoding. */
#define SCHED_CLASS_TELLS_BITS		4u
#define SCHED_CLASS_TELLS_NUMBERS	8u

/* Fields of a type; NULL if it has no such field. */
struct sched_shape {
	enum sched_op	 op;
	bool		 is_sched;	/* an event of system sched */
	bool		 is_futex;	/* LOCK, LOCKED: of a futex call, not of a kernel lock */
	bool		 is_ipi;	/* ENTER: another CPU sent it, and may have woken a task */
	bool		 may_pause;	/* ENTER: flags tell whether a switch can pause it */
	bool		 is_raw;	/* CALL, RETURN: of raw_syscalls, not of syscalls */
	bool		 is_selected;	/* not all records are taken: their `state` tells which */
	bool		 yields;	/* CALL, RETURN: sched_yield; of raw_syscalls it may be */
	bool		 lacks_end;	/* ENTER (now EXPIRED), or of a call that yields: only
					 * beginnings are recorded */
	enum sched_context context;	/* ENTER, LEAVE */
	enum sched_limit_op limit;	/* LIMIT */
	int		 type_id;	/* CALL, RETURN of system syscalls: one of the types */
	bool		 plain;		/* all fields: 4 byte numbers, names of 16, prev_state of
					 * 8, at: */
	uint32_t	 bytes;		/* bytes of payload that contain the fields */
	uint16_t	 pid_at, comm_at, prio_at, pid2_at, comm2_at, prio2_at, state_at, cpu_at;
	const struct event_field *pid, *comm, *prio;		/* prev_, or of the woken task,
								 * or of the child; comm: of a
								 * hard interrupt */
	const struct event_field *pid2, *comm2, *prio2;		/* next_; with pid and prio, word,
								 * kind, val and users of a futex;
								 * of a timer: itself; old_pid of
								 * an exec */
	/*
	 * prev_state; the number of an interrupt, of an idle state, of a system call; kHz; a
	 * timer's function; where a task slept; the op of a futex call, the address of a lock;
	 * a cgroup
	 */
	const struct event_field *state;
	const struct event_field *cpu;				/* target_cpu, dest_cpu, io_wait,
								 * cpu_id */
	const struct event_field *success;			/* did a wakeup succeed? */
	const struct event_field *from;				/* orig_cpu */
};

#define SCHED_SHAPES	256u

struct sched_types {
	uint8_t		 shape_of[65536];	/* by common_type: number of a shape; 0 = none */
	struct sched_shape shapes[SCHED_SHAPES];
	unsigned int	 nr_shapes;
	struct sched_states states;
	uint8_t		 class_of[1024];	/* by prev_state: enum sched_class, TELLS_* */
	bool		 is_of_tasks;	/* trace_is_of_tasks(): system sched is not used */
	/* the file has their formats; switches and wakings: it may have some */
	bool		 has_switch, has_waking, has_wakeup, has_migrate;
	bool		 lacks_flags;	/* wake-ups do not tell whether an interrupt made them */
	bool		 has_prios;	/* switches have priorities, as the kernel numbers them */
	struct syscall_returns returns;	/* in raw_syscalls */
	int		 yield;		/* number of sched_yield in raw_syscalls; -1: not known */
};

/*
 * @pictures: include records that sums do not need: interrupts, forks.  @calls: include system
 *        calls.  Parses the formats.  Free with free().
 */
struct sched_types *sched_types_new(struct trace *trace, unsigned int file, bool pictures,
				    bool calls);
/* The trace grew: are there switches or wakings now, which they say it has none of? */
bool sched_types_are_wrong(const struct sched_types *types, struct trace *trace, unsigned int file);

enum sched_class sched_types_find_class(const struct sched_types *types, uint64_t prev_state);

/* enum sched_class, and SCHED_CLASS_TELLS_* */
static inline unsigned int sched_types_class(const struct sched_types *types, uint64_t prev_state)
{
	return prev_state < sizeof(types->class_of) ? types->class_of[prev_state] :
						      sched_types_find_class(types, prev_state);
}
#endif
