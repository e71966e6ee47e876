/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_LIMITS_LIMIT_STRETCHES_H
#define FTOP_SRC_SCHED_LIMITS_LIMIT_STRETCHES_H
/* limit_stretches - times in which tasks were throttled, some by several limits at once. */
#include "src/sched/sched_rules.h"

struct limit_stretch {			/* a task was throttled by one limit */
	uint32_t	pid, limit;
	int64_t		from, to;
	bool		doubtful;
};

/* By task, then by time. */
void limit_stretches_sort(struct limit_stretch *list, uint32_t nr);
/*
 * When tasks begin and cease to be throttled, by the limit of the highest group.  Limits of groups
 * have lower numbers than those of the groups in them.  Sorts the list.  Return: owned by the
 * caller.
 */
struct sched_limit_edge *limit_stretches_edges(struct limit_stretch *list, uint32_t nr,
					       uint32_t *nr_edges);
#endif
