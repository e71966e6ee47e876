/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TASK_COUNTS_H
#define FTOP_SRC_TASK_COUNTS_H
/*
 * task_counts - how many events of a trace happened in each task (by common_pid):
 * counted by workers in a pass of their own, which needs no page directory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace.h"

struct task_counts;			/* opaque */

struct task_count {
	unsigned int	file;
	int		pid;		/* 0: the idle tasks of all CPUs */
	uint64_t	events;
};

/* Begins to count.  The trace is borrowed and must live longer; what comes to its end later is not counted. */
struct task_counts *task_counts_new(struct trace *trace);
void task_counts_free(struct task_counts *counts);	/* stops; NULL is allowed */

/*
 * What is known so far, most events first: an array that the caller frees with free().  *permille: of the bytes counted;
 * 1000: all of them.  Return: how many tasks.
 */
unsigned int task_counts_get(struct task_counts *counts, struct task_count **tasks, unsigned int *permille);
void task_counts_wait(struct task_counts *counts);	/* until all is counted */
#endif
