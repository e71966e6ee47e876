/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_STACKS_STACKS_H
#define FTOP_SRC_STACKS_STACKS_H
/*
 * stacks - recorded stacks with weights, equal ones added up; src/functions/flame.h draws them.
 *
 * Stacks of events are counted.  A stack belongs to the event of the same task that was recorded
 * last before it on the same CPU, and is listed below that event's name.  A kernel stack and a user
 * stack of the same event count as one stack: user space called into the kernel.  Samples of perf
 * weigh their period.  One without a call chain has a stack of one frame: where it was.
 *
 * Stacks of waits: those with which tasks left the CPU, and those of the tasks that woke them, with
 * how long they waited: asleep or blocked until the wake-up, preempted until they ran again.  They
 * are the records kernel_stack and user_stack right behind sched_switch and the wake-up, on the
 * same CPU and of the same task.  Functions of user space have the name of their file behind
 * theirs, in brackets.  A wait counts if it began in the range and both its ends are recorded; what
 * is doubtful or open is counted apart.
 *
 * A worker counts, in slices.  Main thread.
 */
#include "src/functions/call_paths.h"
#include "src/match/event_sweep.h"
#include "src/trace/groupings.h"
#include "src/sched/sched_pass.h"

#define STACKS_MOST_PATHS	(1u << 20)	/* frames of a tree, at most */

enum stacks_of {
	STACKS_OFF_CPU,			/* the task's name, and its stack when it left the CPU */
	STACKS_WAKER,			/* the waker's name and stack; no preemptions */
	STACKS_BOTH,			/* the task; behind "--" the waker's stack reversed */
	STACKS_EVENTS,
	STACKS_FUNCTIONS,		/* of events, with the innermost frame alone */
	STACKS_NR
};

struct stacks_result {
	/*
	 * Trees of frames, the outermost first: addresses of functions, and those that
	 * trace_slice_address() made for names of tasks and events.  In `self` and `total` is the
	 * time in ns, in `calls` the number; of events the weight, which is 1 but for samples of
	 * perf, and the number.  NULL: it was not asked for.
	 */
	struct call_paths *paths[STACKS_NR];
	bool		varies;		/* weights of events differ */
	uint64_t	waits;		/* that count */
	uint64_t	doubtful;	/* records are missing meanwhile */
	uint64_t	open;		/* without a recorded end, or when the trace ended */
	uint64_t	off_stacks, waker_stacks;	/* waits with such a stack */
	uint64_t	orphans;	/* stacks behind lost events: whose they are is not known */
	/* An interrupt may have come between an event and its stack, and flags are not recorded. */
	bool		unsure;
};

struct stacks_options {
	bool		of_events;	/* or else of waits */
	/* The file, range, CPUs and filters: of the events; of waits: CPUs left, and their ends. */
	struct event_sweep_options what;
	/* Which tasks' waits count; NULL: all. */
	bool		(*wants)(const void *arg, uint32_t pid, const char *comm);
	const void	*arg;
	enum grouping	 by;		/* waits: the outermost frame is the group of the task */
};

struct stacks;				/* opaque */

/* Has a file stacks of events?  Samples of perf are such. */
bool stacks_has_events(struct trace *trace, unsigned int file);

struct stacks *stacks_new(struct trace *trace, const struct stacks_options *options);
/*
 * As stacks_new(), for the next window of a trace that grows: what was before the window is not
 * read again, if @former had the same file and has counted all.  That stays the caller's; NULL for
 * the first window.
 */
struct stacks *stacks_next(const struct stacks *former, struct trace *trace,
			   const struct stacks_options *options);
void stacks_free(struct stacks *stacks);	/* stops the worker; NULL is allowed */

void stacks_wait(struct stacks *stacks);
/* Borrowed.  NULL until everything is counted; if there are too many tasks; if @stacks is NULL. */
const struct stacks_result *stacks_result(const struct stacks *stacks);
const struct sched_pass *stacks_pass(const struct stacks *stacks);	/* pass over waits */
#endif
