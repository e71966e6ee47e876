/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_COMMANDS_TABLE_ROWS_H
#define FTOP_SRC_COMMANDS_TABLE_ROWS_H
/*
 * table_rows - prints the rows of a table: --sort, --min, --head, --unit, --grep, --count,
 * --format.
 */
#include "src/commands/command_open.h"
#include "src/match/filter_option.h"
#include "src/model/list_source.h"

/* Where a figure of a row is from: its longest instance, say.  False: not known. */
typedef bool (*table_rows_place)(void *arg, const struct table_column *column, const void *row,
				 struct list_place *place);
/* Between which numbers a figure is.  False: as table_out_bounds() has it. */
typedef bool (*table_rows_bounds)(void *arg, const struct table_column *column, const void *row,
				  double *least, double *most);

struct table_rows {
	const struct table_columns *columns;
	uint64_t	 nr;		/* UINT64_MAX: not known; they cannot be sorted */
	const void	*array;		/* borrowed, [nr] of .bytes each; or NULL, and: */
	size_t		 bytes;
	/* Row @i, valid until the next call; NULL = it is left out; nr not known: the end. */
	const void	*(*at)(void *arg, uint64_t i);
	void		*arg;		/* of these functions */
	/* For who takes them; of the row that at() gave last.  NULL: nobody knows more than the
	 * columns tell. */
	table_rows_place place;
	table_rows_bounds bounds;
	const char	*clock;		/* times are in its units; NULL = ns */
	int64_t		 step;		/* trace_resolution(); 0: ns */
	bool		 lacks;		/* list_rows.is_partial */
};

/* Row @i; NULL as of .at. */
const void *table_rows_at(const struct table_rows *rows, uint64_t i);

/*
 * Print the rows, in the order of --sort if that is given.  A taker of @file gets them instead.
 * @any: set to whether there was a row, selected or not; may be NULL
 *
 * Return: 0, or -1 with FT_E_USAGE (no such column), FT_E_LIMIT or FT_E_IO.
 */
int table_rows_print(const struct table_rows *rows, const struct command_file *file,
		     const struct filter_given *given, struct row_picker *picker, bool *any,
		     struct ft_error *err);
#endif
