/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_TRACEFS_CLOCK_READING_H
#define FTOP_RECORDER_TRACEFS_CLOCK_READING_H
/*
 * clock_reading - reads the wall clock and the trace clock at the same moment.
 *
 *   realtime ---- before ------------- after ----   the wall clock is read around each of some
 *                        | write(marker) |          writes to trace_marker; the record's stamp lies
 *   trace clock ---------- stamp -----------------  in between.  The narrowest interval is kept.
 *
 * The marker goes to an instance of our own, with the recording's clock, so that it does not appear
 * in the recording.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/tracefs_dir.h"

struct clock_reading {
	bool		known;
	uint64_t	ts_ns;		/* trace clock */
	uint64_t	realtime_ns;	/* since the epoch */
	uint64_t	within_ns;	/* maximum error */
};

/**
 * clock_reading_take() - read both clocks, in some 100 µs; longer where the instance has another
 * clock
 * @dir: an instance that is on and records nothing else; its buffer is emptied.  NULL: there is
 *        none
 * @clock: of the recording
 *
 * Clocks that user space can read need no marker.  A clock whose unit is not ns gives no reading.
 */
void clock_reading_take(const struct tracefs_dir *dir, const char *clock,
			struct clock_reading *reading);
#endif
