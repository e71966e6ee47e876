/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_TOTALS_H
#define FTOP_SRC_CALL_TOTALS_H
/*
 * call_totals - what calls add up to, function by function.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/calls/call_tree.h"
#include "src/base/duration_set.h"

struct call_total {			/* of a function; times in ns */
	uint64_t	 address;
	uint64_t	 calls;		/* timed ones */
	uint64_t	 total;		/* of those without one of the same function above them */
	uint64_t	 self;
	uint64_t	 net;		/* of those in total */
	uint64_t	 min, max;	/* of all timed ones, as what follows; 0 without calls */
	trace_ref	 worst;		/* exit of a call that took max: the first one in the file; without calls, with entries: an entry */
	uint64_t	 sum;
	double		 squares;	/* sum of their durations' squares */
	uint64_t	 leaf_calls, leaf_sum;
	uint64_t	 unclosed, orphans;
	uint64_t	 entries;	/* of the tracer `function`: calls without times, in none of the above */
	struct duration_set durations;
};

struct call_totals;			/* opaque */

/* @max_bytes: for the durations; with more of them percentiles lose their last digits. */
struct call_totals *call_totals_new(uint64_t max_bytes);
void call_totals_free(struct call_totals *totals);	/* NULL is allowed */

/* To be given to a tree; borrowed. */
const struct call_visitor *call_totals_visitor(struct call_totals *totals);

/* The tree ended: what was seen of it goes to the rows of addresses. */
void call_totals_end(struct call_totals *totals, const struct call_tree *tree);

/* Add all of @from, which is empty then.  Both have ended. */
void call_totals_merge(struct call_totals *totals, struct call_totals *from);

/* What was counted so far is added to @to, and stays; @tree: it goes on; NULL: there is none that was not ended. */
void call_totals_copy(struct call_totals *totals, const struct call_tree *tree, struct call_totals *to);

/* A row an address, in no order; borrowed, and the caller may sort them.  Rows without a call, an entry or an exit are left out. */
struct call_total *call_totals_rows(struct call_totals *totals, unsigned int *nr);
bool call_totals_are_exact(const struct call_totals *totals);	/* the percentiles */
#endif
