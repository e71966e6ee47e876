/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_SOURCE_H
#define FTOP_SRC_SCHED_SCHED_SOURCE_H
/*
 * sched_source - what interrupts a CPU, told apart: hard interrupts, softirqs, vectors and timers,
 * as small numbers.
 */
#include <stdint.h>
#include "src/base/index_map.h"
#include "src/base/text.h"
#include "src/sched/sched_pass.h"

struct sched_source {
	enum sched_context context;	/* TASK: an interrupt without a record of its own */
	int		type;		/* id of the event that began it */
	uint32_t	number;		/* of the interrupt, the softirq, the vector */
	uint32_t	name;		/* of the interrupt; see name_table; 0 = none */
	uint64_t	function;	/* of the timer: its address */
	uint32_t	same;		/* the first source that is called the same */
};

#define SCHED_SOURCE_ANY	0u	/* an interrupt without a record of its own */

struct sched_sources {			/* zeroed: empty */
	struct sched_source *list;	/* owned, [nr] */
	uint32_t	nr, cap;
	struct index_map map, names;	/* by all that is known; of the first with a name */
};

/* The number of what an ENTER begins; at most 2^29. */
uint32_t sched_sources_add(struct sched_sources *sources, const struct sched_rec *rec);
void sched_sources_fini(struct sched_sources *sources);

/* Append "irq eth0", "softirq TIMER", "ipi reschedule", "timer hrtimer_wakeup", "interrupt". */
void sched_source_text(struct trace *trace, const struct sched_pass *pass, unsigned int file,
		       const struct sched_source *source, struct text *out);
#endif
