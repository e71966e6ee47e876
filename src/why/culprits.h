/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_CULPRITS_H
#define FTOP_SRC_WHY_CULPRITS_H
/*
 * culprits - what CPUs did in many intervals: the parts of cpu_parts.h, summed by what they are;
 * and the columns of such sums, for command and screen.
 */
#include "src/base/index_map.h"
#include "src/base/table_out.h"
#include "src/why/cpu_parts.h"

struct culprit {
	struct cpu_part	part;		/* the longest */
	int64_t		total, max;
	uint64_t	count;
};

struct culprits {			/* zero it */
	struct culprit	*list;		/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map;
	int64_t		total;		/* of all */
};

void culprits_fini(struct culprits *culprits);
void culprits_add(struct culprits *culprits, const struct cpu_part *part);
/* What the CPU of a record did in an interval; false: there is no such CPU. */
bool culprits_add_all(struct culprits *culprits, const struct sched *sched, trace_ref record,
		      int64_t from, int64_t to);
/* The largest total first; then no more can be added. */
void culprits_sort(struct culprits *culprits);

static inline bool culprits_same(const struct cpu_part *a, const struct cpu_part *b)
{
	return a->kind == b->kind && a->arg == b->arg;
}

struct culprit_row {
	const struct culprit *culprit;
	const struct sched *sched;	/* locked, or complete */
	int64_t		all;		/* 100 % */
	const char	*clock;		/* unit of times; NULL = ns */
};

enum { CULPRIT_TOTAL = 3 };		/* index of the column of total times */
extern const struct table_columns culprit_columns;	/* of struct culprit_row */
#endif
