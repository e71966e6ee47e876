/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_COST_H
#define FTOP_SRC_CALL_COST_H
/*
 * call_cost - what tracing a call costs, as an estimate: the kernel does not record it.
 *
 * A call's duration holds, for each call below it, the time that the tracer took to
 * record that one's entry and exit.  So the self time of a call, shared out among its
 * children, is that and what the function did itself; where this is least the function
 * did next to nothing.
 */
#include <stdint.h>
#include "src/calls/call_tree.h"

/*
 * ns for each call, of a tree with figures: the value that one in a hundred of the calls with children stays below.  0: there
 * are too few to tell.
 */
uint64_t call_cost_estimate(const struct call_tree *tree);
#endif
