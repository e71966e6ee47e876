/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTION_TABLE_PRIVATE_H
#define FTOP_SRC_FUNCTION_TABLE_PRIVATE_H
/*
 * function_table_private - how a table is made, for those who count: function_table.c
 * at one go, function_job.c beside a screen.
 */
#include "src/calls/function_table.h"

/* A tree with those who look at its calls.  It stays where it is: its tree knows it. */
struct function_counter {
	struct call_tree *tree;
	struct call_totals *totals;
	struct call_paths *paths;	/* or NULL */
	const struct call_visitor *of_totals, *of_paths;
	struct call_visitor both;
};

/* Are there switches between tasks in a buffer, stamped by the clock that calls are timed with? */
bool function_knows_away(struct trace *trace, unsigned int file, unsigned int buffer);

/* @share: counters that are at work at a time share the memory. */
void function_counter_init(struct function_counter *c, bool local_clock, bool paths, unsigned int share);

/* The tree has ended: what was counted goes to the table.  NULL: to none. */
void function_counter_fini(struct function_counter *c, struct function_table *table);

struct function_table *function_table_empty(bool paths);
void function_table_make_rows(struct function_table *table, struct trace *trace, unsigned int file);
#endif
