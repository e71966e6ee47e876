/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TASK_COLUMNS_H
#define FTOP_SRC_SCHED_TASK_COLUMNS_H
/*
 * task_columns - the columns of the tables of tasks, CPUs and event types, for both `ftop-trace
 * tasks` and the Tasks view.  A new column is a line in task_columns.c.
 */
#include "src/base/table_out.h"
#include "src/sched/task_pairs.h"
#include "src/sched/task_table.h"
#include "src/trace/groupings.h"

/* A row of task_columns. */
struct task_row {
	const struct sched_task *task;
	const struct task_sums *sums;	/* what text prints does not need them */
	const char	*comm;
	const char	*clock;		/* unit of times; NULL = ns */
	int		 cpu;		/* number of the CPU of its last switch; -1 = none */
	const char	*wake_comm;	/* its name at max_wakeup; NULL = not known */
	unsigned int	 lacks;		/* bits of .needs: files have no such figures; the screen
					 * leaves their columns out */
};

/* The row of a task, or of a group; who asks for it sets clock, wake_comm and lacks. */
struct task_row task_row_of(const struct task_figures *figures, uint32_t row);

/* A row of task_preempted_columns and task_woken_columns. */
struct task_pair_row {
	const struct task_pair *pair;
	const char	*comm, *by;	/* names */
};
enum { TASK_PAIR_TOTAL = 8 };		/* index of the column of total times */
void task_pair_task(const void *row, struct text *out);	/* "sh-78" */
void task_pair_by(const void *row, struct text *out);	/* "sh-78", "softirq" */

/* A row of task_type_columns. */
struct task_type_row {
	const char	*name;		/* "sched/sched_switch" */
	uint64_t	events;
};

/* Data that must have been recorded for the screen to show a column: bits of table_column.needs. */
enum { TASK_NEEDS_SCHED = 1, TASK_NEEDS_CALLS = 2, TASK_NEEDS_IRQS = 4, TASK_NEEDS_IDLE = 8,
       TASK_NEEDS_KHZ = 16, TASK_NEEDS_MACHINE = 32, TASK_NEEDS_CAPACITY = 64,
       TASK_NEEDS_THROTTLED = 128, TASK_NEEDS_STOLEN = 256, TASK_NEEDS_CONTEXTS = 512,
       TASK_NEEDS_SWITCHES = 1024, TASK_NEEDS_WAKES = 2048 };

/* What figures lack of these; @machine: trace_machine(). */
unsigned int task_columns_lack(const struct task_figures *figures, const struct machine *machine);

/* The detail shown for a row if rows are sorted by a column: table_column.own. */
enum task_worst {
	TASK_LONGEST_WAIT,
	TASK_LONGEST_WAKE,
	TASK_LONGEST_RUN,
	TASK_LONGEST_SLEEP,
	TASK_LONGEST_BLOCK,
	TASK_LONGEST_ANY_WAIT,		/* as TASK_LONGEST_WAIT; of the column that shows it */
	TASK_LINE,			/* none: the column is a picture, which the view draws */
	/* details of a CPU: */
	TASK_LONGEST_QUEUE = 16,
	TASK_LONGEST_SPARE
};

extern const struct table_columns task_columns;		/* rows: struct task_row */
/*
 * The columns of groups of tasks; rows: struct task_row, with the group's name.  Main thread; valid
 * until the next call.
 */
const struct table_columns *task_group_columns(enum grouping by);
extern const struct table_columns task_cpu_columns;	/* rows: struct cpu_sums */
/* Those of groups of CPUs; rows: struct cpu_group_row.  As task_group_columns(). */
struct cpu_group_row {
	struct cpu_sums	sums;
	const char	*name;
};
const struct table_columns *task_cpu_group_columns(enum cpu_level level);
extern const struct table_columns task_type_columns;	/* rows: struct task_type_row */
/* Rows: struct task_pair_row.  The first two columns are who waited and who came or woke. */
extern const struct table_columns task_preempted_columns, task_woken_columns;

/*
 * Tables of a range next to the rest of the trace: only columns that do not depend on their
 * lengths.
 */
extern const struct table_columns task_compare_columns, task_cpu_compare_columns,
	task_type_compare_columns;
#endif
