/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FUNCTION_TABLE_PRIVATE_H
#define FTOP_SRC_FUNCTIONS_FUNCTION_TABLE_PRIVATE_H
/*
 * function_table_private - shared by the two ways to make a table: function_table.c (at once) and
 * function_job.c (for a screen).
 */
#include "src/functions/function_table.h"

/* A call tree with the visitors of its calls.  Do not move it: the tree points to it. */
struct function_counter {
	struct call_tree *tree;		/* for the caller to free */
	struct call_totals *totals;
	struct call_paths *paths;	/* or NULL */
	const struct call_visitor *of_totals, *of_paths;
	struct call_visitor both;
};

/* @share: number of counters that share the memory; @groups: of call_totals_new(). */
void function_counter_init(struct function_counter *c, bool local_clock, bool paths,
			   struct function_groups *groups, unsigned int share);

/* End counting, and add the counts to the table, if not NULL. */
void function_counter_fini(struct function_counter *c, struct function_table *table);
#endif
