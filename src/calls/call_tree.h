/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_TREE_H
#define FTOP_SRC_CALL_TREE_H
/*
 * call_tree - function_graph records of one buffer paired into calls, as a tree for
 * each task (for pid 0: for each CPU).  Records of the tracer `function` make calls that
 * are never closed; those of a task in whose calls of function_graph they come are left out.
 *
 *   call_pairing.c   entries and exits: which is closed, an orphan, unclosed; adopting and moving
 *   call_away.c      times off the CPU: rows of the tree
 *   call_figures.c   self and net of finished calls; who counts for totals
 *   call_fold.c      finished calls of trees too large to be held, as sums
 *
 * Two ways to use it: keep everything that is added (a window of a trace, to be shown),
 * or have a visitor see each call once and for all, with its figures, and let it go
 * (tables over everything).
 *
 * Times are raw stamps: ns of the local clock where one of a call and one of a record
 * are compared, which is done only if the buffer has that clock.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/graph_records.h"

#define CALL_NONE	0u		/* numbers of calls begin with 1 */
#define CALL_FUNCTION_OTHERS 0u		/* function number of those beyond the number that are told apart */

enum call_kind {
	CALL_OPEN,			/* its exit may come */
	CALL_CLOSED,			/* entry and exit */
	CALL_ORPHAN,			/* an exit without an entry; its times are exact */
	CALL_UNCLOSED,			/* an entry without an exit */
	CALL_AWAY,			/* a time off the CPU */
	CALL_EVENT,			/* another event */
	CALL_GROUP,			/* finished calls that were let go: their sums */
};

/* A node of the tree. */
struct call {
	uint64_t	 start, end;	/* raw; of calls with an exit: calltime, rettime; else of the record */
	union {
		struct {
			trace_ref	 entry, exit;	/* or TRACE_REF_NONE; AWAY: the two switches; EVENT: entry */
			union {
				uint64_t	 entry_ts;	/* raw stamp of that record */
				uint64_t	 away_woken;	/* AWAY: when it was to run again; 0: not recorded */
			};
			union {
				uint64_t	 exit_ts;	/* UNCLOSED: of the record that showed that it had ended; UINT64_MAX: none did */
				trace_ref	 away_wakeup;	/* AWAY: the record that says so, or TRACE_REF_NONE */
			};
		};
		uint64_t	 group_net[4];		/* GROUP: what it takes from the net time of calls above, by level */
	};
	union {
		uint64_t	 self;	/* of a timed one, once call_figures() was there */
		uint64_t	 calls;	/* of an inferred one: it stands for so many */
	};
	uint64_t	 net;		/* of a timed one, too */
	uint32_t	 parent;	/* number, or CALL_NONE */
	uint32_t	 last;		/* its last child */
	uint32_t	 before;	/* the sibling before it */
	uint32_t	 func;		/* number: call_tree_function() */
	int32_t		 depth;
	uint16_t	 stream_in, stream_out;	/* of entry and exit */
	uint8_t		 kind;		/* enum call_kind */
	uint8_t		 level;		/* enum graph_level */
	bool		 clipped;	/* events were lost while it ran */
	bool		 wanted;	/* it is in the scope */
	bool		 gap_cut;	/* its time off the CPU is taken off already (nosleep-time) */
	bool		 inferred;	/* UNCLOSED, OPEN: where it stands is worked out from who called it (call_guess.h) */
};

static inline bool call_is_timed(const struct call *call)
{
	return call->kind == CALL_CLOSED || call->kind == CALL_ORPHAN;
}

/* A call at all, not another row of the tree. */
static inline bool call_is_call(const struct call *call)
{
	return call->kind <= CALL_UNCLOSED;
}

static inline uint64_t call_duration(const struct call *call)
{
	return call->end > call->start ? call->end - call->start : 0;
}

struct call_figures {
	uint64_t	 duration, self, net;
	bool		 leaf;		/* no call below it */
	bool		 outer;		/* no timed call of the same function above it */
};

struct call_tree;			/* opaque */
struct call_task;

/* Sees finished calls, children before their parents. */
struct call_visitor {
	/*
	 * Instead of all below: a finished call with everything in it, whose figures are known; it is let go behind that.
	 * @above: the calls that are open above it, the outermost first.  GROUPs among what is in it were shown before.
	 */
	void	(*subtree)(void *arg, const struct call_tree *tree, const struct call_task *task, const uint32_t *above,
			   unsigned int nr_above, uint32_t number);
	/* Calls of this task come; may be NULL. */
	void	(*task)(void *arg, const struct call_task *task);
	/* Calls come that are below these open ones (functions, the outermost first); may be NULL. */
	void	(*begin)(void *arg, const uint32_t *funcs, unsigned int nr);
	/* Before its children; may be NULL. */
	void	(*enter)(void *arg, const struct call *call);
	/* @figures: of a timed call; of others zero.  What is in a GROUP was seen before. */
	void	(*leave)(void *arg, const struct call *call, const struct call_figures *figures);
	/* Of calls that were seen with outer false, as nobody knew yet: they are.  May be NULL. */
	void	(*late_outer)(void *arg, uint32_t func, uint64_t duration, uint64_t net);
	void	*arg;
};

struct call_tree_options {
	bool		 local_clock;	/* graph_clock_is_local(): else there are no times off the CPU */
	bool		 either;	/* a call is wanted if its entry is, too */
	uint32_t	 max_calls;	/* nodes held at a time; 0 = a default of about 40 MB */
	const struct call_visitor *visitor; /* NULL: keep everything */
};

struct call_tree *call_tree_new(const struct call_tree_options *options);	/* options are copied, the visitor is borrowed */
void call_tree_free(struct call_tree *tree);	/* NULL is allowed */

/* The next record in the order. */
void call_tree_add(struct call_tree *tree, const struct graph_record *record);

/* No more records come: what is open is unclosed, and the visitor sees the rest. */
void call_tree_end(struct call_tree *tree);

/* Was a switch between tasks seen, so that times off the CPU are known? */
bool call_tree_has_away(const struct call_tree *tree);

/* Without a visitor: are there as many nodes as may be?  Further records are ignored. */
bool call_tree_is_full(const struct call_tree *tree);
uint32_t call_tree_nr(const struct call_tree *tree);	/* nodes held */
uint32_t call_tree_limit(const struct call_tree *tree);	/* above all numbers of calls */

/* --- functions -------------------------------------------------------------------- */
uint32_t call_tree_nr_functions(const struct call_tree *tree);
uint64_t call_tree_function(const struct call_tree *tree, uint32_t number);	/* its address */

/* --- what is kept ------------------------------------------------------------------ */
struct call_task {			/* a tree */
	int32_t		 pid;
	uint16_t	 stream;	/* of pid 0; else of the last record */
	uint32_t	 last_root;	/* or CALL_NONE */
	int64_t		 first_key;	/* of its first entry or exit */
	uint64_t	 records;	/* entries and exits */
	uint32_t	 nr_open;	/* calls whose exit may come */
};

unsigned int call_tree_nr_tasks(const struct call_tree *tree);
/* @i: below their number, in the order they were met.  Borrowed until the tree is freed. */
const struct call_task *call_tree_task(const struct call_tree *tree, unsigned int i);
/* @number: of a call that is held.  Borrowed until the next record is added. */
const struct call *call_tree_call(const struct call_tree *tree, uint32_t number);

/* Children of a call in their order; of CALL_NONE: the roots of a task.  Return: how many; *numbers grows as needed. */
unsigned int call_tree_children(const struct call_tree *tree, const struct call_task *task, uint32_t number,
				uint32_t **numbers, unsigned int *cap);

/* Work out self and net of all calls kept so far. */
void call_tree_figures(struct call_tree *tree);
#endif
