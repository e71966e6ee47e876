/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TASK_TABLE_H
#define FTOP_SRC_SCHED_TASK_TABLE_H
/*
 * task_table - what each task and each CPU did in a time range: sums of a sched_pass by a worker,
 * with intermediate results.  With filters, sums of what they keep (sched_filter.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/run_queue.h"
#include "src/sched/task_pairs.h"
#include "src/base/duration_set.h"
#include "src/base/text.h"
#include "src/base/time_math.h"
#include "src/trace/cpu_groups.h"
#include "src/trace/trace.h"

struct task_table;			/* opaque */

#define CPU_IDLE_STATES	10u		/* CPUIDLE_STATE_MAX; the last one stands for all above */

/* Of a guest with its host (host_vcpus.h): the part of its runs in which its vCPUs did not run. */
struct stolen_time {
	int64_t		time;
	int64_t		doubtful;	/* a part of time: the vCPU may have run */
	int64_t		unknown;	/* not in time: the host's records do not tell */
};

struct cpu_sums {
	int		cpu;		/* its number; of a group: the lowest */
	uint32_t	cpus;		/* of so many CPUs; 0: of one */
	int64_t		busy, idle;	/* in the clock's unit; unknown times are in neither */
	int64_t		unknown;	/* how long that was; 0: not asked, or within rounding */
	int64_t		irq, softirq;	/* parts of busy, idle; softirq: less hard interrupts in
					   it */
	int64_t		idle_irq;	/* part of irq + softirq in which no task was interrupted */
	uint64_t	switches;
	uint64_t	idle_entries;	/* switches to the idle task */
	uint64_t	wakeups;	/* counted wakeups made there */
	uint64_t	migrations;	/* to this CPU */
	uint64_t	calls, irqs;	/* sums over all tasks and the idle task; see task_sums */
	bool		knows_calls, knows_irqs;	/* some were recorded, on any CPU */
	bool		knows_hardirqs, knows_softirqs;	/* the same: which of these */
	struct stolen_time stolen;	/* a part of busy */
	bool		knows_stolen;
	bool		knows_moves;	/* where the machine's CPUs are to each other */
	struct run_queue_sums queue;	/* with filters: nothing is known */
	bool		unsure;		/* tasks may count there that could not run, or some that
					 * could do not */
	int64_t		idle_in[CPU_IDLE_STATES];	/* time in each idle state (cpu_idle) */
	/* By cpu_frequency: how long it was known; the sum of kHz times ns.  Not with filters. */
	int64_t		khz_known;
	double		khz_time;
	double		capacity_time;	/* ns times 1024 that it was worth; 0: not known */
	uint64_t	moves[CPU_DISTANCES];	/* migrations to it, by where they are from */
	int		most_cpu, spare_cpu;	/* of a group: whose queue.most, spare_at */
};

enum task_stay { TASK_RAN, TASK_WAITED, TASK_SLEPT, TASK_WAS_BLOCKED, TASK_STAYS };

/* States in which tasks sleep, by the kernel's letters; the last one stands for all others. */
#define TASK_LETTERS	"SDTtIPKW?"
#define TASK_NR_LETTERS	(sizeof(TASK_LETTERS) - 1)

#define TASK_BINS	65u

struct task_sums {			/* sums of a task that the rules do not have */
	uint32_t	tasks;		/* of so many tasks; 0: of one */
	/* No doubtful wait, sleep or block is in these, except in asleep. */
	uint64_t	waits;		/* waits that ended with a run, and began in the range */
	int64_t		waited, wait_p99;	/* their sum, and 99th percentile */
	uint64_t	unsure;		/* doubtful waits begun in the range; in no sum above */
	struct task_longest {
		int64_t	length;		/* 0 = none */
		int64_t	ts;		/* start: in the range */
		uint32_t of;		/* pid of the task */
		/* WAITED: the task that ran longest on a CPU while this one was in its queue, as
		 * far as is remembered; pid 0: the CPU idled for most of the time, or, if `taken`
		 * is 0, it is not known */
		uint32_t pid;
		int	cpu;
		bool	guessed;	/* no record tells for which CPU it waited, or whether it
					 * was throttled */
		int64_t	taken;
		uint32_t limit;	/* not 0: for `taken`, it was task_figures.limits[this - 1] */
		bool	unexplained;	/* idle: see wait_idle_is_exit() */
	}		longest[TASK_STAYS];	/* only stays with both ends recorded */
	int64_t		asleep[TASK_NR_LETTERS];	/* sleep + blocked, by state */
	/* How many runs with both ends recorded had a length of 0; then of [2^(i-1), 2^i). */
	uint32_t	runs[TASK_BINS];
	uint32_t	wait_bins[TASK_BINS];	/* of waits, likewise */
	/*
	 * System calls entered: from raw_syscalls or from syscalls, whichever has more.  The time
	 * from a call to the next return with its number, if nothing was lost on the call's CPU in
	 * between.
	 */
	uint64_t	calls;
	int64_t		call_time;
	int32_t		last_cpu;	/* index + 1 of the CPU of its last switch in the range; of
					 * a task; 0: none */
	uint64_t	irqs;		/* hard interrupts and softirqs that began while it ran */
	int64_t		 irq_time;	/* time in them; nested ones count once */
	struct stolen_time stolen;	/* a part of run and run_cut */
	/*
	 * The task's sum `throttled`: as sched_limits.h finds it; of a cgroup, ns, as cpu.stat has
	 * it for each CPU and the limit of this cgroup alone.
	 */
	bool		 knows_throttled;
};

/* How long each of a task's waits was, by what it waited after; and each run between switches. */
enum task_duration { TASK_WAKEUPS_STAYED, TASK_WAKEUPS_MIGRATED,
		     TASK_WAKEUPS_UNKNOWN,	/* records are missing that tell which */
		     TASK_PREEMPTIONS, TASK_SLICES, TASK_DURATIONS };
struct task_durations {
	struct duration_set of[TASK_DURATIONS];
	uint64_t	totals[TASK_DURATIONS];
};

struct task_pair_figures {
	struct task_pair *pairs;	/* owned, [nr]: the largest total first */
	size_t		*names, *bys;	/* owned, [nr]: offsets of the names of both in text */
	uint32_t	 nr;
};

struct task_figures {			/* zero it */
	struct sched_task *tasks;	/* owned, [nr_tasks]: listed, or with calls or irqs */
	struct task_sums *sums;		/* owned, [nr_tasks]; NULL: not wanted */
	size_t		*comms;		/* owned, [nr_tasks]: offsets in text of their names, as
					   `ftop-trace tasks` has them: raw bytes */
	struct task_durations **durations;	/* owned, [nr_tasks], if asked for and .done; of a
						 * task: NULL: it has none */
	size_t		*limits;	/* owned: offsets in text of "throttled by /web (...)" */
	struct task_pair_figures pairs[TASK_PAIR_KINDS];
	struct text	 text;		/* names, those of pairs printable, each with a NUL */
	uint32_t	 nr_tasks;
	/* Groups, see task_groups.h: they are the first of the tasks. */
	uint32_t	 nr_groups;
	uint32_t	*parents;	/* owned, [nr_tasks] the group around each; NULL: none */
	struct cpu_sums	*cpus;		/* owned, [nr_cpus], by number */
	unsigned int	 nr_cpus;
	/* Groups of CPUs are the first of them, see task_groups.h */
	unsigned int	 nr_cpu_groups;
	uint32_t	*cpu_parents;	/* owned, [nr_cpus] the group around each; NULL: none */
	size_t		*cpu_names;	/* owned, [nr_cpu_groups]: offsets in text */
	unsigned int	 permille;	/* part of the trace */
	bool		 done;
	bool		 failed;	/* too many tasks: the sums are unreliable */
	const char	*lost;		/* sched_pass_lost() */
	unsigned int	 buffer;	/* sched_pass_buffer() */
	bool		 has_irqs;	/* interrupts were recorded */
	bool		 lacks_contexts; /* see sched_types.lacks_flags */
	bool		 has_calls;	/* and system calls */
	bool		 has_idle, has_khz;	/* and cpu_idle, cpu_frequency */
	bool		 has_throttled;	/* it is known of tasks, or of a group */
	bool		 has_stolen;	/* there is a host, whose file has switches */
	uint64_t	 sched_records, switches, wakes;	/* records of the whole trace */
};

/* The sums of a task or group; zero, if they are not wanted. */
const struct task_sums *task_figures_sums(const struct task_figures *figures, uint32_t row);
void task_durations_free(struct task_durations *durations);	/* NULL is allowed */
void task_figures_fini(struct task_figures *figures);

struct task_table_options {
	unsigned int	 file;
	struct time_range range;	/* in ts */
	const bool	*only;		/* [nr_only] sums of tasks by the rules: only of these CPUs
					 * (sched_rules.h); borrowed; NULL: all */
	unsigned int	nr_only;
	const struct filter *const *filters;	/* [nr_filters]: all must match; ready */
	unsigned int	 nr_filters;
	bool		 goes_on;	/* as in struct sched_pass_options */
	/* For task_table_next(): the window and the next ones begin at multiples of this; 0: no. */
	int64_t		 slice;
	const struct sched_split *splits;	/* [nr_splits] owned by the table from here on */
	uint32_t	 nr_splits;
	bool		 durations;	/* task_figures.durations is wanted, and no wait_p99 */
	bool		 known_only;	/* tasks of which nothing is known in the range are not
					 * wanted */
	/* What is not wanted, and then not read or added up: */
	bool		 no_sums;	/* task_figures.sums and .cpus, which stay zero, or NULL */
	bool		 no_tasks;	/* task_figures.tasks and what belongs to them */
	bool		 no_pairs;
	bool		 gives_tasks;	/* nothing is asked of the pass's tasks: no copy is made */
	bool		 no_calls;	/* system calls */
	struct trace	*host;		/* as in struct latency_options; borrowed */
	bool		 no_seen;	/* .pictures of a pass: without switches, the tasks seen */
};

/**
 * task_table_new() - start adding up
 *
 * Returns at once; the trace's workers add up.  The trace is borrowed.
 */
struct task_table *task_table_new(struct trace *trace, const struct task_table_options *options);
/*
 * As task_table_new(), for a window of a trace that grows: what is before the window is not read
 * again, nor are slices of it, if *@parked, from task_table_park(), is of the same trace.  What
 * serves is taken from there.
 */
struct task_table *task_table_next(struct task_table **parked, struct trace *trace,
				   const struct task_table_options *options);
/*
 * Stop, and take out what was read before the window, for the next one; it is freed as a table is.
 * NULL: nothing.
 */
struct task_table *task_table_park(struct task_table *table);
void task_table_free(struct task_table *table);		/* stops the workers; NULL is allowed */
void task_table_wait(struct task_table *table);		/* until all is added up */

/* What it has passed over; after task_table_wait(), until the table is freed. */
const struct sched_pass *task_table_pass(const struct task_table *table);

/* Replace *figures by newer ones; never waits for the worker.  False: there are none. */
bool task_table_take(struct task_table *table, struct task_figures *figures);
#endif
