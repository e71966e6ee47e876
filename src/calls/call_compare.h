/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_COMPARE_H
#define FTOP_SRC_CALL_COMPARE_H
/*
 * call_compare - two calls beside each other: where the time of each went, by what they
 * called themselves.
 */
#include <stdint.h>
#include "src/calls/call_tree.h"

enum call_part_kind {
	CALL_PART_SELF,			/* the function's own work */
	CALL_PART_AWAY,			/* off the CPU, directly below it */
	CALL_PART_CALLS,		/* calls of a function */
};

struct call_part {			/* [0]: of the one call, [1]: of the other */
	enum call_part_kind kind;
	uint64_t	 func;		/* CALLS: address */
	uint64_t	 ns[2];
	uint32_t	 nr[2];		/* calls, or times off the CPU; of what is not timed no ns are known */
	uint32_t	 longest[2];	/* CALLS: number in its tree, or CALL_NONE */
};

/* A timed call of a tree with figures. */
struct call_of_tree {
	const struct call_tree *tree;
	uint32_t	 number;
};

/**
 * call_compare() - the parts of two calls
 * @parts: receives an array for the caller to free, what differs most first
 *
 * The parts of a call add up to its duration.  A call below without an exit counts, and so do those below it.
 * Return: how many parts.
 */
unsigned int call_compare(const struct call_of_tree calls[2], struct call_part **parts);
#endif
