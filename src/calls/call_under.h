/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_CALL_UNDER_H
#define FTOP_SRC_CALL_UNDER_H
/*
 * call_under - the records of a file that lie within calls of some functions, in the same task, while a pass tells the calls.
 *
 * Spans of time would take as much as the calls.  So those of a thousandth of the pass wait, all records are gone through
 * that are older than half of them, and what lies within a span goes into the set:
 *
 *     ------ rows looked at ------|-- waiting spans: half -|- half -|      calls that are told
 *          late spans                                                      told later, of before: kept until the end
 *
 * Which moments are in a call: from the record of its entry to that of its exit, both included; without an entry from the
 * exit's time less the duration; without an exit to the record that shows that it has ended.  Pid 0 is another task on each
 * CPU.
 */
#include <stdbool.h>
#include "src/calls/call_tree.h"
#include "src/filter/value_sets.h"
#include "src/base/workers.h"

struct call_under;			/* opaque: of one buffer */

/*
 * Of the sets of @what that are being built, whose numbers are functions.  @group, @generation: of the job, to stop when it is
 * cancelled.  @keep: spans are kept to the end, since a stream's clock goes back.  NULL: there is no such set.
 */
struct call_under *call_under_new(struct trace *trace, unsigned int file, struct value_sets *sets, unsigned int what,
				  const struct worker_group *group, unsigned int generation, bool keep);
void call_under_free(struct call_under *under);	/* NULL is allowed */

/* A call of a task that is final. */
void call_under_add(struct call_under *under, const struct call_tree *tree, const struct call_task *task, const struct call *call);

/* No more calls come: go on with what is left, for a while.  Return: there is more. */
bool call_under_end(struct call_under *under);

/* A stream's clock goes back: what is found is too little, and all has to begin anew with @keep. */
bool call_under_failed(const struct call_under *under);
#endif
