/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_NEST_H
#define FTOP_SRC_SCHED_NEST_H
/* sched_nest - which interrupts a CPU is in, one upon the other: records of their begin and end in, the innermost out. */
#include <stdbool.h>
#include <stdint.h>
#include "src/sched/sched_scan.h"

#define SCHED_NEST_MAX	8u		/* of one another */

struct sched_nest {			/* zero it: in none */
	struct {
		enum sched_context context;
		uint32_t	arg;		/* common_type << 12 | number, at most 0xfff */
	}		open[SCHED_NEST_MAX];	/* the innermost last */
	unsigned int	nr;
};

/* An ENTER or LEAVE.  False: nothing of it was known to be open. */
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
