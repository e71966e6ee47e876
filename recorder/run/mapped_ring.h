/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_MAPPED_RING_H
#define FTOP_RECORDER_RUN_MAPPED_RING_H
/*
 * mapped_ring - reads the ring buffer of a CPU and leaves it as it is.
 *
 * read(2) and splice(2) of trace_pipe_raw take out what they read.  Since Linux 6.10 a buffer can
 * be mapped: all its sub-buffers can be seen, in any order, and those that were read before, too.
 * While it is written to, they change, so tracing must be off.
 */
#include <stdint.h>
#include "parsers/pages/raw_page.h"
#include "recorder/output/output.h"
#include "recorder/tracefs/tracefs_dir.h"
#include "src/base/error.h"

struct mapped_ring;

/**
 * mapped_ring_open() - map the buffer of a CPU of the instance in folder @dir
 *
 * Return: NULL with FT_E_UNSUPPORTED if the kernel cannot map it: it is too old, the instance has a
 * trigger that takes snapshots, its memory is of the parameter memmap=.
 */
struct mapped_ring *mapped_ring_open(const struct tracefs_dir *dir, int cpu, struct ft_error *err);
void mapped_ring_close(struct mapped_ring *ring);	/* NULL is allowed */

/*
 * Append what was not read yet to a stream.  Return: -1 with FT_E_UNSUPPORTED if that is not as
 * many events as the kernel counts, FT_E_IO.
 */
int mapped_ring_copy(const struct mapped_ring *ring, const struct raw_page_layout *layout,
		     struct output_file *output, struct output_stream *stream,
		     struct ft_error *err);
#endif
