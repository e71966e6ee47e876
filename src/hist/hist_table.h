/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_HIST_HIST_TABLE_H
#define FTOP_SRC_HIST_HIST_TABLE_H
/*
 * hist_table - a histogram's columns, for `ftop-trace hist` and the screen: its keys (a stack
 * first; in text last), its values, and the share and bar of one value.
 */
#include "src/base/table_out.h"
#include "src/hist/hist.h"

struct hist_table {
	const struct hist *hist;	/* borrowed */
	struct table_columns columns;	/* of struct hist_row; borrowed from here */
	unsigned int	 first;		/* index in hist of the first column */
	char		 share_title[64];
	struct table_column list[HIST_MOST_COLUMNS + 3];
};

/*
 * @hist: its entries are the rows
 * @shared: the value that has a share and a bar; NULL, or no such value: the first one
 */
void hist_table_init(struct hist_table *table, struct hist *hist, const char *shared);
/* The column that the kernel's trigger sorts by, as its index in the list; 0: the first. */
unsigned int hist_table_sorted_by(const struct hist_table *table);
/* "331 hits, 31 entries, 0 dropped", and what that means. */
void hist_totals(const struct hist *hist, struct text *out);
#endif
