/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_GROUPINGS_H
#define FTOP_SRC_TRACE_GROUPINGS_H
/*
 * groupings - what tasks have in common: a process, a cgroup, a name, a user, a scheduling class.
 * All lists of tasks can be grouped by it.  A new one is a line in groupings.c.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/error.h"
#include "src/base/text.h"
#include "src/trace/trace.h"

enum grouping { GROUPING_NONE, GROUPING_PROCESS, GROUPING_CGROUP, GROUPING_NAME, GROUPING_USER,
		GROUPING_CLASS, GROUPINGS_NR };

#define GROUPINGS_OPTION	"process|cgroup|name|user|class"
#define GROUPING_INTERRUPTS	"interrupts"	/* calls that are of none of the tasks they hit */
#define GROUPING_NOT_KNOWN	"not known"	/* the group of tasks of which it is not */
/* Where no grouping was chosen, a process with as many tasks is one row; nothing else is. */
#define GROUPING_MANY		9u

struct grouping_words {
	const char	*option;	/* argument of --by */
	const char	*rows;		/* "processes" */
	bool		 is_tree;	/* names are paths: /a is around /a/b */
	bool		 moves;		/* a task may be in one after another */
	uint32_t	 least;		/* on the screen: fewer tasks are rows of their own */
};

extern const struct grouping_words groupings[GROUPINGS_NR];	/* from 1 on */

/* The grouping with that word; GROUPING_NONE with FT_E_USAGE. */
enum grouping grouping_find(const char *option, struct ft_error *err);

struct grouped_task {			/* a task at a time */
	unsigned int	 file;
	int		 pid;
	int64_t		 ts;
	const char	*comm;		/* its name; NULL: as trace_comm() has it */
	int		 prio;		/* as in sched_switch; GROUPING_NO_PRIO: not known */
};
#define GROUPING_NO_PRIO	INT16_MIN

/* Append the name of the group, raw bytes of the trace.  False: it is not known. */
bool grouping_name(struct trace *trace, enum grouping by, const struct grouped_task *task,
		   struct text *out);
/* As that; @who: what trace_who() says of it. */
bool grouping_name_of(struct trace *trace, enum grouping by, const struct grouped_task *task,
		      const struct who *who, struct text *out);

/*
 * The pid of a process, from the name of its group: "nginx-1234", or "nginx-1234 (2)" if it is the
 * second one with that pid.  Return: bytes of the name without that number.
 */
size_t grouping_process_name(const char *name, int *pid);

/*
 * Append the name that tasks of one kind share: "kworker" of each kworker; with * in place of the
 * numbers at the end, or behind one of "/-:_.#", of others ("nginx-*").
 */
void task_kind_name(const char *comm, struct text *out);
#endif
