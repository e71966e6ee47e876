/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef FTOP_RECORDER_RUN_CENSUS_CLOCK_H
#define FTOP_RECORDER_RUN_CENSUS_CLOCK_H
/*
 * census_clock - when things were seen, in stamps of the trace clock.
 *
 * Some trace clocks can be read by any program.  For the others CLOCK_MONOTONIC_RAW is read, which
 * runs as they do; a reading of both at the beginning and one at the end connect them.
 */
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include "recorder/tracefs/clock_reading.h"

struct census_clock {
	clockid_t	id;		/* what is read */
	bool		is_tsc;		/* the CPU's counter is read instead */
	bool		is_trace;	/* what is read is the trace clock */
	struct census_moment {
		uint64_t own, ts, boot;	/* what is read, the trace clock, CLOCK_BOOTTIME */
	}		begin, end;
	uint64_t	within_ns;	/* how far off a stamp may be */
};

/* False: it is a clock that cannot be read. */
bool census_clock_init(struct census_clock *clock, const char *name);

/* The beginning and the end.  False: the trace clock could not be read. */
bool census_clock_begin(struct census_clock *clock, const struct clock_reading *reading);
bool census_clock_end(struct census_clock *clock, const struct clock_reading *reading);

uint64_t census_clock_now(const struct census_clock *clock);

/*
 * What was read as a stamp: the earliest, or @latest, that it may be.  Before the end it is known
 * less exactly.
 */
int64_t census_clock_trace(const struct census_clock *clock, uint64_t own, bool latest);
/* A stamp not after the start of a task, which /proc has in ticks since boot; -1: unknown. */
int64_t census_clock_start(const struct census_clock *clock, uint64_t start_ns);
#endif
