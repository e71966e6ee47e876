/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_CPU_READER_H
#define FTOP_RECORDER_RUN_CPU_READER_H
/*
 * cpu_reader - drains the CPUs' trace_pipe_raw into the output, by splice, or by read if splice is
 * refused.
 *
 * A few threads share all CPUs. Their priority decides how many events are lost, not their
 * throughput. Measured on a busy machine: a reader with ordinary priority lost half of the events,
 * a reader at SCHED_FIFO none.
 */
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include "recorder/output/output.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/await.h"
#include "src/base/error.h"
#include "src/base/text.h"

struct cpu_readers;

struct cpu_readers_options {
	int		rt_priority;	/* for SCHED_FIFO; 0 = use the best nice value instead */
	unsigned int	interval_us;	/* interval for reading every CPU, full or not; 0 = half
					 * a second */
	uint64_t	keep_bytes;	/* per stream: keep only the newest data, nine tenths
					   of this at least; 0 = all */
	const struct await *await;	/* how long threads are waited for; borrowed */
	uint64_t	keep_ns;	/* keep all from this time before now on, and up to
					   a tenth more; 0 = all */
};

struct cpu_readers *cpu_readers_new(const struct cpu_readers_options *options);

/*
 * Add a CPU of the instance in folder @instance.  A CPU that is not there (offline, or not in the
 * mask) is skipped.  @raw: its file, "trace_pipe_raw" or "snapshot_raw".
 */
int cpu_readers_add(struct cpu_readers *readers, const struct tracefs_dir *instance,
		    const char *raw, struct output_stream *stream, struct ft_error *err);

/* Start the threads.  @priority receives a description of the scheduling they got, for the user. */
int cpu_readers_start(struct cpu_readers *readers, struct text *priority, struct ft_error *err);

/* Thread ids, to exclude them from tracing. */
unsigned int cpu_readers_tids(const struct cpu_readers *readers, int *tids, unsigned int max);

/* A descriptor that becomes readable when a reader has failed (such as when the disk is full). */
int cpu_readers_failed_fd(const struct cpu_readers *readers);

/*
 * Call after tracing is off: drain the rest, including partly filled sub-buffers, and end the
 * threads.  Return: -1 with the error of any thread; the data read before is complete.
 */
int cpu_readers_stop(struct cpu_readers *readers, struct ft_error *err);

/* Did a thread not end?  Then it may still write to its streams: see output_take_back(). */
bool cpu_readers_are_late(const struct cpu_readers *readers);

/*
 * Instead of starting threads: read what buffers hold that nobody writes to.  Return: as
 * cpu_readers_stop().
 */
int cpu_readers_take(struct cpu_readers *readers, struct ft_error *err);

/* Close the raw files; what threads that are late use is not freed.  NULL is allowed. */
void cpu_readers_free(struct cpu_readers *readers);
#endif
