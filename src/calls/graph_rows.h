/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_GRAPH_ROWS_H
#define FTOP_SRC_CALLS_GRAPH_ROWS_H
/*
 * graph_rows - the rows of call trees on a screen: folded calls, siblings of one function grouped
 * in a row, filtered calls.
 *
 *   a() {                     open
 *     b();                    nothing in it
 *     c() ×3                  siblings; open: the longest first, or in order of time
 *     d() { 2 calls }         closed
 *   }
 *
 * Events outside of all calls have no rows.  Whether a call is open is stored by its record, so it
 * outlives the tree.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/calls/call_tree.h"
#include "src/trace/trace.h"

enum graph_row_kind {
	GRAPH_ROW_CALL,
	GRAPH_ROW_GROUP,		/* siblings of one function */
	GRAPH_ROW_END,			/* the closing brace of an open call */
	GRAPH_ROW_AWAY,
	GRAPH_ROW_EVENT,
};

struct graph_row {
	uint32_t	 call;		/* CALL: its number; GROUP: that of the first sibling */
	uint32_t	 nr;		/* GROUP: number of calls, and their place in `members`,
					 * the longest first */
	uint32_t	 members;
	uint32_t	 task;		/* number of its task in the tree */
	uint32_t	 level;		/* how deep in the tree, from 0 */
	uint8_t		 kind;		/* enum graph_row_kind */
	bool		 open;		/* CALL, GROUP: the rows inside follow */
	bool		 by_time;	/* GROUP: open, in order of time */
	bool		 full;		/* CALL: it contains something */
	bool		 dimmed;	/* the filter does not keep it */
};

/* Opened siblings are sorted by duration; revealed ones by time. */
enum graph_open { GRAPH_CLOSED, GRAPH_OPEN, GRAPH_OPEN_BY_TIME };

struct graph_roots {			/* selects trees */
	bool		 by_cpu;	/* outermost calls that began on a CPU, not of a task */
	int		 cpu;		/* the CPU, if by_cpu or for pid 0 */
	int32_t		 pid;
	const int	*stream_cpus;	/* [streams] */
};

struct graph_fold {			/* a call, or siblings of a function, that differs from
					 * its level's default */
	trace_ref	 key;		/* the call; for siblings, their parent */
	uint64_t	 group;		/* 0 = a call; else the function's address | 1 */
	uint8_t		 open;		/* enum graph_open */
};

#define GRAPH_LEVELS_ALL UINT32_MAX

struct graph_rows {
	struct graph_row *rows;		/* owned, [nr] */
	unsigned int	 nr, cap;
	uint32_t	*members;	/* owned, [nr_members]: calls in groups */
	uint32_t	 nr_members, cap_members;
	uint32_t	 levels;	/* calls at lower levels are open by default */
	struct graph_fold *folds;	/* owned, [nr_folds] */
	uint32_t	 nr_folds, cap_folds;
	struct index_map fold_map;	/* by key and group */
	bool		 bare;		/* set by the user of graph_rows: calls inside a kept
					 * call are only shown if kept themselves */
	uint8_t		*kept;		/* owned, by call: the filter keeps it, or one inside */
	uint32_t	 cap_kept;
};

void graph_rows_init(struct graph_rows *rows);
void graph_rows_fini(struct graph_rows *rows);

/**
 * graph_rows_build() - make the rows of a tree
 * @filtered: only calls that are `wanted`, those above them, and (unless rows->bare) everything
 *        inside
 * @dim:      show the others, too, but dimmed
 */
void graph_rows_build(struct graph_rows *rows, const struct call_tree *tree,
		      const struct graph_roots *roots, bool filtered, bool dim);

/* Identifies a call: its first record. */
static inline trace_ref call_key(const struct call *call)
{
	return call->entry != TRACE_REF_NONE ? call->entry : call->exit;
}

/* Open or close a call, or siblings. */
void graph_rows_fold(struct graph_rows *rows, const struct call_tree *tree,
		     const struct graph_row *row, bool open);
void graph_rows_forget(struct graph_rows *rows, uint32_t levels);	/* levels decide */
/* Takes one of `folds` of another time. */
void graph_rows_take_fold(struct graph_rows *rows, const struct graph_fold *fold);

/* Open all around a call, so that it has a row, siblings in order of time; then build again. */
void graph_rows_reveal(struct graph_rows *rows, const struct call_tree *tree, uint32_t call);

/* The row of a call; if it has none, of the closed row that contains it; -1: there is none. */
int graph_rows_find(const struct graph_rows *rows, const struct call_tree *tree, uint32_t call);
#endif
