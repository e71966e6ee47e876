/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_GRAPH_ROWS_H
#define FTOP_SRC_GRAPH_ROWS_H
/*
 * graph_rows - the rows that trees of calls have on a screen: what is folded, siblings
 * of one function in one row, what a filter leaves.
 *
 *   a() {                     open
 *     b();                    nothing in it
 *     c() ×3                  siblings; open: the longest first, or as they came
 *     d() { 2 calls }         closed
 *   }
 *
 * Events outside of all calls have no rows.  Which calls are open is remembered by their records, so it outlives the tree.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/trace/trace.h"

enum graph_row_kind {
	GRAPH_ROW_CALL,
	GRAPH_ROW_GROUP,		/* siblings of one function */
	GRAPH_ROW_END,			/* the brace behind an open call */
	GRAPH_ROW_AWAY,
	GRAPH_ROW_EVENT,
};

struct graph_row {
	uint32_t	 call;		/* its number; GROUP: of the first sibling */
	uint32_t	 nr;		/* GROUP: how many, and where in `members`: the longest first */
	uint32_t	 members;
	uint32_t	 task;		/* number of its task in the tree */
	uint32_t	 level;		/* of the tree, 0.. */
	uint8_t		 kind;		/* enum graph_row_kind */
	bool		 open;		/* CALL, GROUP: rows of what is in it follow */
	bool		 by_time;	/* GROUP: open, in the order in which they came */
	bool		 full;		/* CALL: there is something in it */
	bool		 dimmed;	/* the filter does not keep it */
};

/* Siblings that were opened stand the longest first; those that were revealed as they came. */
enum graph_open { GRAPH_CLOSED, GRAPH_OPEN, GRAPH_OPEN_BY_TIME };

struct graph_roots {			/* which trees */
	bool		 by_cpu;	/* outermost calls that began on a CPU; else those of one task */
	int		 cpu;		/* by_cpu; of pid 0 */
	int32_t		 pid;
	const int	*stream_cpus;	/* [streams] */
};

struct graph_fold {			/* a call, or siblings of a function, that are not as their level says */
	trace_ref	 key;		/* of the call; of the siblings' parent */
	uint64_t	 group;		/* 0: a call; else the address of the function, the lowest bit set */
	uint8_t		 open;		/* enum graph_open */
};

#define GRAPH_LEVELS_ALL UINT32_MAX

struct graph_rows {
	struct graph_row *rows;		/* owned, [nr] */
	unsigned int	 nr, cap;
	uint32_t	*members;	/* owned, [nr_members]: calls in groups */
	uint32_t	 nr_members, cap_members;
	uint32_t	 levels;	/* calls at levels below are open */
	struct graph_fold *folds;	/* owned, [slots]: a hash table */
	uint32_t	 nr_folds, slots;
	bool		 bare;		/* set by who uses it: what is in calls that the filter keeps is shown only if kept itself */
	uint8_t		*kept;		/* owned, by number of a call: the filter keeps it, or something in it */
	uint32_t	 cap_kept;
};

void graph_rows_init(struct graph_rows *rows);
void graph_rows_fini(struct graph_rows *rows);

/**
 * graph_rows_build() - the rows of a tree
 * @filtered: only calls that are `wanted`, those above them, and (but for rows->bare) what is in them
 * @dim:      the others, too, but marked
 */
void graph_rows_build(struct graph_rows *rows, const struct call_tree *tree, const struct graph_roots *roots, bool filtered,
		      bool dim);

/* What a call is remembered by: its first record. */
static inline trace_ref call_key(const struct call *call)
{
	return call->entry != TRACE_REF_NONE ? call->entry : call->exit;
}

/* Open or close the row of a call, or of siblings. */
void graph_rows_fold(struct graph_rows *rows, const struct call_tree *tree, const struct graph_row *row, bool open);
void graph_rows_forget(struct graph_rows *rows, uint32_t levels);	/* all as their levels say */

/* Open what a call stands in, so that it has a row of its own, among siblings as they came; build again. */
void graph_rows_reveal(struct graph_rows *rows, const struct call_tree *tree, uint32_t call);

/* The row of a call; where it has none that of what it is folded in; -1: it is not there. */
int graph_rows_find(const struct graph_rows *rows, const struct call_tree *tree, uint32_t call);
#endif
