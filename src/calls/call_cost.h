/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_COST_H
#define FTOP_SRC_CALLS_CALL_COST_H
/*
 * call_cost - estimates the cost of tracing a call, which the kernel does not record.
 *
 * A call's duration includes, for each call below it, the time in which the tracer records that
 * call's entry and exit.  So the self time of a call divided by the number of its children is this
 * cost plus the function's own work per child; where that is smallest, the function did next to
 * nothing.
 */
#include <stdint.h>
#include "src/calls/call_tree.h"

/* ns per call, from a tree with figures: 1st percentile of calls with children; 0: too few. */
uint64_t call_cost_estimate(const struct call_tree *tree);
#endif
