/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_TREE_PRIVATE_H
#define FTOP_SRC_CALL_TREE_PRIVATE_H
/*
 * call_tree_private - what the files of the call tree share.
 */
#include "src/calls/call_tree.h"

struct call_frame {			/* a call that is open */
	uint32_t	 call;
	uint32_t	 func;
	int32_t		 depth;
	uint64_t	 max_start;	/* of its timed children */
	/* Calls of the same function below it that were let go: they are the outermost if this one is never timed. */
	uint64_t	 late_duration, late_net;
};

struct call_gap {			/* a time off the CPU that no call has yet */
	uint64_t	 start, end;
	uint64_t	 woken;		/* when it was to run again; 0: not recorded */
	trace_ref	 wakeup;
	trace_ref	 away, back;
	uint16_t	 stream_away, stream_back;
};

struct call_task_state {
	struct call_task task;		/* what others see */
	uint64_t	 losses;	/* of the tree, at its last record */
	uint64_t	 lost_ts;	/* when something of it may have been lost last; 0 = never */
	struct call_frame *frames;	/* owned; [task.nr_open] */
	uint32_t	 cap_frames;
	bool		 inferred;	/* the open calls are */
	bool		 is_away;
	struct call_gap	 away;		/* that has not ended */
	struct call_gap	*gaps;		/* owned, in the order of their ends */
	uint32_t	 nr_gaps, cap_gaps;
	uint64_t	 max_gap_end;
	bool		 gaps_disordered;
};

struct call_recent {			/* the task a stream had last */
	int32_t		 pid;
	struct call_task_state *task;	/* NULL: none yet */
};

struct call_sums {			/* of what is below a call */
	uint64_t	 children;	/* its timed children */
	uint64_t	 away;		/* its own times off the CPU */
	uint64_t	 net[4];	/* by level: what calls of that level lose, see definitions of net */
	bool		 has_calls;
};

struct call_step {			/* of a walk: a call whose children are being gone over */
	uint32_t	 call;
	uint32_t	 next;		/* child */
	struct call_sums sums;
	bool		 outer;
};

struct call_tree {
	struct call_tree_options options;
	uint32_t	 max_calls;
	struct call	*calls;		/* owned, [nr_calls], 0 is unused */
	uint32_t	 nr_calls, cap_calls;
	uint32_t	 free_call;	/* chain by `before` */
	uint32_t	 nr_live;
	bool		 full;
	bool		 has_away;	/* a switch between tasks was seen */

	struct call_task_state **tasks;	/* owned, [nr_tasks] */
	unsigned int	 nr_tasks, cap_tasks;
	uint32_t	*task_slots;	/* owned, [task_slots_size]: 1 + number */
	uint32_t	 task_slots_size;
	struct call_recent *recent;	/* owned, [nr_recent] by stream */
	unsigned int	 nr_recent;
	uint64_t	 nr_gaps;	/* of all tasks */

	uint64_t	*functions;	/* owned, [nr_functions]: addresses */
	uint32_t	*active;	/* owned, [cap_functions]: how often it is on the way of a walk */
	uint32_t	 nr_functions, cap_functions;
	uint32_t	*function_slots; /* owned: 1 + number */
	uint32_t	 function_slots_size;

	uint64_t	 losses;	/* gaps so far */
	uint64_t	*stream_losses;	/* owned, [nr_recent]: number of the last one of each stream */
	uint64_t	*stream_lost_ts;

	struct call_step *steps;	/* owned: of the walk */
	uint32_t	 cap_steps;
	uint32_t	*above;		/* owned: calls that are open above it, or their functions */
	uint32_t	 cap_above;
};

/* call_tree.c */
uint32_t call_tree_alloc(struct call_tree *tree);	/* CALL_NONE: full */
void call_tree_release(struct call_tree *tree, uint32_t number);
uint32_t call_tree_function_number(struct call_tree *tree, uint64_t address);

static inline struct call *call_at(const struct call_tree *tree, uint32_t number)
{
	return &tree->calls[number];
}

/* Where the last child of a call, or the last root of a task, is kept. */
static inline uint32_t *call_last(const struct call_tree *tree, struct call_task_state *task, uint32_t parent)
{
	return parent ? &tree->calls[parent].last : &task->task.last_root;
}

/* call_pairing.c */
void call_pair_entry(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record);
void call_pair_exit(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record);
void call_pair_event(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record);
void call_pair_end(struct call_tree *tree, struct call_task_state *task);	/* all that is open is unclosed */

/* call_away.c */
void call_away_leave(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record);
void call_away_woken(struct call_task_state *task, const struct graph_record *record);
void call_away_return(struct call_tree *tree, struct call_task_state *task, const struct graph_record *record);
/* A call got its times: it takes what of the task's time off the CPU lies in it and was not taken. */
void call_away_take(struct call_tree *tree, struct call_task_state *task, uint32_t number);

/* call_figures.c */
/*
 * Show a finished call and all below it to the visitor, let them go, and add what it means for the call above to @sums.
 * @nr_above: how many of the task's open calls are above it.
 */
void call_finish(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above, uint32_t number,
		 struct call_sums *sums);
/* All roots of a task: nothing can become of them any more. */
void call_finish_roots(struct call_tree *tree, struct call_task_state *task);
/* A chain of siblings the other way round: from the first to the last one.  Return: the first. */
uint32_t call_reverse(struct call_tree *tree, uint32_t number);
/* A frame's call is never timed: what waited for that goes to the next one below, or to the visitor. */
void call_pass_late(struct call_tree *tree, struct call_task_state *task, const struct call_frame *frame);

/* call_fold.c */
void call_fold(struct call_tree *tree);		/* make room: finished calls below open ones become groups */
#endif
