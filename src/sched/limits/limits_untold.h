/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_LIMITS_LIMITS_UNTOLD_H
#define FTOP_SRC_SCHED_LIMITS_LIMITS_UNTOLD_H
/*
 * limits_untold - times in which a cgroup used up its limit, and records do not tell when, or it is
 * inferred: its cpu.stat grew from one look to the next.  Why its tasks waited then is doubtful.
 */
#include "src/sched/limits/sched_limits.h"

struct limits_untold;			/* opaque */

/* @limits: of which it is known; may be NULL.  Return: NULL: there are no such times. */
struct limits_untold *limits_untold_new(struct trace *trace, unsigned int file,
					const struct sched_limits *limits);
void limits_untold_free(struct limits_untold *untold);	/* NULL is allowed */

/*
 * May a task have been throttled in a time, by its cgroup or one above it, and it is not told?
 * @inferred: or it is inferred when it was.  @untold: may be NULL.
 */
bool limits_untold_hold(const struct limits_untold *untold, int pid, int64_t from, int64_t to,
			bool inferred);
#endif
