/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_CPU_READER_H
#define FTOP_RECORDER_CPU_READER_H
/*
 * cpu_reader - drains the CPUs' trace_pipe_raw into the output, by splice, and by
 * read where that is refused.
 *
 * A few threads share all CPUs.  Their priority decides what is lost, not their
 * throughput: measured, a reader of ordinary priority under a busy scheduler loses
 * half of the events, one at SCHED_FIFO none.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "recorder/output/output.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct cpu_readers;

struct cpu_readers_options {
	int		rt_priority;	/* of SCHED_FIFO; 0: the best nice value instead */
	unsigned int	interval_us;	/* look at every CPU so often, filled or not; 0: half a second */
	uint64_t	keep_bytes;	/* of each stream: the newest so many are kept; 0: all */
	unsigned int	nr_threads;	/* 0: by the number of CPUs */
};

struct cpu_readers *cpu_readers_new(const struct cpu_readers_options *options);

/* A CPU of the instance in folder @instance.  One that is not there (offline, or out of the mask) is left out. */
int cpu_readers_add(struct cpu_readers *readers, const struct tracefs_dir *instance, struct output_stream *stream,
		    struct ft_error *err);

/* Start the threads.  @priority receives in words what was granted, to be told to the user. */
int cpu_readers_start(struct cpu_readers *readers, struct text *priority, struct ft_error *err);

/* Thread ids, for the kernel's list of what is not to be traced. */
unsigned int cpu_readers_tids(const struct cpu_readers *readers, int *tids, unsigned int max);

/* A descriptor that becomes readable when a reader failed (the disk is full). */
int cpu_readers_failed_fd(const struct cpu_readers *readers);

/*
 * Tracing is off: drain what is left, the partly filled sub-buffers too, and end the threads.  Returns -1 with what any
 * of them ran into; what was read before is whole.
 */
int cpu_readers_stop(struct cpu_readers *readers, struct ft_error *err);

/* Close the raw files.  NULL is allowed. */
void cpu_readers_free(struct cpu_readers *readers);
#endif
