/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_WAIT_STACKS_H
#define FTOP_SRC_STACKS_WAIT_STACKS_H
/*
 * wait_stacks - the stacks with which tasks left the CPU, and those of the tasks that woke them,
 * with how long they waited: asleep or blocked until the wake-up, preempted until they ran again.
 *
 * Stacks are the kernel_stack records right behind sched_switch and the wake-up, on the same CPU
 * and of the same task.  A wait counts if it began in the range and both its ends are recorded;
 * what is doubtful or open is counted apart.  A worker counts, in slices.  Main thread.
 */
#include "src/match/event_sweep.h"
#include "src/sched/sched_pass.h"
#include "src/stacks/stack_table.h"

enum wait_stacks_mode {
	WAIT_STACKS_OFF_CPU,		/* the task's name, and its stack when it left the CPU */
	WAIT_STACKS_WAKER,		/* the waker's name and stack; no preemptions */
	WAIT_STACKS_BOTH,		/* the task; behind "--" the waker's stack reversed */
	NR_WAIT_STACKS_MODES
};

struct wait_stacks_result {
	uint64_t	waits;		/* that count */
	uint64_t	doubtful;	/* records are missing meanwhile */
	uint64_t	open;		/* without a recorded end, or when the trace ended */
	uint64_t	off_stacks, waker_stacks;	/* of `waits`: how many have these */
	struct stack_table *tables[NR_WAIT_STACKS_MODES];
};

struct wait_stacks_options {
	/* The file, range, CPUs that were left, and filters of the ends. */
	struct event_sweep_options what;
	/* Which tasks count; NULL: all. */
	bool		(*wants)(const void *arg, uint32_t pid, const char *comm);
	const void	*arg;
};

struct wait_stacks;			/* opaque */

struct wait_stacks *wait_stacks_new(struct trace *trace, const struct wait_stacks_options *options);
void wait_stacks_free(struct wait_stacks *stacks);	/* stops the worker; NULL is allowed */

void wait_stacks_wait(struct wait_stacks *stacks);
const struct sched_pass *wait_stacks_pass(const struct wait_stacks *stacks);
/* Borrowed; NULL: not all is counted yet, or there are too many tasks. */
const struct wait_stacks_result *wait_stacks_result(const struct wait_stacks *stacks);
#endif
