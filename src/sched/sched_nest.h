/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_NEST_H
#define FTOP_SRC_SCHED_SCHED_NEST_H
/* sched_nest - the nested interrupts of a CPU, from records of their begin and end. */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_scan.h"

#define SCHED_NEST_MAX	8u		/* nesting depth */

struct sched_nest {			/* zero: no interrupt */
	struct {
		enum sched_context context;
		uint32_t	source;		/* see sched_source.h */
	}		open[SCHED_NEST_MAX];	/* the innermost is last */
	unsigned int	nr;
};

/*
 * Take an ENTER or LEAVE.  @source: of what an ENTER begins.  False: nothing it belongs to is open.
 */
bool sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec, uint32_t source);

/* How many are open up to the innermost one that is not a timer's function. */
static inline unsigned int sched_nest_interrupts(const struct sched_nest *nest)
{
	unsigned int nr = nest->nr;

	while (nr && nest->open[nr - 1].context == SCHED_CONTEXT_TIMER)
		nr--;
	return nr;
}

/* What that one is; TASK: none. */
static inline enum sched_context sched_nest_context(const struct sched_nest *nest)
{
	unsigned int nr = sched_nest_interrupts(nest);

	return nr ? nest->open[nr - 1].context : SCHED_CONTEXT_TASK;
}
#endif
