/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_LATENCY_LATENCY_COLUMNS_H
#define FTOP_SRC_LATENCY_LATENCY_COLUMNS_H
/*
 * latency_columns - rows and columns of the tables of kinds, groups, instances and histograms, for
 * both `ftop-trace latency` and the screen.  A new column is a line in latency_columns.c.
 */
#include "src/base/table_out.h"
#include "src/latency/latency.h"
#include "src/latency/latency_groups.h"

/* table_column.own */
enum latency_column { LATENCY_DURATION = 1, LATENCY_WHAT, LATENCY_MAX };

/* table_column.needs */
enum { LATENCY_OF_WAKEUPS = 1, LATENCY_OF_CALLS = 2, LATENCY_OF_LOCKS = 4 };

struct latency_kind_row {		/* a kind, or a group of its instances */
	const char	*kind;		/* its name, or the group's */
	const char	*was;		/* latency_groups_was() */
	unsigned int	number;		/* of the kind */
	struct latency_sums sums;
};

struct latency_row {
	struct latency_instance i;
	const char	*kind, *comm, *what;
	const char	*words;		/* what, and in which interrupt */
	const char	*context;	/* wakeup: the interrupt that made it; or NULL */
	/* Of a wait for a lock: who held it, and who woke the task; NULL: not known, or nobody */
	const char	*holder_name, *holder_comm, *waker_name, *waker_comm, *lock_type;
	int		holder;		/* its pid */
	uint64_t	address;	/* the lock's */
	uint64_t	duration;
	int		cpu, prio;
	bool		doubtful, shared, guessed, late, moved, is_leaf;
	/* These are known: */
	bool		has_end, has_cpu, has_prio, has_moved, has_wakeup, has_net, has_leaf;
	bool		has_mark;
};

struct latency_bin_row {
	uint64_t	from, to;	/* from <= duration < to */
	uint64_t	count;
	bool		guessed;	/* latency_sums.shared */
};

/*
 * The histogram from the shortest to the longest duration, in at most @most rows: if there are more
 * bins, each row has several.  Return: the number of rows.
 */
unsigned int latency_bins(const struct latency_sums *sums, unsigned int most,
			  struct latency_bin_row *rows);

struct latency_kind_row latency_kind_row(const struct latency_kinds *kinds, unsigned int kind,
					 const struct latency_sums *sums);
/* @words: receives the group's name; NULL: only figures are wanted. */
struct latency_kind_row latency_group_row(struct latency *latency, unsigned int kind,
					  enum latency_by by, const struct latency_group *group,
					  const struct latency_sums *sums, struct text *words);
/* @words: receives what it was; NULL: only numbers are wanted, and an open one has its age. */
struct latency_row latency_row(struct latency *latency, const struct latency_kinds *kinds,
			       unsigned int kind, const struct latency_instance *instance,
			       struct text *words);

/* A row of the first table is a kind; of the second, a group of its instances. */
extern const struct table_columns latency_kind_columns;	/* rows: struct latency_kind_row */
extern const struct table_columns latency_group_columns;	/* rows: struct latency_kind_row */
/* The range beside the rest of the trace. */
extern const struct table_columns latency_compare_columns;	/* rows: struct latency_kind_row */
extern const struct table_columns latency_columns;	/* rows: struct latency_row */

/*
 * Between which numbers a figure of a kind is: doubtful instances may have been shorter, open ones
 * have lasted until the end of the trace.  Exact for percentiles and the maximum as long as the
 * instances from there on are kept (@kind->worst).  @number: of the kind; @column: of
 * latency_kind_columns.
 *
 * Return: false: the column is exact, or is no figure of the instances.
 */
bool latency_bounds(const struct latency_kind *kind, unsigned int number,
		    const struct table_column *column, double *least, double *most);

extern const struct table_columns latency_bin_columns;	/* rows: struct latency_bin_row */
#endif
