/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_SCHED_SCHED_INTERRUPTS_H
#define FTOP_SRC_SCHED_SCHED_INTERRUPTS_H
/*
 * sched_interrupts - keeps which interrupts and timers are running on each CPU while a pass reads
 * records, to say which of them woke a task.  The listener of a pass with .interrupts calls
 * sched_interrupts_take() for each record that it gets without a rule.
 */
#include "src/base/name_table.h"
#include "src/sched/sched_source.h"

struct sched_interrupts {		/* zero it, and set names */
	struct name_table *names;	/* for the contexts; borrowed */
	uint32_t	 unknown;	/* context of a wake-up that does not tell whether one made
					 * it; 0: they tell */
	struct sched_nest *nests;	/* owned, by index of the CPU */
	struct sched_sources sources;
	uint32_t	*contexts;	/* owned, [nr_contexts] by source; 0: not yet made */
	uint32_t	nr_contexts;
};

/* A buffer begins. */
void sched_interrupts_begin(struct sched_interrupts *interrupts, const struct sched_pass *pass);
void sched_interrupts_fini(struct sched_interrupts *interrupts);
/* @to: zeroed; it goes on where @from is, with the same names. */
void sched_interrupts_copy(struct sched_interrupts *to, const struct sched_interrupts *from,
			   unsigned int nr_cpus);
/* A record without a rule; only ENTER and LEAVE count. */
void sched_interrupts_take(struct sched_interrupts *interrupts, unsigned int cpu,
			   const struct sched_rec *rec);
/* Another task runs on a CPU, or events are lost: no interrupt lasts over that. */
void sched_interrupts_cut(struct sched_interrupts *interrupts, unsigned int cpu);

/*
 * What woke a task on a CPU just now: the innermost interrupt or timer, if the record of the
 * wake-up was made in an interrupt (@flags: its common_flags) or over idle.  0: the waker did.
 * Without flags that is not known, but while an interrupt runs that has records of its own.
 */
uint32_t sched_interrupts_waker(struct sched_interrupts *interrupts, unsigned int cpu,
				unsigned int flags, bool is_idle);
#define SCHED_CONTEXT_NOT_KNOWN	"not known"

/* Append it: "softirq RCU", "interrupt", "not known".  Main thread; the pass goes on meanwhile. */
void sched_interrupts_text(struct trace *trace, unsigned int file, const struct sched_pass *pass,
			   struct name_table *names, uint32_t context, struct text *out);

/*
 * Append "cat-12", "softirq RCU (on top of cat-12)", or "cat-12 (context not known)".  @context:
 * NULL: the task did it.
 */
void sched_interrupts_add_waker(const char *context, const char *comm, uint32_t pid,
				struct text *out);
#endif
