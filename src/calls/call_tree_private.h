/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_TREE_PRIVATE_H
#define FTOP_SRC_CALLS_CALL_TREE_PRIVATE_H
/* call_tree_private - shared by the files of the call tree. */
#include "src/base/index_map.h"
#include "src/calls/call_tree.h"

struct call_frame {			/* an open call */
	uint32_t	 call;
	uint32_t	 func;
	int32_t		 depth;
	uint64_t	 max_start;	/* latest start among its timed children */
	uint64_t	 gap_end;	/* of its CPU's last gap before its entry, raw */
	/*
	 * Figures of freed calls of the same function inside it.  Those calls become outermost if
	 * this one is never timed.
	 */
	uint64_t	 late_duration, late_net;
};

struct call_gap {			/* what no call has taken yet: a time off the CPU, an
					 * interrupt, or, without a length, proof of one */
	uint64_t	 start, end;
	uint64_t	 woken;		/* when it became runnable; 0 = not recorded */
	trace_ref	 wakeup;
	trace_ref	 away, back;
	uint16_t	 stream_away, stream_back;
};

struct call_gaps {
	struct call_gap	*list;		/* owned, [nr], ordered by end */
	uint32_t	 nr, cap;
	uint64_t	 max_end;
	bool		 disordered;
};

struct call_irqs {			/* time that interrupts take from calls of a level */
	uint64_t	 net[GRAPH_HARDIRQ];
};

struct call_task_state {
	struct call_task task;		/* what others see */
	uint64_t	 losses;	/* the tree's losses at its last entry or exit, */
	uint64_t	 graph_ts;	/* its raw stamp, */
	uint16_t	 graph_stream;	/* and its stream */
	struct call_frame *frames;	/* owned; [task.nr_open] */
	uint32_t	 cap_frames;
	uint32_t	 nr_slices;	/* the first frames are slices, */
	struct graph_record *waiting;	/* owned, [nr_waiting]: begin when all calls are closed */
	uint32_t	 nr_waiting, cap_waiting;
	bool		 inferred;	/* its open calls are inferred */
	bool		 is_away;
	bool		 switched;	/* a switch to it or from it was recorded, */
	bool		 left;		/* and since its last entry or exit, one from it */
	struct call_gap	 away;		/* a time off the CPU that has not ended */
	struct call_gaps gaps[GRAPH_NMI + 1]; /* by level; TASK: times off the CPU */
	uint32_t	 nr_gaps;	/* in all of them, */
	uint64_t	 gaps_end;	/* and none ends later; raw */
	uint64_t	 irq_began[GRAPH_NMI + 1]; /* interrupts that are open; 0 = none */
};

struct call_stream {
	int32_t		 pid;		/* pid of its last task */
	struct call_task_state *task;	/* NULL = none yet */
	uint64_t	 gap_start, gap_end;	/* its last gap, raw; 0 = none */
	uint64_t	 former_end;	/* end of the gaps that began before that one */
};

struct call_sums {			/* sums below a call */
	uint64_t	 children;	/* duration of its timed children */
	uint64_t	 away;		/* its own times off the CPU */
	uint64_t	 net[4];	/* what calls of that level lose, see call_figures.c */
	unsigned int	 net_unsure;	/* bits of levels: they lose something unknown, too */
	bool		 has_calls;
};

struct call_step {			/* a walk's step: a call whose children are visited */
	uint32_t	 call;
	uint32_t	 next;		/* next child */
	struct call_sums sums;
	bool		 outer;
};

struct call_tree {
	struct call_tree_options options;
	uint32_t	 max_calls;
	struct call	*calls;		/* owned, [nr_calls]; 0 is unused */
	uint32_t	 nr_calls, cap_calls;
	struct call_irqs *irqs;		/* owned, [nr_irqs], by number; of calls with has_irqs */
	uint32_t	 nr_irqs;
	uint32_t	 free_call;	/* free list, linked by `before` */
	uint32_t	 nr_live;
	bool		 full;
	bool		 has_away;	/* there was a switch between tasks, */
	bool		 has_irqs;	/* an interrupt, by its events, */
	uint8_t		 levels;	/* calls of these levels, or-ed */

	struct call_task_state **tasks;	/* owned, [nr_tasks] */
	unsigned int	 nr_tasks, cap_tasks;
	struct index_map task_map;	/* by trace_task_key() */
	struct call_stream *streams;	/* owned, [nr_streams] at least */
	unsigned int	 nr_streams;
	uint64_t	 nr_gaps;	/* gaps of all tasks */

	uint64_t	*functions;	/* owned, [nr_functions]: addresses */
	uint32_t	*active;	/* owned, [cap_functions]: times on the walk's way */
	uint32_t	 nr_functions, cap_functions;
	struct index_map function_map;	/* by address */

	uint64_t	 losses;	/* gaps so far, */
	uint64_t	 gaps_end;	/* and the last end of one, raw */

	struct call_step *steps;	/* owned: for the walk */
	uint32_t	 cap_steps;
	uint32_t	*above;		/* owned: the open calls above it, or their functions */
	uint32_t	 cap_above;
};

/* call_tree.c */
uint32_t call_tree_alloc(struct call_tree *tree);	/* CALL_NONE: full */
void call_tree_release(struct call_tree *tree, uint32_t number);
uint32_t call_tree_function_number(struct call_tree *tree, uint64_t address);
/* May events of the call that an exit ends be lost, on any CPU? */
bool call_tree_has_gap(const struct call_tree *tree, const struct graph_record *exit);

static inline struct call *call_at(const struct call_tree *tree, uint32_t number)
{
	return &tree->calls[number];
}

/* Where the last child of a call, or the last root of a task, is stored. */
static inline uint32_t *call_last(const struct call_tree *tree, struct call_task_state *task,
				  uint32_t parent)
{
	return parent ? &tree->calls[parent].last : &task->task.last_root;
}

/* call_pairing.c */
void call_pair_entry(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record);
void call_pair_exit(struct call_tree *tree, struct call_task_state *task,
		    const struct graph_record *record);
void call_pair_slice(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record);
void call_pair_slice_end(struct call_tree *tree, struct call_task_state *task,
			 const struct graph_record *record);
/* Events were lost before @ts (raw): all slices become unclosed. */
void call_pair_lost(struct call_tree *tree, struct call_task_state *task, uint64_t ts);
void call_pair_event(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record);
/* all open calls become unclosed */
void call_pair_end(struct call_tree *tree, struct call_task_state *task);

/* call_away.c */
void call_away_leave(struct call_tree *tree, struct call_task_state *task,
		     const struct graph_record *record);
void call_away_woken(struct call_task_state *task, const struct graph_record *record);
void call_away_return(struct call_tree *tree, struct call_task_state *task,
		      const struct graph_record *record);
/* May the task have been off the CPU after @ts (raw)?  True if its switches are not recorded. */
bool call_away_since(const struct call_task_state *task, uint64_t ts);
/* An interrupt begins or ends, or a record was made in one. */
void call_away_irq(struct call_tree *tree, struct call_task_state *task,
		   const struct graph_record *record);
/* Give each open call the interrupts since its entry; only those in open interrupts are kept. */
void call_away_settle(struct call_tree *tree, struct call_task_state *task);
/* Give a call with known times the task's gaps inside it that no call has taken. */
void call_away_take_some(struct call_tree *tree, struct call_task_state *task, uint32_t number);

static inline void call_away_take(struct call_tree *tree, struct call_task_state *task,
				  uint32_t number)
{
	const struct call *call = call_at(tree, number);

	if (__builtin_expect(task->nr_gaps != 0, 0) &&
	    task->gaps_end >= (call->gap_cut ? call->entry_ts : call->start))
		call_away_take_some(tree, task, number);
}

/* call_figures.c */
/*
 * Show a finished call and everything below it to the visitor, free them, and add to @sums what the
 * call above needs.  @nr_above: number of the task's open calls above it.
 */
void call_finish(struct call_tree *tree, struct call_task_state *task, uint32_t nr_above,
		 uint32_t number, struct call_sums *sums);
/* Finish all roots of a task: nothing can change them any more. */
void call_finish_roots(struct call_tree *tree, struct call_task_state *task);
/* Reverse a chain of siblings.  Return: the first. */
uint32_t call_reverse(struct call_tree *tree, uint32_t number);
/* A frame's call is never timed: its late sums go to the function's next frame, or visitor. */
void call_pass_late(struct call_tree *tree, struct call_task_state *task,
		    const struct call_frame *frame);

/* call_fold.c */
void call_fold(struct call_tree *tree); /* make room: finished calls below
						   open ones become groups */
#endif
