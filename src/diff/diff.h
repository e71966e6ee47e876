/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_DIFF_DIFF_H
#define FTOP_SRC_DIFF_DIFF_H
/*
 * diff - two traces side by side: rows of a model matched by name, A, B and B divided by A.  Sums
 * and counts are per second of recorded CPU time, or those of the whole traces.  A change within
 * noise is marked: neither how often something happened nor how long it took differs by more than
 * chance and a tenth; of tasks, neither runs nor waits for a CPU.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/duration_set.h"
#include "src/base/error.h"
#include "src/base/index_map.h"
#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/base/text.h"

/* Figures that rows of a kind have: bits.  All have the count. */
enum {
	DIFF_HAS_TOTAL = 1, DIFF_HAS_SELF = 2, DIFF_HAS_WAIT = 4, DIFF_HAS_MAX = 8,
	DIFF_HAS_PERCENTILES = 16, DIFF_HAS_COUNT = 32,
	DIFF_PER_SECOND = 64,		/* changes of sums and counts are those in a second */
	DIFF_IS_COST = 128,		/* to take longer is worse; runs and sleep lack it */
	DIFF_HAS_THROTTLED = 256,
	DIFF_KNOWS_THROTTLED = 512,	/* of some row it is known: tables show it */
	DIFF_IS_RECORDED = 1024,	/* a side that lacks it lacks all of them */
	DIFF_HAS_DURATIONS = DIFF_HAS_MAX | DIFF_HAS_PERCENTILES
};

#define DIFF_BINS	65u		/* bins of a histogram: 0; then [2^(i-1), 2^i) */

struct diff_side {			/* what A or B has; times in ns or units of the clock */
	bool		is_known;	/* diff_side() was called for it */
	uint64_t	count;		/* instances: calls, runs of a task */
	unsigned int	lacks;		/* DIFF_HAS_…: figures of its kind that it has not */
	uint64_t	total, self, net;	/* tasks: total is the time they ran, self waited */
	uint64_t	throttled;	/* part of self; its bit in `lacks`: it is not known */
	uint64_t	p50, p99, max;	/* percentiles and maximum of its durations, if it has
					 * any */
	struct duration_set durations;
	const uint64_t	*histogram;	/* [DIFF_BINS] instead, if the percentiles are set; NULL */
	/* Of tasks: their waits for a CPU, judged as the durations are. */
	struct duration_set waits;
	const uint64_t	*wait_histogram;	/* [DIFF_BINS] instead; NULL */
};

struct diff_row {
	const char	*name;		/* raw bytes of a trace */
	struct diff_side of[2];
	/* Set by diff_end(): */
	struct {			/* as they are compared: in a second, or in the trace */
		double	count, total, self, net, throttled;	/* ns */
	}		rates[2];
	struct {			/* B less A; sums as they are compared, rounded */
		int64_t	total, self, net, throttled, p50, p99, max;
	}		change;
	double		z;		/* statistic of the rank test; above 0: B is slower */
	bool		has_z;
	bool		both;		/* A and B have instances with durations */
	bool		is_by_chance;	/* A and B differ by no more than chance would make them */
	bool		is_worse;	/* more than that, and B took longer or was more */
	int		found;		/* which figure tells that best; -1: none does */
	const struct diff *diff;	/* borrowed */
};

struct diff {				/* zero it, except for what is compared: */
	const char	*kind;		/* latencies: groups of this kind only; NULL: all kinds */
	bool		per_trace;	/* sums and counts of the whole traces are compared */
	/* Owned, [nr]; after diff_end() the first nr_changed differ, what changed the total most
	 * comes first. */
	struct diff_row	*rows;
	uint32_t	nr, cap, nr_changed;
	int64_t		cpu_time[2];	/* recorded, of all CPUs */
	unsigned int	nr_cpus[2];
	bool		any[2];		/* the trace has such rows */
	bool		is_whole[2];	/* what it has no row of did not happen; else that is not
					 * known */
	bool		is_damaged[2];	/* parts of it could not be read: it may have more of any */
	bool		has_net[2];	/* its calls have net times */
	bool		of_events;	/* rows have their names */
	const char	*counted;	/* the only event that counts has of A; NULL: all */
	unsigned int	knows;		/* bits DIFF_KNOWS_… */
	/* For those that add rows: */
	struct index_map names;		/* finds a row by its name */
	struct arena	arena;
	int		stacks;		/* what A has stacks of: waits, calls or events */
};

void diff_fini(struct diff *diff);

void diff_end(struct diff *diff);

/*
 * Set what a row has of diff_end(): it needs counts, sums and durations (or a histogram) of both
 * sides, and diff->cpu_time, which may be any times that the counts are of.
 */
void diff_judge(struct diff *diff, struct diff_row *row);

/*
 * Append the verdict: "1.8 times as long (worse)", "0.5 times as many", "new", "gone", "noise",
 * "not known".
 */
void diff_finding(const struct diff_row *row, struct text *out);

/*
 * The columns of a table of rows.  @has: the figures that the rows have, and DIFF_PER_SECOND; other
 * columns are left out.  @names: titles of the columns of A and B, borrowed.  A new column is a
 * line in diff.c.
 */
struct table_columns diff_columns(unsigned int has, const char *const names[2]);

/*
 * Short names for the files A and B: those of the files without their folders, or "A" and "B" if
 * these are equal or longer than DIFF_NAME_CELLS.
 */
#define DIFF_NAME_CELLS	9
void diff_names(const char *const paths[2], struct text names[2]);

/*
 * The side of the row with a name, A (0) or B (1); made if need be.  Valid until the next call.
 */
struct diff_side *diff_side(struct diff *diff, const char *name, unsigned int side);
#endif
