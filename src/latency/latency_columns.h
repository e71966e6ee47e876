/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_COLUMNS_H
#define FTOP_SRC_LATENCY_LATENCY_COLUMNS_H
/*
 * latency_columns - the columns of the tables of kinds, instances and histograms, for both
 * `ftop-trace latency` and the screen.  A new column is a line in latency_columns.c.
 */
#include "src/base/table_out.h"
#include "src/latency/latency.h"

enum latency_column {			/* table_column.own of those on the screen */
	LATENCY_TASK = 1, LATENCY_DURATION, LATENCY_START, LATENCY_CPU, LATENCY_WHAT,
	LATENCY_MOVED_COLUMN, LATENCY_PRIO, LATENCY_NR_COLUMNS,
	LATENCY_MAX = LATENCY_NR_COLUMNS	/* of kinds */
};

struct latency_kind_row {
	const char	*kind;
	struct latency_sums sums;
};

struct latency_row {
	const char	*kind, *comm, *what, *clock;	/* clock: NULL = ns */
	struct latency_instance i;
	bool		is_wakeup;
};

struct latency_bin_row {
	uint64_t	from, to;	/* from <= duration < to */
	uint64_t	count;
};

extern const struct table_columns latency_kind_columns;	/* of struct latency_kind_row */
extern const struct table_columns latency_columns;	/* of struct latency_row */
extern const struct table_columns latency_bin_columns;	/* of struct latency_bin_row */
#endif
