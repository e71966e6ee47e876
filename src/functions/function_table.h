/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FUNCTION_TABLE_H
#define FTOP_SRC_FUNCTIONS_FUNCTION_TABLE_H
/*
 * function_table - the calls of a trace by function: number, duration, self and net time.  Covers
 * the whole trace without storing the calls.
 *
 * Each buffer is counted separately, and the rows are added up.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/diff/diff.h"
#include "src/functions/call_paths.h"
#include "src/functions/call_team.h"
#include "src/functions/call_totals.h"
#include "src/trace/groupings.h"
#include "src/trace/trace.h"

/* Bins of a histogram: half a decade each, the first up to 3.162 µs, the last from 316 ms on. */
#define FUNCTION_BINS 12u

#define FUNCTION_TREE_CALLS	400000u	/* nodes of all call trees together */

struct function_row {
	const char	*name;		/* as the kernel prints it: "ext4_map_blocks
					   [ext4]", "0xffffffff81000000" */
	const char	*group;		/* "" without groups */
	struct call_total *total;	/* borrowed */
	uint64_t	 average;	/* average call, in ns; like the next four 0 without
					 * calls */
	uint64_t	 p50, p95, p99;
	uint64_t	 deviation;	/* standard deviation */
	uint64_t	 histogram[FUNCTION_BINS];	/* durations in each */
};

struct function_table {
	struct function_row *rows;	/* owned, [nr]; sorted by total time, descending */
	unsigned int	 nr;
	bool		 exact;		/* exact percentiles; else they have about 3 digits */
	bool		 has_away;	/* times off the CPU are known: net exists; */
	bool		 has_irqs;	/* so are interrupts: it does not contain them */
	bool		 inferred;	/* all calls are of the tracer `function`, without times */
	uint64_t	 left_out;	/* records of the tracer `function` that were not
					 * counted, because there are calls of function_graph */
	bool		 whole;		/* it was not stopped */
	uint64_t	 damaged;	/* sub-buffers that could not be read completely */
	struct call_totals *totals;	/* owned */
	struct call_totals *buffer;	/* owned: of a buffer that has begun; NULL: none has */
	struct call_paths *paths;	/* owned; NULL = not requested */
	struct function_groups *groups;	/* owned; NULL: all tasks together */
	struct arena	 names;
};

/**
 * function_table_new() - count the calls of a file
 * @scope: selects calls; NULL = all
 * @paths: also count by call path
 * @watch: reports progress; may be NULL
 *
 * Return: the table, for function_table_free(); empty if the file has no function_graph records.
 */
struct function_table *function_table_new(struct trace *trace, unsigned int file,
					  const struct graph_scope *scope, bool paths,
					  const struct call_team_watch *watch);
/*
 * As that, with a row for each function and group of tasks.  The rows of a function add up to what
 * it has without groups.
 */
struct function_table *function_table_grouped(struct trace *trace, unsigned int file,
					      const struct graph_scope *scope, enum grouping by);
/*
 * A table of all calls that another walk finds: for each buffer a visitor, whose task(), leave()
 * and late_outer() are to be called, and the tree when it has ended; then the rows.  Any thread,
 * one at a time.
 */
struct function_table *function_table_empty(bool paths);
const struct call_visitor *function_table_begin(struct function_table *table);
void function_table_end(struct function_table *table, const struct call_tree *tree,
			const struct graph_reader *reader);
void function_table_make_rows(struct function_table *table, struct trace *trace, unsigned int file);
void function_table_free(struct function_table *table);	/* NULL is allowed */

/* Do durations leave out time off the CPU (nosleep-time)? */
bool function_table_has_gap_cut(const struct function_table *table, const struct trace *trace,
				unsigned int file);

/*
 * The longest of a function's calls: when it began, and the record of its exit; of a function
 * without times, an entry.  False: there is none.
 */
bool function_longest(struct trace *trace, unsigned int file, const struct call_total *total,
		      struct trace_event *event, int64_t *start);

/* Add what a function has to a side of a comparison. */
void function_add_to(struct diff_side *of, struct call_total *total);

typedef int (*function_order)(const struct function_row *a, const struct function_row *b);
int function_by_address(const struct function_row *a, const struct function_row *b);
int function_by_name(const struct function_row *a, const struct function_row *b);

/* The numbers of the rows in this order, [nr].  The caller frees them. */
uint32_t *function_table_sorted(const struct function_table *table, function_order order);
#endif
