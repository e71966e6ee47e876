/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTION_TABLE_H
#define FTOP_SRC_FUNCTION_TABLE_H
/*
 * function_table - the calls of a trace by function: how many, how long, how much of
 * that by themselves.  Over everything, without holding the calls.
 *
 * Each buffer is taken by itself, and the rows are added up.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_paths.h"
#include "src/calls/call_team.h"
#include "src/calls/call_totals.h"
#include "src/trace/trace.h"

#define FUNCTION_BINS	12u		/* of a histogram: half a decade each, the first up to 3.162 µs, the last from 316 ms on */

struct function_row {
	const char	*name;		/* as the kernel prints it: "ext4_map_blocks [ext4]", "0xffffffff81000000" */
	struct call_total *total;	/* borrowed */
	uint64_t	 average;	/* of calls, in ns; 0 without calls, as all below */
	uint64_t	 p50, p95, p99;
	uint64_t	 deviation;	/* standard deviation */
	uint64_t	 histogram[FUNCTION_BINS];	/* durations in each */
};

struct function_table {
	struct function_row *rows;	/* owned, [nr]; by total time, the largest first */
	unsigned int	 nr;
	bool		 exact;		/* percentiles are; else they have 3 digits or so */
	bool		 has_away;	/* times off the CPU are known: self and net are without them */
	bool		 inferred;	/* all calls are of the tracer `function`, and have no times */
	uint64_t	 left_out;	/* records of the tracer `function`, where there are some of function_graph: in no row */
	bool		 whole;		/* it was not stopped */
	uint64_t	 damaged;	/* sub-buffers that could not be read to their ends */
	struct call_totals *totals;	/* owned */
	struct call_paths *paths;	/* owned; NULL: not asked for */
	struct arena	 names;
};

/**
 * function_table_new() - count the calls of a file
 * @scope: which of them; NULL = all
 * @paths: by the way they were reached, too
 * @watch: of the time it takes; may be NULL
 *
 * Return: the table, empty where the file has no function_graph records; for function_table_free().
 */
struct function_table *function_table_new(struct trace *trace, unsigned int file, const struct graph_scope *scope,
					  bool paths, const struct call_team_watch *watch);
void function_table_free(struct function_table *table);	/* NULL is allowed */

/* The name of a function as the kernel's %ps has it, appended. */
void function_name(struct trace *trace, unsigned int file, uint64_t address, struct text *out);
#endif
