/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_H
#define FTOP_SRC_NOISE_NOISE_H
/*
 * noise - what one of the tracers timerlat, osnoise and hwlat measured: figures of each CPU, a
 * histogram, and the worst samples.  A worker reads the streams one after the other.
 *
 * A sample of timerlat is a period of its timer: the latencies of the interrupt, of the thread and
 * of the return to user space that have one number.  A sample of osnoise or hwlat is a record.
 * Latencies are the kernel's own; a sample is doubtful if events were lost on its CPU since the
 * sample before it: its analysis is then incomplete.
 *
 * Of several buffers, the first one is read that has the tracer.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/base/memory.h"
#include "src/base/table_out.h"
#include "src/match/event_sweep.h"

struct noise;				/* opaque */

enum noise_tracer { NOISE_TIMERLAT, NOISE_OSNOISE, NOISE_HWLAT, NOISE_TRACERS };

/* The values of a sample, by tracer. */
#define NOISE_VALUES	3u
enum noise_context { NOISE_OF_IRQ, NOISE_OF_THREAD, NOISE_OF_USER };	/* timerlat: latencies */
enum { NOISE_OF_PERIOD, NOISE_RUNTIME, NOISE_SINGLE };	/* osnoise; the longest single noise */
enum { NOISE_INNER, NOISE_OUTER, NOISE_NMI_TIME };	/* hwlat: gaps */

enum noise_source {
	NOISE_BY_HW, NOISE_BY_NMI, NOISE_BY_IRQ, NOISE_BY_SOFTIRQ, NOISE_BY_THREAD, NOISE_SOURCES
};

#define NOISE_BINS	65u		/* bins of ns: 0; then [2^(i-1), 2^i) */
#define NOISE_BUCKETS	256u		/* buckets of whole µs, as rtla has them */

struct noise_figures {			/* figures of one value of a tracer, in ns */
	uint64_t	count, cur, min, avg, max, sum;
	uint64_t	sum_us;		/* sum of whole µs */
	uint64_t	buckets[NOISE_BUCKETS], over;
};

struct noise_cpu {			/* what a tracer measured on a CPU */
	int		cpu;
	bool		doubtful;	/* events were lost: there may have been more samples */
	uint64_t	samples;	/* records; of timerlat, of all contexts */
	struct noise_figures of[NOISE_VALUES];
	uint64_t	counts[NOISE_SOURCES];	/* sums of those of samples */
	uint64_t	available;	/* osnoise: 10^5 * percent of the runtime without noise */
	bool		has_time;	/* by events of system osnoise, with timerlat, too: */
	uint64_t	time[NOISE_SOURCES];
};

struct noise_sample {
	int64_t		ts;		/* time of its last record */
	trace_ref	ref;		/* that record */
	trace_ref	since;		/* where its analysis begins */
	uint64_t	ns[NOISE_VALUES];
	uint64_t	worst;		/* the longest latency; the noise; the longer gap */
	uint32_t	counts[NOISE_SOURCES];	/* hwlat: delays in the first, NMIs in the second */
	uint64_t	available;	/* as of noise_cpu */
	uint32_t	seq;
	int		cpu;
	bool		known[NOISE_VALUES];	/* it was recorded */
	bool		doubtful;
};

struct noise_bin {			/* samples of all CPUs; of osnoise, single noises */
	uint64_t	from, to;	/* from <= ns < to */
	uint64_t	count[NOISE_VALUES];
};

/* --- where the latency of a sample went ------------------------------------------------------- */

/*
 * By the rules of rtla's auto-analysis (timerlat_aa.c of the kernel's tools), from the events of
 * system osnoise around the sample.
 *
 * Parts from the delay of the handler to other threads add up; what is missing to the whole is
 * NOISE_REST.  The latency of the interrupt and what came before it are shown, but are no parts of
 * the sum.  Of a sample of osnoise, the noise is split up by source; the rest is the hardware.
 */
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

struct noise_row {			/* a part, or below it what it is made of */
	const struct noise_sample *sample;	/* borrowed */
	enum noise_part	part;
	enum noise_row_of {
		NOISE_OF_PART,
		NOISE_OF_EVENT,
		NOISE_OF_STACK		/* a function of the blocking thread */
	}		of;
	unsigned int	index;		/* the row's index */
	uint64_t	ns, total;	/* total: the latency of the sample */
	uint32_t	times;		/* osnoise: events of that name, summed up; 0: of unknown
					   length */
	int		number;		/* vector or pid; -1: none */
	char		name[NOISE_NAME];	/* raw; "" = unknown */
	const char	*function;	/* raw */
	trace_ref	ref;		/* the event, if it is one */
};

struct noise_analysis {
	struct noise_row *rows;		/* owned, [nr]: of all samples */
	uint32_t	nr, cap;
	struct arena	functions;
	/* The sample analysed last: */
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

/* --- the pass ------------------------------------------------------------------------------ */

struct noise_result {
	enum noise_tracer tracer;
	struct noise_cpu *cpus;		/* owned, [nr_cpus] by number; those with samples */
	struct noise_sample *samples;	/* owned, [nr_samples], the worst first */
	struct noise_bin bins[NOISE_BINS];	/* [nr_bins]; none is empty */
	uint32_t	nr_cpus, nr_samples, nr_bins;
	bool		cut;		/* there were more samples */
	bool		has_sources;	/* there are events of system osnoise */
	bool		has_user;	/* timerlat: returns to user space */
	uint64_t	damaged;	/* sub-buffers */
	struct noise_analysis analysis;	/* rows of the samples that were analysed */
};

extern const char *const noise_tracer_names[NOISE_TRACERS];	/* "timerlat" */

/*
 * The first tracer, from this one of this file on, of which there are records as far as they are
 * indexed; the last one is followed by the first.  False: there is none; nothing has changed.
 */
bool noise_find(struct trace *trace, unsigned int *file, enum noise_tracer *tracer);

/* Start; the trace is borrowed.  Main thread, as all of these. */
struct noise *noise_new(struct trace *trace, enum noise_tracer tracer,
			const struct event_sweep_options *options);
void noise_free(struct noise *noise);	/* stops the workers; NULL is allowed */
struct event_sweep *noise_sweep(struct noise *noise);	/* what measures: wait for it */

/* Borrowed; NULL: not all is read. */
const struct noise_result *noise_result(struct noise *noise);

/* Add the rows of a sample of the result to its analysis, which is returned. */
const struct noise_analysis *noise_analyse(struct noise *noise, const struct noise_sample *sample);
void noise_forget(struct noise *noise);	/* empties the analysis */

/* --- lists: their columns and rows, for `ftop-trace noise` and the screen ------------------ */

enum noise_list { NOISE_CPUS, NOISE_SAMPLES, NOISE_HISTOGRAM, NOISE_ANALYSIS, NOISE_LISTS };

enum { NOISE_WORST = 1 };		/* table_column.own */
enum { NOISE_NEEDS_SOURCES = 1, NOISE_NEEDS_USER = 2 };	/* table_column.needs */

/* The tables' rows are struct noise_cpu, noise_sample, noise_bin, noise_row. */
extern const struct table_columns noise_columns[NOISE_LISTS][NOISE_TRACERS];

/* Bits of table_column.needs that the trace does not have. */
unsigned int noise_lacks(const struct noise_result *result);

struct noise_rows {			/* a list's rows, as its columns read them */
	const void	*array;		/* borrowed, [nr] of .bytes each */
	size_t		bytes;
	uint32_t	nr;
} noise_rows(const struct noise_result *result, enum noise_list list);
#endif
