/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_ANALYSIS_H
#define FTOP_SRC_NOISE_NOISE_ANALYSIS_H
/*
 * noise_analysis - where the latency of one sample went, by the rules of rtla's auto-analysis
 * (timerlat_aa.c of the kernel's tools), from the events of system osnoise around it.
 *
 * Parts from the delay of the handler to other threads add up; what is missing to the whole is
 * NOISE_REST.  The latency of the interrupt and what came before it are shown, but are no parts of
 * the sum.  Of a sample of osnoise, the noise is split up by source; the rest is the hardware.
 */
#include "src/base/memory.h"
#include "src/noise/noise.h"

enum noise_part {
	NOISE_PREVIOUS,			/* an interrupt before the timer's, up to */
	NOISE_DELAY,			/* from the expected time to the timer's interrupt */
	NOISE_IRQ_LATENCY,
	NOISE_TIMER_IRQ,		/* how long the timer's interrupt took */
	NOISE_BLOCKING,			/* the thread that ran when it came */
	NOISE_NMIS, NOISE_IRQS, NOISE_SOFTIRQS, NOISE_THREADS,	/* interference */
	NOISE_REST,
	NOISE_PARTS
};

#define NOISE_NAME	24u

struct noise_row {			/* of a part; below it, what it is made of */
	const struct noise_sample *sample;	/* borrowed */
	enum noise_part	part;
	enum noise_row_of {
		NOISE_OF_PART,
		NOISE_OF_EVENT,
		NOISE_OF_STACK		/* a function of the blocking thread */
	}		of;
	unsigned int	index;		/* of the row */
	uint64_t	ns, total;	/* total: the latency of the sample */
	uint32_t	times;		/* of osnoise: those of one name are summed up; 0: how
					   long is unknown */
	int		number;		/* vector or pid; -1: none */
	char		name[NOISE_NAME];	/* raw; "" = unknown */
	const char	*function;	/* raw */
	trace_ref	ref;		/* of an event */
};

struct noise_analysis {			/* zero it */
	struct noise_row *rows;		/* owned, [nr]: of all samples */
	uint32_t	nr, cap;
	struct arena	functions;
	/* Of the last sample: */
	uint32_t	first;		/* its first row */
	uint64_t	total;
	bool		is_irq;		/* the sample has the interrupt's latency only */
	bool		from_idle;	/* the CPU left an idle state first */
	bool		other_clock;	/* times of the events are not those of their records */
	bool		any;		/* there were events of system osnoise */
	unsigned int	known;		/* bit i: parts[i] is known */
	uint64_t	parts[NOISE_PARTS];
	int		blocking_pid;	/* the thread that ran when the interrupt came */
};

extern const char *const noise_part_names[NOISE_PARTS];		/* "handler delay" */

/* Is it one of the parts that add up to the latency? */
static inline bool noise_part_adds(enum noise_part part)
{
	return part != NOISE_PREVIOUS && part != NOISE_IRQ_LATENCY;
}

/* Adds the rows of a sample.  Main thread.  For noise_analysis_fini(). */
void noise_analyse(struct trace *trace, enum noise_tracer tracer, const struct noise_sample *sample,
		   struct noise_analysis *analysis);
void noise_analysis_fini(struct noise_analysis *analysis);	/* zeroes it */
#endif
