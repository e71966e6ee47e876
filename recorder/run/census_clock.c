/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "recorder/run/census_clock.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#ifdef __x86_64__
#include <x86intrin.h>
#endif

/* /proc has starts in ticks of 10 ms; and clocks are not set at once for all CPUs */
#define START_WITHIN_NS	20000000
#define SET_WITHIN_NS	1000000
#define TRIES		8
#define DRIFT_MOST	10000		/* a ten-thousandth, between two clocks */

static const struct known_clock {
	const char	*name;
	clockid_t	 id;
	bool		 is_trace, is_tsc;
} clocks[] = {
	{ "mono", CLOCK_MONOTONIC, true },
	{ "mono_raw", CLOCK_MONOTONIC_RAW, true },
	{ "boot", CLOCK_BOOTTIME, true },
	{ "tai", CLOCK_TAI, true },
	{ "local", CLOCK_MONOTONIC_RAW },
	{ "global", CLOCK_MONOTONIC_RAW },
	{ "perf", CLOCK_MONOTONIC_RAW },
#ifdef __x86_64__
	{ "x86-tsc", 0, true, true },
#endif
};

bool census_clock_init(struct census_clock *clock, const char *name)
{
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcmp(name, clocks[i].name)) {
			*clock = (struct census_clock){ .id = clocks[i].id,
							.is_trace = clocks[i].is_trace,
							.is_tsc = clocks[i].is_tsc };
			return true;
		}
	return false;
}

static uint64_t now_ns(clockid_t id)
{
	struct timespec ts;

	clock_gettime(id, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

uint64_t census_clock_now(const struct census_clock *clock)
{
#ifdef __x86_64__
	if (clock->is_tsc)
		return __rdtsc();
#endif
	return now_ns(clock->id);
}

/*
 * The reading was taken some time ago, with the wall clock: what that shows now tells what the
 * trace clock does.
 */
static bool take_moment(struct census_clock *clock, const struct clock_reading *reading,
			struct census_moment *moment)
{
	uint64_t narrowest = UINT64_MAX;

	for (int i = 0; i < TRIES; i++) {
		uint64_t before = now_ns(CLOCK_REALTIME), own = census_clock_now(clock),
			 boot = now_ns(CLOCK_BOOTTIME), after = now_ns(CLOCK_REALTIME);

		if (after - before >= narrowest)
			continue;
		narrowest = after - before;
		*moment = (struct census_moment){ .own = own, .boot = boot, .ts = own };
		if (!clock->is_trace)
			moment->ts = reading->ts_ns + (before - reading->realtime_ns);
	}
	if (clock->is_trace)
		return true;
	if (clock->within_ns < reading->within_ns + narrowest)
		clock->within_ns = reading->within_ns + narrowest;
	return reading->known;
}

bool census_clock_begin(struct census_clock *clock, const struct clock_reading *reading)
{
	return take_moment(clock, reading, &clock->begin);
}

bool census_clock_end(struct census_clock *clock, const struct clock_reading *reading)
{
	int64_t own, ts;

	if (!take_moment(clock, reading, &clock->end))
		return false;
	own = (int64_t)(clock->end.own - clock->begin.own);
	ts = (int64_t)(clock->end.ts - clock->begin.ts);
	/* else somebody has set the wall clock */
	return own > 0 && ts > own - own / 100 - SET_WITHIN_NS &&
	       ts < own + own / 100 + SET_WITHIN_NS;
}

int64_t census_clock_trace(const struct census_clock *clock, uint64_t own, bool latest)
{
	int64_t since = (int64_t)(own - clock->begin.own), within = (int64_t)clock->within_ns, ts;
	double rate = 1;

	if (clock->is_trace)
		return (int64_t)own;
	if (clock->end.own)
		rate = (double)(clock->end.ts - clock->begin.ts) /
		       (double)(clock->end.own - clock->begin.own);
	else
		within += llabs(since) / DRIFT_MOST;
	ts = (int64_t)clock->begin.ts + (int64_t)((double)since * rate);
	return latest ? ts + within : ts - within;
}

int64_t census_clock_start(const struct census_clock *clock, uint64_t start_ns)
{
	const struct census_moment *near = start_ns > clock->begin.boot && clock->end.own ?
						   &clock->end :
						   &clock->begin;
	int64_t start = (int64_t)(near->ts - (near->boot - start_ns)) - START_WITHIN_NS;

	return clock->is_tsc || start < 0 ? -1 : start;
}
