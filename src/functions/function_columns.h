/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_FUNCTION_COLUMNS_H
#define FTOP_SRC_FUNCTIONS_FUNCTION_COLUMNS_H
/*
 * function_columns - the columns of the table of functions, for both `ftop-trace functions` and the
 * Functions view.  A new column is a line in function_columns.c.
 */
#include "src/base/table_out.h"
#include "src/functions/function_table.h"

enum {
	FUNCTION_NAME,
	FUNCTION_CALLS,
	FUNCTION_TOTAL,
	FUNCTION_SELF,
	FUNCTION_NET
}; /* the first
					   columns of the list */

enum { FUNCTION_NEEDS_AWAY = 1 };	/* table_column.needs: time off the CPU */
enum { FUNCTION_MARKED = 1 };		/* table_column.own: the longest; the screen marks it */

/* All calls of a row, including those without times. */
int64_t function_calls(const void *function_row);
bool function_has_self(const void *function_row);	/* call_total_has_self() */

/* As function_columns, behind a column of the group. */
struct table_columns function_group_columns(enum grouping by);
extern const struct table_columns function_columns;	/* rows: struct function_row; name first */
#endif
