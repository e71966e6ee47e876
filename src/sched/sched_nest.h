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
		uint32_t	arg;		/* common_type << 12 | number, at most 0xfff */
	}		open[SCHED_NEST_MAX];	/* the innermost is last */
	unsigned int	nr;
};

/* Take an ENTER or LEAVE.  False: nothing it belongs to is open. */
bool sched_nest_take(struct sched_nest *nest, const struct sched_rec *rec);

static inline enum sched_context sched_nest_context(const struct sched_nest *nest)
{
	return nest->nr ? nest->open[nest->nr - 1].context : SCHED_CONTEXT_TASK;
}

static inline uint32_t sched_nest_arg(const struct sched_nest *nest)
{
	return nest->nr ? nest->open[nest->nr - 1].arg : 0;
}
#endif
