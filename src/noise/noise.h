/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_NOISE_NOISE_H
#define FTOP_SRC_NOISE_NOISE_H
/*
 * noise - what the tracers timerlat, osnoise and hwlat measured: figures of each CPU, histograms,
 * and the worst samples.  A worker reads the streams one after the other.
 *
 * A sample of timerlat is a period of its timer: the latencies of the interrupt, of the thread and
 * of the return to user space that have one number.  A sample of osnoise or hwlat is a record.
 * Latencies are the kernel's own; a sample is doubtful if events were lost on its CPU since the
 * sample before it: its analysis is then incomplete.
 *
 * Of several buffers, each tracer is read in the first one that has it.
 */
#include <stdbool.h>
#include <stdint.h>
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

#define NOISE_BINS	65u		/* of ns: 0; then [2^(i-1), 2^i) */
#define NOISE_BUCKETS	256u		/* of whole µs, as rtla has them */

struct noise_figures {			/* of one value of a tracer, in ns */
	uint64_t	count, cur, min, avg, max, sum;
	uint64_t	sum_us;		/* of whole µs */
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
	int64_t		ts;		/* of its last record */
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

struct noise_result {
	/* owned, [nr] by number; those with samples */
	struct noise_cpu *cpus[NOISE_TRACERS];
	uint32_t	nr[NOISE_TRACERS];
	struct noise_bin bins[NOISE_TRACERS][NOISE_BINS];	/* [nr_bins]; none is empty */
	uint32_t	nr_bins[NOISE_TRACERS];
	/* owned, [nr_samples], the worst first */
	struct noise_sample *samples[NOISE_TRACERS];
	uint32_t	nr_samples[NOISE_TRACERS];
	bool		cut[NOISE_TRACERS];	/* there were more of them */
	bool		has_sources;	/* there are events of system osnoise */
	bool		has_user;	/* timerlat: returns to user space */
	uint64_t	damaged;	/* sub-buffers */
};

extern const char *const noise_tracer_names[NOISE_TRACERS];	/* "timerlat" */

/* Has the trace records of one of the tracers, as far as it is indexed? */
bool noise_is_in(struct trace *trace);

/* Start; the trace is borrowed.  Main thread, as all of these. */
struct noise *noise_new(struct trace *trace, const struct event_sweep_options *options);
void noise_free(struct noise *noise);	/* stops the workers; NULL is allowed */
struct event_sweep *noise_sweep(struct noise *noise);	/* what measures: wait for it */

/* Borrowed; NULL: not all is read. */
const struct noise_result *noise_result(struct noise *noise);
#endif
