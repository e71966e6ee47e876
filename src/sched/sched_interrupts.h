/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_INTERRUPTS_H
#define FTOP_SRC_SCHED_SCHED_INTERRUPTS_H
/*
 * sched_interrupts - what woke tasks, in words: the interrupts and timers of a pass with
 * .interrupts, as numbers that a list can keep.
 */
#include "src/base/name_table.h"
#include "src/sched/sched_pass.h"
#include "src/sched/sched_source.h"

struct sched_interrupts {		/* zero it, and set names */
	struct name_table *names;	/* for the contexts; borrowed */
	uint32_t	 not_known;	/* the context of a wake-up that does not tell it */
	bool		 lacks_flags;	/* none of them tells whether an interrupt made it */
	struct sched_sources sources;
	uint32_t	*contexts;	/* owned, [nr_contexts] by source; 0: not yet made */
	uint32_t	nr_contexts;
};

/* A buffer begins. */
void sched_interrupts_begin(struct sched_interrupts *interrupts, const struct sched_pass *pass);
void sched_interrupts_fini(struct sched_interrupts *interrupts);
/* @to: zeroed; it goes on where @from is, with the same names. */
void sched_interrupts_copy(struct sched_interrupts *to, const struct sched_interrupts *from);

/* What made a change to SCHED_WAITS: its number; 0: the waker did. */
uint32_t sched_interrupts_waker(struct sched_interrupts *interrupts,
				const struct sched_change *change);
#define SCHED_CONTEXT_NOT_KNOWN	"not known"

/* Append it: "softirq RCU", "interrupt", "not known".  Main thread; the pass goes on meanwhile. */
void sched_interrupts_text(struct trace *trace, unsigned int file, const struct sched_pass *pass,
			   struct name_table *names, uint32_t context, struct text *out);

/*
 * Append "cat-12", "softirq RCU (in cat-12)", or "cat-12 (context not known)".  @context: NULL: the
 * task did it.  @comm: NULL: it is not known who did.
 */
void sched_interrupts_add_waker(const char *context, const char *comm, uint32_t pid,
				struct text *out);
#endif
