/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_CLOCK_READING_H
#define FTOP_RECORDER_CLOCK_READING_H
/*
 * clock_reading - what the wall clock shows at a moment of the trace clock.
 *
 *   realtime ---- before ------------- after ----      the wall clock is read around each of some writes to
 *                        | write(marker) |             trace_marker; the record's stamp lies in between.
 *   trace clock ---------- stamp -----------------     The narrowest of them counts.
 *
 * The marker goes to an instance of our own, so that no record of what the user asked for is ours; its clock is the
 * recording's.
 */
#include <stdbool.h>
#include <stdint.h>
#include "recorder/tracefs/tracefs_dir.h"

struct clock_reading {
	bool		known;
	uint64_t	ts_ns;		/* in the trace clock */
	uint64_t	realtime_ns;	/* since the epoch */
	uint64_t	within_ns;	/* so far off it may be, at most */
};

/**
 * clock_reading_take() - read both clocks, in some 100 µs; longer where the instance has another clock
 * @dir: of an instance that is on and records nothing else; what is in its buffer is lost.  NULL: there is none
 * @clock: of the recording
 *
 * The clocks that user space can read too need no marker.  One whose unit is not ns is not known.
 */
void clock_reading_take(const struct tracefs_dir *dir, const char *clock, struct clock_reading *reading);
#endif
