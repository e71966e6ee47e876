/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_FUNCTIONS_CALL_TOTALS_H
#define FTOP_SRC_FUNCTIONS_CALL_TOTALS_H
/* call_totals - sums of calls by function, and by group of tasks if there are groups. */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/base/duration_set.h"

struct call_total {			/* for one function and group; times in ns */
	uint64_t	 address;
	uint32_t	 func;		/* the tree's number of it */
	uint32_t	 group;		/* of function_groups; 0 without them */
	uint64_t	 calls;		/* timed calls */
	uint64_t	 total;		/* time in the function: calls inside another one count
					 * once */
	uint64_t	 self;		/* see call_total_has_self() */
	uint64_t	 idle_self;	/* part of it: the idle tasks' own calls, which are no
					 * work */
	uint64_t	 net;		/* net time of the calls in total, of those buffers where it
					 * is known */
	bool		 has_net;	/* it is known of a call there */
	uint64_t	 min, max;	/* shortest and longest timed call; 0 without calls */
	trace_ref	 worst;		/* exit of the call with max, the first one in the file;
					 * without calls but with entries, an entry */
	uint64_t	 worst_took;	/* raw: from when it began to that record, where both are of
					 * one clock */
	struct call_most {
		uint64_t	 ns, duration;
		trace_ref	 exit;
	}		 most_self, most_net;	/* most of a call that is not doubtful; ns 0:
						 * none */
	uint64_t	 sum;
	double		 squares;	/* sum of their durations' squares */
	uint64_t	 leaf_calls, leaf_sum;
	uint64_t	 unclosed, orphans, doubtful;
	uint64_t	 no_net;	/* calls without net: doubtful ones, and those with an
					 * interrupt that is not recorded */
	uint64_t	 entries;	/* calls without times (tracer `function`): not in the
					 * above */
	struct duration_set durations;
};

/* Is there a call that is not doubtful?  Others have no self and no net. */
static inline bool call_total_has_self(const struct call_total *total)
{
	return total->calls > total->doubtful;
}

struct call_totals;			/* opaque */
struct function_groups;

/*
 * @max_bytes: for durations; beyond that, percentiles lose precision.
 * @groups:    count each group of tasks apart; borrowed.  NULL: all tasks together
 */
struct call_totals *call_totals_new(uint64_t max_bytes, struct function_groups *groups);
void call_totals_free(struct call_totals *totals);	/* NULL is allowed */

/* With groups: the tree whose visitor it is; borrowed. */
void call_totals_set_tree(struct call_totals *totals, const struct call_tree *tree);
/* For a call tree; borrowed. */
const struct call_visitor *call_totals_visitor(struct call_totals *totals);

/* After the tree has ended: adds its sums to the rows of addresses. */
void call_totals_end(struct call_totals *totals, const struct call_tree *tree);

/* Add all of @from, which is then empty.  Both must have ended. */
void call_totals_merge(struct call_totals *totals, struct call_totals *from);

/* Add the sums so far to @to; @totals stays. @tree continues; NULL: all trees have ended. */
void call_totals_copy(struct call_totals *totals, const struct call_tree *tree,
		      struct call_totals *to);

/* A row per address, and group, with a call, entry or exit; borrowed, the caller may sort them. */
struct call_total *call_totals_rows(struct call_totals *totals, unsigned int *nr);
bool call_totals_are_exact(const struct call_totals *totals);	/* are the percentiles exact? */
/* Has any call times, even one that does not count? */
bool call_totals_are_timed(const struct call_totals *totals);
/* Do durations leave out time off the CPU, where the clock is local: call_gap_cut()? */
bool call_totals_have_gap_cut(const struct call_totals *totals);
#endif
