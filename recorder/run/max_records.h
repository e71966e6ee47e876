/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_MAX_RECORDS_H
#define FTOP_RECORDER_RUN_MAX_RECORDS_H
/*
 * max_records - the records of a latency tracer's maximum.
 *
 * The kernel keeps them in a second ring buffer, which it exchanges with the first at each new
 * maximum.  The second one cannot be read (snapshot_raw: EBUSY) while the tracer is set, and is
 * emptied when the tracer is removed.  But another maximum brings it back into the first:
 *
 *             first (trace_pipe_raw)    second (trace)
 *   stopped   later records           the maximum
 *   emptied   -                         the maximum
 *   on        a latency that we cause
 *   new max   the maximum, and later    the latency that we caused
 *
 * If the buffers are exchanged back before they can be read, we try again.  Earlier and later
 * records, which are not part of the maximum, are left out: the kernel's text says how many records
 * it has.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/run/instance.h"
#include "src/base/await.h"
#include "src/base/error.h"

struct max_header {			/* the header of the kernel's text */
	uint64_t	latency_us;
	uint64_t	nr;		/* records */
	int		cpu;
};

/* "# latency: 17131 us, #1712/1712, CPU#1 | …"; false if there is no maximum. */
bool max_records_header(const char *text, struct max_header *header);

/* Receives the sub-buffers of each CPU, in order.  Return: 0, or -1 with @err set. */
typedef int max_records_fn(void *arg, int cpu, const void *page, uint32_t size,
			   struct ft_error *err);

/**
 * max_records_fetch() - read the records of the maximum
 * @inst: stopped, with its tracer still set; its trace file must have been read
 * @nr_cpus: CPUs 0 to nr_cpus - 1 are read
 * @await: how long a thread that sleeps for some ms is waited for
 *
 * Takes some 10 ms, at most a second or two.  Afterwards the instance no longer records.
 *
 * Return: 0; -1 if the records could not be read (@fn was not called), or if @fn failed.
 */
int max_records_fetch(struct instance *inst, const char *tracer, const struct max_header *header,
		      unsigned int nr_cpus, const struct await *await, max_records_fn *fn,
		      void *arg, struct ft_error *err);
#endif
