/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_TRACE_ROW_SWEEP_H
#define FTOP_SRC_TRACE_ROW_SWEEP_H
/*
 * row_sweep - reads all records of a file, stream by stream, up to a time, and later continues from
 * there.
 *
 * One thread.  Needs no directory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct row_sweep;			/* opaque */

struct swept_row {
	trace_ref	 ref;
	int64_t		 ts;
	int32_t		 pid;		/* common_pid */
	int		 cpu;
	uint16_t	 type;		/* common_type */
	unsigned int	 lane;		/* index of the stream, whose rows are in order */
};

struct row_sweep *row_sweep_new(struct trace *trace, unsigned int file);	/* borrowed */
void row_sweep_free(struct row_sweep *sweep);		/* NULL is allowed */
unsigned int row_sweep_nr_lanes(const struct row_sweep *sweep);

/**
 * row_sweep_on() - report the next rows
 * @until: report each stream's rows up to the first one later than this
 * @max:   limit, approximately
 *
 * Return: true if there are more rows up to that time: call again.
 */
bool row_sweep_on(struct row_sweep *sweep, int64_t until, uint64_t max,
		  void (*see)(void *arg, const struct swept_row *row), void *arg);
#endif
