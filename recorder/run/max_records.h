/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_MAX_RECORDS_H
#define FTOP_RECORDER_MAX_RECORDS_H
/*
 * max_records - the records of a latency tracer's maximum.
 *
 * The kernel keeps them in a second ring buffer, which it exchanges with the first whenever there is a new maximum.
 * That second one cannot be read (snapshot_raw: EBUSY) while the tracer is set, and is emptied when it is taken away.
 * But another maximum brings it back into the first:
 *
 *             first (trace_pipe_raw)    second (trace)
 *   stopped   what came later           the maximum
 *   emptied   -                         the maximum
 *   on        a latency of our making
 *   new max   the maximum, and later    the latency of our making
 *
 * Buffers may be exchanged back before they can be read: then once more.  What is not of the maximum, of before or
 * later, is left out: the kernel's text says how many records it has.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/run/instance.h"
#include "src/base/error.h"

struct max_header {			/* what the kernel's text begins with */
	uint64_t	latency_us;
	uint64_t	nr;		/* records */
	int		cpu;
};

/* "# latency: 17131 us, #1712/1712, CPU#1 | …"; false where there is no maximum. */
bool max_records_header(const char *text, struct max_header *header);

/* Receives a sub-buffer of a CPU, in order.  Returns 0, or -1 with @err set. */
typedef int max_records_fn(void *arg, int cpu, const void *page, uint32_t size, struct ft_error *err);

/**
 * max_records_fetch() - read them
 * @inst: stopped, and with its tracer still set; its trace file was read before
 * @nr_cpus: [0, nr_cpus) are looked at
 *
 * Takes some 10 ms, at most a second or two.  The instance records no more afterwards.
 *
 * Return: 0; -1 where they could not be had (nothing was told to @fn), or it failed.
 */
int max_records_fetch(struct instance *inst, const char *tracer, const struct max_header *header, unsigned int nr_cpus,
		      max_records_fn *fn, void *arg, struct ft_error *err);
#endif
