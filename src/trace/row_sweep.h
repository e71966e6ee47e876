/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_SRC_ROW_SWEEP_H
#define FTOP_SRC_ROW_SWEEP_H
/*
 * row_sweep - all records of a file, stream by stream, up to a time, then on from there.
 *
 * One thread.  Needs no directory.
 */
#include <stdbool.h>
#include <stdint.h>
#include "src/trace/trace.h"

struct row_sweep;			/* opaque */

struct swept_row {
	trace_ref	 ref;
	int64_t		 ts;		/* of the file, without the user's offset */
	int32_t		 pid;		/* common_pid */
	int		 cpu;
	uint16_t	 type;		/* common_type */
	unsigned int	 lane;		/* which of the streams: below row_sweep_nr_lanes(); rows of one come in its order */
};

struct row_sweep *row_sweep_new(struct trace *trace, unsigned int file);	/* borrowed */
void row_sweep_free(struct row_sweep *sweep);		/* NULL is allowed */
unsigned int row_sweep_nr_lanes(const struct row_sweep *sweep);

/**
 * row_sweep_on() - the rows that come next
 * @until: of each stream those before the first one that is later than this
 * @max:   about so many
 *
 * Return: there are more up to that time: ask again.
 */
bool row_sweep_on(struct row_sweep *sweep, int64_t until, uint64_t max, void (*see)(void *arg, const struct swept_row *row),
		  void *arg);
#endif
