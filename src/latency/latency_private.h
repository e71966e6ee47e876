/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_PRIVATE_H
#define FTOP_SRC_LATENCY_LATENCY_PRIVATE_H
/*
 * latency_private - what the parts of latency share: latency.c (the job and its results),
 * latency_ends.c, latency_pass.c (the pass over pairs and states), latency_calls.c (the pass over
 * calls), latency_text.c.
 */
#include "parsers/types/comm_table.h"
#include "src/calls/call_job.h"
#include "src/latency/latency.h"
#include "src/latency/latency_list.h"
#include "src/latency/latency_open.h"
#include "src/sched/host_vcpus.h"
#include "src/sched/sched_interrupts.h"
#include "src/sched/sched_job.h"
#include "src/sched/sched_pass.h"

struct latency_ends {
	struct sched_pairs pairs;
	unsigned int	cap;
	atomic_bool	has_calls, has_stacks;	/* there were such records, in a pass so far */
	/* a probe missed some of the rule's starts, of its ends */
	bool		missed[LATENCY_MOST_RULES][2];
	struct filter	**filters;	/* owned, [nr_filters] */
	unsigned int	nr_filters, cap_filters;
};

#define LATENCY_HZ	4u		/* values of HZ that kernels have */

#define LATENCY_NAMED	32u		/* most names of `final`, and of `chosen` */

struct named_labels {			/* what these names are in labels of instances */
	uint64_t	labels[LATENCY_NAMED];
	int64_t		values[LATENCY_NAMED];	/* only with this value; INT64_MIN: any */
	unsigned int	nr;
	uint64_t	masks[8];	/* of label / 64 % 8: 1 << label % 64 of each */
};

struct rule_state {
	struct latency_open open;
	bool		has_ends;	/* an end was recorded, of whatever start */
	/*
	 * Probes missed hits, so a start may have been paired with the wrong end.  A start
	 * replaces the one before it: if only starts or only ends were missed, no pair is wrong.
	 */
	bool		is_mistaken;
	bool		is_numbered;	/* latency_rule_is_numbered(), and there is .of_32 */
	int8_t		paused;		/* softirqs, their timers and tasklets, which PREEMPT_RT
					 * pauses with a switch: their place in .paused; else -1 */
	/* silent: intervals between ticks, those near 1 s / HZ and all */
	uint32_t	ticks[LATENCY_HZ], nr_ticks;
	struct named_labels finals, chosen;
	struct latency_list *list;	/* borrowed: of its kind, but for those with `or` */
};

struct busy_cpu {			/* what a CPU runs */
	bool		runs;		/* a task, which is known: */
	uint32_t	pid;
	int64_t		since;
	trace_ref	from;		/* the switch to it; TRACE_REF_NONE: not recorded */
};

struct task_state {			/* a state that has begun: a task is in one at a time */
	struct latency_instance begun;	/* start, label, CPU left */
	int64_t		woken;		/* when a task woke it last */
	uint32_t	waker;		/* the pid of that; 0: none did */
};

/* Jiffies: HZ is what brings them nearest to the clock. */
struct jiffies {
	unsigned int	hz;		/* 0: not known yet */
	bool		begun;
	uint64_t	first;
	int64_t		first_ts;
	struct latency_instance *waiting;	/* owned, [nr]: their value is in jiffies */
	uint32_t	nr, cap;
};

/*
 * Tasks that show by a system call that they are of a 32-bit program.  The worker adds them, others
 * read; what is full takes no more.
 */
#define LATENCY_OF_32	8192u		/* a power of 2 */

struct task_of_32 {
	_Atomic uint32_t pid;		/* 0: none */
	_Atomic int64_t	first, last;	/* such calls: ts of their starts */
};

struct latency {
	struct trace	*trace;		/* borrowed */
	struct latency_options options;
	/* While the trace grows: what was before the range; none of it counts. */
	struct latency	*before;	/* NULL: none */
	unsigned int	users;		/* of this as `before`: counted by the main thread */
	struct name_table *names;	/* owned, unless they are of `before` or options.like */
	struct latency_ends *ends;	/* owned, like comms, unless they are of `before` */
	/* The worker's from the first job on */
	struct sched_listener listener;
	struct sched_pass **passes;	/* owned, [nr_buffers]: up to the current one */
	struct sched_pass *pass;	/* the current one */
	struct sched_pass *sched;	/* the first one with states of tasks, else the last */
	unsigned int	nr_buffers, buffer;
	bool		has_sched;	/* a buffer with states of tasks was read */
	const char	*lacks;		/* what that buffer had not, in words; or NULL */
	bool		lacks_wakes;	/* that buffer had switches, but no wake-ups */
	bool		lacks_irqs;	/* that buffer had no interrupts, but net */
	bool		full;		/* too many tasks */
	bool		parks;		/* it is the `before` of others */
	bool		sums_only;	/* all are selected, and only their durations needed */
	uint64_t	damaged, missing;
	const char	*left_out;
	struct text	absent;		/* owned: sched_pass_absent() */
	int64_t		last_ts;
	struct rule_state *rules;	/* owned, [kinds->nr_rules] */
	struct latency_list *lists;	/* owned, the same number */
	/* owned, by index of the CPU: the number of its current stretch of records, from 0 */
	uint32_t	*stretches, nr_stretches;
	struct busy_cpu	*busy;		/* owned, by index of the CPU */
	struct paused_cpu {
		uint32_t	pid;	/* in whose place one began last */
		int64_t		since;	/* that is switched out, since; 0: not */
		int64_t		all;	/* how long it was, so far */
	}		(*paused)[3];	/* owned, by index of the CPU, of each kind */
	unsigned int	pausing;	/* 1 << each of which one began */
	bool		asks_pauses;	/* one of these is measured */
	uint8_t		silents[LATENCY_MOST_RULES];	/* [nr_silents] the rules with `silent` */
	unsigned int	nr_silents;
	uint8_t		helds[LATENCY_MOST_RULES];	/* [nr_helds] with irqs_off, preempt_off */
	unsigned int	nr_helds;
	/* Of a guest whose host's file is there: */
	struct trace_host host;		/* .guest: NULL: there is none, or it tells nothing */
	struct host_vcpus *vcpus;	/* owned; NULL: not read yet, or they tell nothing */
	unsigned int	steal;		/* the rule whose instances stolen parts are */
	struct task_state *tasks;	/* owned, [nr_tasks] by index */
	uint32_t	nr_tasks;
	struct jiffies	jiffies;
	struct lock_reader *locks;	/* owned */
	uint64_t	from_32, to_32;	/* numbers of calls that only 32-bit programs have */
	_Atomic unsigned int nr_of_32;
	struct task_of_32 *of_32;	/* owned, [LATENCY_OF_32] by hash; NULL: no such programs */
	bool		asks_wakers;	/* wake-ups are listed: what made them */
	struct sched_interrupts interrupts;
	/* calls */
	struct graph_types *types;	/* owned; NULL: none */
	struct graph_scope scope;
	struct call_job	*calls;		/* owned; NULL: none */
	struct call_past *past;		/* owned, if it is the `before` of others; or NULL */
	struct call_visitor visitor;
	const struct call_visitor *others;	/* borrowed: of options.calls; NULL: none */
	const struct call_tree *tree;	/* borrowed: of the current buffer */
	bool		local;		/* calls have the clock of the buffer */
	const struct sched_pass *calls_of;	/* the buffer whose calls are read: its pass, */
	int64_t		first_ts;	/* and first record */
	bool		has_net;	/* and so have switches: time off the CPU is known */
	int32_t		call_pid;
	struct comm_table *comms;	/* names of tasks in the records of the pass */
	struct sched_job job;		/* publishes a struct latency_result */
};

/* Did the kernel's probes miss starts or ends of this rule? */
static inline bool latency_has_missed(const struct latency *l, unsigned int rule)
{
	return l->ends->missed[rule][0] || l->ends->missed[rule][1];
}

/* Add an instance to a list if its start, CPU and task are selected. */
void latency_count(struct latency *l, struct latency_list *list, const struct latency_instance *i);

/*
 * Bind the rules to the file, but for built-in ones whose events or fields it lacks.  Main thread.
 * -1 with FT_E_USAGE: a user's pair does not fit.
 */
int latency_ends_init(struct latency *l, struct ft_error *err);
void latency_ends_free(struct latency_ends *ends);

/* The pass: the next buffer, its end. */
void latency_pass_init(struct latency *l);
void latency_pass_begin(struct latency *l);
/* The first buffer from where l->before is parked. */
void latency_pass_follow(struct latency *l);
void latency_pass_end(struct latency *l);
/* Is anything known of the host?  Finds it; main thread. */
void latency_pass_find_host(struct latency *l);

/*
 * Has the task that began something then exited?  It ends nothing any more.  A task that still
 * waits or runs after its sched_process_exit has not.
 */
bool latency_has_exited(const struct sched_pass *pass, uint32_t pid, int64_t start);

/* Does the rule have numbers of system calls, of which those of 32-bit programs are others? */
bool latency_rule_is_numbered(const struct latency_rule *rule);
void latency_see_32(struct latency *l, uint32_t pid, uint64_t number, int64_t ts);
/* The task, if it has shown that it is of a 32-bit program; NULL: it has not.  Any thread. */
const struct task_of_32 *latency_task_of_32(const struct latency *l, uint32_t pid);

/* Calls: found in the pass, read after it; false: they cannot be. */
bool latency_has_calls(const struct latency *l);
bool latency_calls_start(struct latency *l);
void latency_calls_finish(struct latency *l);
/* Put together what there is, for latency_take(). */
void latency_publish(struct latency *l, bool done);
#endif
