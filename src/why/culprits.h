/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_WHY_CULPRITS_H
#define FTOP_SRC_WHY_CULPRITS_H
/*
 * culprits - parts of intervals, summed by what they are; and the columns of such sums of what CPUs
 * did, for command and screen.
 */
#include "src/base/index_map.h"
#include "src/base/table_out.h"
#include "src/why/cpu_parts.h"
#include "src/why/why.h"

struct culprits {			/* zero it */
	struct why_node	*list;		/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map;
	int64_t		total;		/* of all that CPUs did */
};

void culprits_fini(struct culprits *culprits);
/* The sum of such parts, made if need be: by parent, kind and arg.  Valid until the next call. */
struct why_node *culprits_node(struct culprits *culprits, uint32_t parent, unsigned int kind,
			       uint32_t task, uint32_t arg);
/* A part that began at @since goes on from @from to @to. */
void culprits_lengthen(struct why_node *node, int64_t since, int64_t from, int64_t to);
void culprits_count(struct why_node *node, int64_t from, int64_t to);

void culprits_add(struct culprits *culprits, const struct cpu_part *part);
/* What the CPU of a record did in an interval; false: there is no such CPU. */
bool culprits_add_all(struct culprits *culprits, const struct sched *sched, trace_ref record,
		      int64_t from, int64_t to);
/* The largest total first; then no more can be added. */
void culprits_sort(struct culprits *culprits);

/* The longest of the parts of a CPU. */
static inline struct cpu_part culprits_longest(const struct why_node *node)
{
	return (struct cpu_part){ .from = node->max_from, .kind = (enum cpu_part_kind)node->kind,
				  .arg = node->arg };
}

struct culprit_row {
	const struct why_node *culprit;
	const struct sched *sched;	/* locked, or complete */
	int64_t		all;		/* 100 % */
};

enum { CULPRIT_TOTAL = 1 };		/* table_column.own */
extern const struct table_columns culprit_columns;	/* of struct culprit_row */
#endif
