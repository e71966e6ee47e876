/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_TASK_GROUPS_H
#define FTOP_SRC_SCHED_TASK_GROUPS_H
/*
 * task_groups - the tasks of a task_table in groups.  The sums of a group are the sums of its
 * tasks, and here is the only place that adds them up.
 */
#include "src/sched/task_table.h"
#include "src/trace/groupings.h"

#define TASK_NO_GROUP	UINT32_MAX

struct task_grouping {
	enum grouping	 by;
	uint32_t	 least;		/* groups of fewer tasks are left out */
	bool		 known_only;	/* tasks of which nothing is known in the range do not
					 * count */
	bool		 all_counts;	/* the figures are of all of the trace: so are counters that
					 * the kernel has of a group */
};

/*
 * Where sums of a pass over the range are split, so that each part is of one group: the file's
 * tasks that come into another group, ascending; to be freed.  NULL, *nr 0: none does.
 */
struct sched_split *task_groups_splits(struct trace *trace, unsigned int file, enum grouping by,
				       const struct time_range *range, uint32_t *nr);

/* Add the sums of a part of the time, or of another task or CPU. */
void task_sums_add(struct task_sums *sum, const struct task_sums *of);
/* *@sum is made if it is NULL; @of: NULL: nothing. */
void task_durations_add(struct task_durations **sum, struct task_durations *of);
void cpu_sums_add(struct cpu_sums *sum, const struct cpu_sums *of);

/*
 * Put groups of CPUs before the CPUs of figures: .nr_cpu_groups, .cpu_parents, .cpu_names.
 * @groups: of the CPUs of these figures.  A group's most, most_at and spare_at are those of its
 * worst CPU.
 */
void task_groups_make_cpus(struct task_figures *figures, const struct cpu_groups *groups);

/* Leave only the tasks of figures, which have no groups yet, that @keep says. */
void task_figures_keep(struct task_figures *figures, bool (*keep)(void *arg, uint32_t row),
		       void *arg);

/* Is anything known of the task of this row in the range? */
bool task_figures_know(const struct task_figures *figures, uint32_t row);

/*
 * Put groups before the tasks of figures: .nr_groups and .parents.  A group of a tree has the sums
 * of all below it.  The pid of a group is that of its task that waited longest for a CPU.
 */
void task_groups_make(struct task_figures *figures, struct trace *trace, unsigned int file,
		      const struct task_grouping *how);
/* Take the groups of tasks out again, to make others. */
void task_groups_undo(struct task_figures *figures);
#endif
