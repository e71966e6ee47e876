/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_COMPARE_H
#define FTOP_SRC_CALLS_CALL_COMPARE_H
/*
 * call_compare - compares two calls: how the time of each is divided among the calls it made.
 */
#include <stdint.h>
#include "src/calls/call_tree.h"

enum call_part_kind {
	CALL_PART_SELF,			/* the function's own work */
	CALL_PART_AWAY,			/* off the CPU, directly below it */
	CALL_PART_CALLS,		/* calls of a function */
};

struct call_part {			/* [0]: first call, [1]: second call */
	enum call_part_kind kind;
	uint64_t	 func;		/* CALLS: address */
	uint64_t	 ns[2];
	uint32_t	 nr[2];		/* calls, or times off the CPU; ns: only of timed ones */
	uint32_t	 longest[2];	/* CALLS: number in its tree, or CALL_NONE */
	bool		 unknown[2];	/* SELF: the call is doubtful; ns is 0 */
};

/* A timed call of a tree with figures. */
struct call_of_tree {
	const struct call_tree *tree;
	uint32_t	 number;
};

/**
 * call_compare() - compute the parts of two calls
 * @parts: receives an array, the largest difference first; the caller frees it
 *
 * The parts of a call add up to its duration.  A call below without an exit counts, and so do the
 * calls below it. Return: the number of parts.
 */
unsigned int call_compare(const struct call_of_tree calls[2], struct call_part **parts);
#endif
