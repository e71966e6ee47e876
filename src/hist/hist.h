/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_HIST_HIST_H
#define FTOP_SRC_HIST_HIST_H
/*
 * hist - the histograms that the kernel counts for an event (trigger hist:), from the text of its
 * file events/SYSTEM/EVENT/hist.  A line "# of SYSTEM:EVENT", which the recorder puts between the
 * files that it keeps, names the event.
 *
 * A histogram is a table: an entry for each combination of its keys, with hitcount and the sums of
 * other fields.  The kernel's forms of keys become plain values:
 *
 *   key.sym, .sym-offset   "[ffffffff81292c84] seq_read_iter"   seq_read_iter [ffffffff81292c84]
 *   key.execname           "sh              [      1234]"       sh-1234
 *   key.syscall            "sys_read              [  0]"        sys_read [0]
 *   key.log2               "~ 2^5"                              32: values above 16, up to 32
 *   key.buckets=10         "~ 20-29"                            20: values from 20
 *   value.percent          "  9.10", "12.05"                   as it is: sorted by its text
 *   key.hex                "1f"                                 0x1f, as long as the longest
 *   stacktrace             a line for each function             main;f;g: the outermost first
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/base/text.h"

#define HIST_MOST_COLUMNS	24u	/* the kernel has fewer */

struct hist_column {
	const char	*name;		/* "lat", "hitcount", "hitcount (%)" */
	const char	*title;		/* "lat up to" (log2), "lat from" (buckets), the name */
	bool		 is_number;	/* every entry has a number here */
	bool		 is_stack;
	size_t		 digits;	/* most digits of a hexadecimal number; 0: it has none */
};

struct hist_cell {
	const char	*text;		/* NULL: the entry has no such value */
	uint64_t	 number;	/* the value, in a column of numbers */
};

struct hist_row {
	struct hist_cell cells[HIST_MOST_COLUMNS];
	const struct hist *hist;	/* set by hist_table_init() */
};

struct hist {
	const char	*of;		/* "sched:sched_switch, buffer one"; "": unknown */
	const char	*trigger;	/* "hist:keys=… [active]"; "": unknown */
	struct hist_column columns[HIST_MOST_COLUMNS];	/* keys, then values */
	unsigned int	 nr_columns, nr_keys;
	struct hist_row	*entries;	/* owned, [nr]; in the kernel's order */
	uint32_t	 nr, cap;
	bool		 has_totals;	/* false: the text ends before them */
	uint64_t	 hits, nr_kernel, dropped;	/* the kernel's totals; nr_kernel:
							 * entries */
	uint64_t	 bad;		/* lines that are not understood */
	unsigned int	 file;		/* as given; */
	unsigned int	 number;	/* in the text, from 1 */
	/*
	 * Set by hist_table_init(): the column whose share is shown; its sum, and its largest
	 * value.
	 */
	unsigned int	 shared;
	unsigned int	 name;		/* the column that names an entry on the screen */
	uint64_t	 sum, most;
	struct arena	 arena;		/* owns all strings */
};

struct hist_list {			/* zero it */
	struct hist	*list;		/* owned, [nr] */
	unsigned int	 nr, cap;
};

/*
 * Add all histograms of a text to the list, or only the one with this @number, if it is not 0.
 * Nothing of the text is kept.  @file: the caller's.
 */
void hist_list_read(struct hist_list *list, const struct text *text, unsigned int file,
		    unsigned int number);
void hist_list_fini(struct hist_list *list);	/* empties it */

/*
 * A histogram's columns, for `ftop-trace hist` and the screen: its keys (a stack first; in text
 * last), its values, and the share and bar of one value.
 */
struct hist_table {
	const struct hist *hist;	/* borrowed */
	struct table_columns columns;	/* rows: struct hist_row; borrowed from here */
	char		 share_title[64];
	struct table_column list[HIST_MOST_COLUMNS + 7];
};

/*
 * @hist: its entries are the rows
 * @shared: the value that has a share and a bar; NULL, or no such value: the first one
 */
void hist_table_init(struct hist_table *table, struct hist *hist, const char *shared);
/* The column that the kernel's trigger sorts by, as its index in the list; 0: the first. */
unsigned int hist_table_sorted_by(const struct hist_table *table);
/* Append a value.  @whole: with addresses.  Of a stack, the innermost function is first: "f <- main". */
void hist_add_value(const struct hist_row *row, unsigned int column, bool whole, struct text *out);
/* "331 hits, 31 entries, 0 dropped", and what that means; ">331 hits" if some were dropped. */
void hist_totals(const struct hist *hist, struct text *out);
#endif
