/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_TREE_H
#define FTOP_SRC_CALLS_CALL_TREE_H
/*
 * call_tree - function_graph records of one buffer paired into calls, as a tree for each task (for
 * pid 0: for each CPU).  Records of the tracer `function` make calls that are never closed; if
 * their task has open calls of function_graph, they are ignored.
 *
 * Slices that a task wrote to trace_marker are calls with a name in place of a function.  A call is
 * in a slice if it begins and ends in it.  So the write() that begins a slice stands before it, and
 * the write() that ends it stands behind it.  A slice that begins and ends in one call was written
 * by the kernel, and is in that call.  Where events were lost, and at the end, open slices become
 * unclosed; an end without its begin is an event.
 *
 *   call_pairing.c   pairs entries with exits; adopts and moves calls
 *   call_away.c      times off the CPU: rows of the tree; and interrupts recorded as events
 *   call_figures.c   self and net of finished calls; which calls count in totals
 *   call_fold.c      finished calls of trees too large to be held, as sums
 *
 * It can keep everything that is added (to show a window of a trace), or pass each finished call
 * with its figures to a visitor and free it (for tables over the whole trace).
 *
 * Times are raw stamps.  Times of calls (ns of the local clock) are only compared with stamps of
 * records if the buffer has that clock.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/graph_records.h"

#define CALL_NONE	0u		/* numbers of calls begin with 1 */
#define CALL_FUNCTION_OTHERS 0u		/* number of all functions beyond the limit */

enum call_kind {
	CALL_OPEN,			/* its exit may still come */
	CALL_CLOSED,			/* entry and exit */
	CALL_ORPHAN,			/* an exit without an entry; its times are exact */
	CALL_UNCLOSED,			/* an entry without an exit */
	CALL_AWAY,			/* a time off the CPU */
	CALL_EVENT,			/* another event */
	CALL_GROUP,			/* sums of finished calls that were freed */
};

/* A node of the tree. */
struct call {
	uint64_t	 start, end;	/* raw: calltime, rettime; without an exit, the record's */
	union {
		struct {
			trace_ref	 entry, exit;	/* or TRACE_REF_NONE; AWAY: the
							   two switches; EVENT: entry */
			union {
				uint64_t	 entry_ts;	/* raw stamp of that record */
				uint64_t	 away_woken;	/* AWAY: when it became runnable;
								 * 0 = not recorded */
			};
			union {
				uint64_t	 exit_ts;	/* UNCLOSED: stamp of the record
								 * that shows its end; UINT64_MAX
								 * = none */
				trace_ref	 away_wakeup;	/* AWAY: the wakeup's record, or
								 * TRACE_REF_NONE */
			};
		};
		uint64_t	 group_net[4];		/* GROUP: amount subtracted from the net
							 * time of calls above, by level */
	};
	union {
		uint64_t	 self;	/* timed call: its self time, after call_tree_figures() */
		uint64_t	 calls;	/* inferred call: the number of calls it stands for */
	};
	uint64_t	 net;		/* like self */
	uint32_t	 parent;	/* number, or CALL_NONE */
	uint32_t	 last;		/* its last child */
	uint32_t	 before;	/* the sibling before it */
	uint32_t	 func;		/* function number: see call_tree_function() */
	int32_t		 depth;
	uint32_t	 overlap;	/* slice: so many ns of it are also in calls beside it */
	uint16_t	 stream_in, stream_out;	/* streams of entry and exit */
	uint8_t		 kind;		/* enum call_kind */
	uint8_t		 level;		/* enum graph_level */
	bool		 doubtful;	/* timed: something in it may be missing, so self and net
					 * are unknown, and 0; the duration is exact */
	bool		 wanted;	/* it is in the scope */
	bool		 gap_cut;	/* its time off the CPU is subtracted (nosleep-time), */
	bool		 sure_cut;		/* and is surely that: call_gap_cut() */
	bool		 inferred;	/* UNCLOSED, OPEN: see call_guess.h */
	bool		 lone;		/* ORPHAN: no entries were recorded: see graph_records.h */
	uint8_t		 inside : 2;	/* it is in an interrupt that the call above took: enum
					 * graph_level, or 0 */
	uint8_t		 has_irqs : 1;	/* it took interrupts: call_tree.irqs */
	uint8_t		 net_unsure : 3; /* bits of levels: an interrupt directly in it, that
					 * takes net time from them, is not recorded */
	uint8_t		 no_net : 1;	/* timed: net is unknown, and 0, for such a one in it */
	bool		 slice;		/* it is a slice of trace_marker: CLOSED, UNCLOSED, OPEN;
					 * depth -1 if it is around the calls of the kernel */
};

static inline bool call_is_timed(const struct call *call)
{
	return call->kind == CALL_CLOSED || call->kind == CALL_ORPHAN;
}

/* Its entry is missing, though others were recorded. */
static inline bool call_lost_entry(const struct call *call)
{
	return call->kind == CALL_ORPHAN && !call->lone;
}

/* Is its net time known, where time off the CPU is? */
static inline bool call_has_net(const struct call *call)
{
	return call_is_timed(call) && !call->doubtful && !call->no_net;
}

/* Is it a call, and not another kind of row? */
static inline bool call_is_call(const struct call *call)
{
	return call->kind <= CALL_UNCLOSED;
}

static inline uint64_t call_duration(const struct call *call)
{
	return call->end > call->start ? call->end - call->start : 0;
}

/*
 * Where calls have the clock of the buffer: so much time off the CPU is left out of the duration
 * (nosleep-time), since its calltime was moved on; 0: none that can be told.
 */
static inline uint64_t call_gap_cut(const struct call *call)
{
	return call->sure_cut && !call->doubtful ? call->start - call->entry_ts : 0;
}

struct call_figures {
	uint64_t	 duration, self, net;
	bool		 leaf;		/* without calls below it */
	bool		 outer;		/* without a timed call of the same function above it */
	bool		 doubtful;	/* self and net are unknown, and 0 */
	bool		 no_net;	/* net is */
};

struct call_tree;			/* opaque */
struct call_task;

/* Receives finished calls, children before their parents. */
struct call_visitor {
	/*
	 * Replaces all functions below: receives a finished call with everything in it and with
	 * figures; it is freed afterwards.  @above: the open calls above it, outermost first.
	 * GROUPs in it were shown before.
	 */
	void	(*subtree)(void *arg, const struct call_tree *tree, const struct call_task *task,
			   const uint32_t *above,
			   unsigned int nr_above, uint32_t number);
	/* The next calls are of this task; may be NULL. */
	void	(*task)(void *arg, const struct call_task *task);
	/* The next calls are below these open ones (functions, outermost first); may be NULL. */
	void	(*begin)(void *arg, const uint32_t *funcs, unsigned int nr);
	/* Before its children; may be NULL. */
	void	(*enter)(void *arg, const struct call *call);
	bool	in_order;	/* the children of a call are entered one after the other in time,
				 * not the last one first */
	/*
	 * @figures: of a timed call; zero for others.  The calls in a GROUP were shown before.
	 * May be NULL.
	 */
	void	(*leave)(void *arg, const struct call *call, const struct call_figures *figures);
	/* Calls shown with outer false, because that was unknown yet, are outer.  Or NULL. */
	void	(*late_outer)(void *arg, uint32_t func, uint64_t duration, uint64_t net);
	void	*arg;
};

struct call_tree_options {
	bool		 local_clock;	/* graph_clock_is_local(): there are times off the CPU */
	bool		 either;	/* a call is also wanted if its entry is */
	uint32_t	 max_calls;	/* nodes held at a time; 0 = a default of about 40 MB */
	const struct call_visitor *visitor; /* NULL: keep everything */
};

/* options are copied, the visitor is borrowed */
struct call_tree *call_tree_new(const struct call_tree_options *options);
void call_tree_free(struct call_tree *tree);	/* NULL is allowed */

/* A new tree goes on where another one is: with a copy of all that it holds. */
void call_tree_follow(struct call_tree *tree, const struct call_tree *from);

/* Add the next record in order. */
void call_tree_add(struct call_tree *tree, const struct graph_record *record);

/* After the last record: open calls become unclosed, and the visitor receives the rest. */
void call_tree_end(struct call_tree *tree);

/* Was there a switch between tasks, so that times off the CPU are known, and net exists? */
bool call_tree_has_away(const struct call_tree *tree);
/* Was an interrupt recorded, as calls or as events?  Else net time contains them. */
bool call_tree_has_irqs(const struct call_tree *tree);
/* There was a switch: another tree of the buffer has seen it. */
void call_tree_set_away(struct call_tree *tree);

/* Without a visitor: has the limit of nodes been reached?  Further records are ignored. */
bool call_tree_is_full(const struct call_tree *tree);
uint32_t call_tree_nr(const struct call_tree *tree);	/* nodes held */
uint32_t call_tree_limit(const struct call_tree *tree);	/* greater than all numbers of calls */

/* --- functions -------------------------------------------------------------------- */
/* address of a function */
uint64_t call_tree_function(const struct call_tree *tree, uint32_t number);

/* --- what is kept ------------------------------------------------------------------ */
struct call_task {			/* a task and its tree */
	int32_t		 pid;
	uint16_t	 stream;	/* for pid 0; for others, of the last record */
	uint32_t	 last_root;	/* or CALL_NONE */
	int64_t		 first_key;	/* key of its first entry or exit */
	uint64_t	 records;	/* entries and exits */
	uint32_t	 nr_open;	/* calls whose exit may come */
};

unsigned int call_tree_nr_tasks(const struct call_tree *tree);
/* @i: index below their number, in order of appearance.  Borrowed until the tree is freed. */
const struct call_task *call_tree_task(const struct call_tree *tree, unsigned int i);
/* @number: of a node that exists.  Borrowed until the next record is added. */
const struct call *call_tree_call(const struct call_tree *tree, uint32_t number);
unsigned int call_tree_above(const struct call_tree *tree, const struct call *call);	/* calls */

/*
 * Is it of an interrupt that hit its task?  A softirq that a call of the task itself ran, as
 * local_bh_enable() does and ksoftirqd, is not.
 */
bool call_tree_interrupts(const struct call_tree *tree, const struct call *call);

/* Children of a call in order; CALL_NONE: a task's roots.  Return: how many; *numbers grows. */
unsigned int call_tree_children(const struct call_tree *tree, const struct call_task *task,
				uint32_t number, uint32_t **numbers, unsigned int *cap);

/* Compute self and net of all calls so far. */
void call_tree_figures(struct call_tree *tree);
#endif
