/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TASK_TABLE_H
#define FTOP_SRC_TASK_TABLE_H
/*
 * task_table - what each task and each CPU did in a range: the sums of a sched_pass that
 * a worker makes, and what they are so far.  With filters, sums of what these keep (sched_filter.h).
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_rules.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

struct task_table;			/* opaque */

struct cpu_sums {
	int		cpu;		/* its number */
	int64_t		busy, idle;	/* a task ran, none did; in the clock's unit.  What is not known is in neither */
	int64_t		irq, softirq;	/* of these: hard interrupts; soft ones, less the hard ones in them */
	uint64_t	switches;
	uint64_t	idle_entries;	/* switches to no task */
	uint64_t	wakeups;	/* that were made there, and count */
	uint64_t	migrations;	/* to there */
	uint64_t	calls, irqs;	/* of tasks and others, as those of a task */
};

enum task_stay { TASK_RAN, TASK_WAITED, TASK_SLEPT, TASK_WAS_BLOCKED, TASK_STAYS };

/* States that tasks sleep in, by the kernel's letter; the last one stands for all others. */
#define TASK_LETTERS	"SDTtIPKW?"
#define TASK_NR_LETTERS	(sizeof(TASK_LETTERS) - 1)

struct task_sums {			/* of a task, besides those of the rules */
	uint64_t	waits;		/* that ended with a run, and began in the range */
	int64_t		waited, wait_p99;	/* their sum, the 99th percentile */
	struct task_longest {
		int64_t	length;		/* 0: none */
		int64_t	ts;		/* when it began: in the range */
	}		longest[TASK_STAYS];	/* of those with both ends recorded */
	int64_t		asleep[TASK_NR_LETTERS];	/* sleep and blocked time by state; together they are the two */
	/*
	 * System calls that it entered: by raw_syscalls, or by syscalls, where these tell of more.  Time from a call to the return
	 * with its number that is next, if nothing was lost on the CPU of the call meanwhile.
	 */
	uint64_t	calls;
	int64_t		call_time;
	uint64_t	irqs;		/* hard and soft interrupts that began while it ran */
	int64_t		irq_time;	/* in them, once where one interrupts another */
};

struct task_figures {			/* zero it; times are those of the file, without the user's offset */
	struct sched_task *tasks;	/* owned, [nr_tasks]: those that are listed, and others of whom calls or interrupts count */
	struct task_sums *sums;		/* owned, [nr_tasks] */
	size_t		*names;		/* owned, [nr_tasks]: byte of text where a task's name begins */
	struct text	 text;		/* names, printable, each ended by a NUL */
	uint32_t	 nr_tasks;
	struct cpu_sums	*cpus;		/* owned, [nr_cpus], by number */
	unsigned int	 nr_cpus;
	unsigned int	 permille;	/* of the trace */
	bool		 done;
	bool		 failed;	/* too many tasks: sums are not to be believed */
	bool		 has_irqs;	/* interrupts were recorded */
	bool		 has_calls;	/* and system calls */
	uint64_t	 sched_records, switches;	/* of system sched; of them sched_switch: in the whole trace */
};

static inline const char *task_figures_name(const struct task_figures *figures, uint32_t task)
{
	return figures->text.data + figures->names[task];
}
void task_figures_fini(struct task_figures *figures);

struct task_table_options {
	unsigned int	 file;
	bool		 has_range;
	int64_t		 from, to;	/* ts, both in the range, with the user's offset in them */
	const struct filter *const *filters;	/* [nr_filters]: all have to match; ready; they and what they point to are borrowed */
	unsigned int	 nr_filters;
};

/**
 * task_table_new() - begin to add up
 *
 * Return: at once; workers of the trace add up.  The trace is borrowed.
 */
struct task_table *task_table_new(struct trace *trace, const struct task_table_options *options);
void task_table_free(struct task_table *table);		/* stops; NULL is allowed */
void task_table_wait(struct task_table *table);		/* until all is added up */

/* A moment of the figures as the screen has it: with the user's offset. */
int64_t task_table_moment(const struct task_table *table, int64_t ts);

/* Newer figures in place of *figures, if there are any; never waits for who adds up.  False: they are as they were. */
bool task_table_take(struct task_table *table, struct task_figures *figures);
#endif
