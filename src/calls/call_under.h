/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALLS_CALL_UNDER_H
#define FTOP_SRC_CALLS_CALL_UNDER_H
/*
 * call_under - finds the records of a file that are within calls of given functions, in the same
 * task, during a pass over the calls.
 *
 * Storing all spans would take as much memory as the calls.  So the spans of a thousandth of the
 * pass are collected; then all records older than half of them are compared, and those within a
 * span go into the set:
 *
 *     ------ rows looked at ------|-- waiting spans: half -|- half -|   later calls
 *          late spans: of calls found too late, kept until the end
 *
 * A call lasts from the record of its entry to that of its exit, both included; without an entry,
 * from the exit's time minus the duration; without an exit, to the record that shows that it has
 * ended.  Pid 0 is a different task on each CPU.
 */
#include <stdbool.h>
#include "src/calls/call_job.h"
#include "src/calls/call_tree.h"
#include "src/filter/value_sets.h"

struct call_under;			/* opaque: for one buffer */

/*
 * For the sets of @what that are being built, whose numbers are functions.
 * @job:  the pass, to stop if it is cancelled
 * @keep: keep spans to the end, because a stream's clock goes backwards.  NULL if there is no such
 *        set.
 */
struct call_under *call_under_new(struct trace *trace, unsigned int file, struct value_sets *sets,
				  unsigned int what, const struct call_job *job, bool keep);
void call_under_free(struct call_under *under);	/* NULL is allowed */

/* Add a final call of a task. */
void call_under_add(struct call_under *under, const struct call_tree *tree,
		    const struct call_task *task, const struct call *call);

/* After the last call: process the rest for a while.  Return: whether there is more. */
bool call_under_end(struct call_under *under);

/* Did a stream's clock go backwards?  Then the result is incomplete: start over with @keep. */
bool call_under_failed(const struct call_under *under);
#endif
